import TestSupport
import Testing

@testable import V4L2

@Suite(.enabled(if: FakeCameras.arePossible, "\(FakeCameras.reason)"))
struct ControlTests {
  @Test(arguments: [
    ("White Balance, Automatic", "white_balance_automatic"),
    ("Exposure Time, Absolute", "exposure_time_absolute"),
    ("Gain", "gain"), ("3A Lock", "3a_lock"), ("(JPEG) Quality %", "jpeg_quality"),
    ("LED1 Frequency", "led1_frequency"), ("", ""),
  ])
  func `A control is named as v4l2-ctl does`(title: String, name: String) {
    #expect(Control.name(of: title) == name)
  }

  @Test func `Controls are listed with kind, range, menu and state`() throws {
    try FakeCameras.withCamera(Descriptions.board) { (device) throws in
      let controls = try device.controls()
      #expect(
        controls.map(\.name) == [
          "horizontal_flip", "vertical_flip", "backlight_compensation", "rotate",
          "white_balance_preset", "camera_orientation", "camera_sensor_rotation", "led_mode",
          "strobe_source", "strobe",
        ]
      )
      let rotate = try device.control(named: "rotate")
      #expect(rotate.kind == .integer)
      #expect(rotate.range == SteppedRange(0, 270, step: 90))
      #expect(rotate.value == 0)
      let preset = try device.control(named: "white_balance_preset")
      #expect(preset.kind == .integerMenu)
      #expect(preset.choices.map(\.index) == [0, 2, 4])
      #expect(preset.choices.map(\.name) == ["0", "500", "1000"])
      let orientation = try device.control(named: "camera_orientation")
      #expect(orientation.isReadOnly)
      #expect(orientation.value == 1)
      #expect(try device.control(named: "backlight_compensation").isHeld)
      #expect(try device.control(named: "strobe").kind == .button)
      #expect(try device.control(named: "strobe").value == nil)
    }
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      let exposure = try device.control(named: "auto_exposure")
      #expect(exposure.choices.map(\.name) == ["Manual Mode", "Aperture Priority Mode"])
      #expect(exposure.choices.map(\.index) == [1, 3])
      #expect(try device.control(named: "exposure_time_absolute").isInactive)
      #expect(try device.control(named: "brightness").standard == 128)
      #expect(try device.control(named: "brightness").isInactive == false)
    }
  }

  @Test func `Values are taken as numbers, truths and words`() throws {
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      #expect(try device.set("brightness", to: .number(10)) == 10)
      #expect(try device.value("brightness") == 10)
      #expect(try device.set("power_line_frequency", to: .choice("60 hz")) == 2)
      #expect(try device.set("power_line_frequency", to: .choice("disabled")) == 0)
      #expect(try device.set("power_line_frequency", to: .number(1)) == 1)
      #expect(try device.set("white_balance_automatic", to: .bool(false)) == 0)
      // On a step.
      #expect(try device.set("white_balance_temperature", to: .number(3333)) == 3330)
      #expect(try device.set("focus_automatic_continuous", to: .number(0)) == 0)
      #expect(try device.set("focus_absolute", to: .number(123)) == 125)
    }
    try FakeCameras.withCamera(Descriptions.board) { (device) throws in
      #expect(try device.set("white_balance_preset", to: .number(500)) == 2)
      #expect(try device.set("white_balance_preset", to: .choice("1000")) == 4)
    }
  }

  @Test func `What a control does not take is refused, with what it does`() throws {
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      for (name, value, allowed) in [
        ("brightness", ControlValue.number(256), "0 to 255"),
        ("brightness", .number(-1), "0 to 255"),
        ("brightness", .bool(true), "0 to 255"),
        ("brightness", .choice("high"), "0 to 255"),
        ("auto_exposure", .number(2), "1 (Manual Mode), 3 (Aperture Priority Mode)"),
        ("auto_exposure", .choice("Auto"), "1 (Manual Mode), 3 (Aperture Priority Mode)"),
        ("white_balance_automatic", .number(2), "true and false"),
      ] {
        #expect(
          reason { try device.set(name, to: value) }
            == .valueOutOfRange(name, value: "\(value)", allowed: allowed)
        )
      }
      #expect(
        reason { try device.set("brigthness", to: .number(1)) }
          == .noSuchControl("brigthness", nearest: "brightness")
      )
      #expect(
        reason { try device.set("iris", to: .number(1)) }
          == .noSuchControl("iris", nearest: nil)
      )
      #expect(
        reason { try device.set("focus_absolute", to: .number(5)) }
          == .inactiveControl("focus_absolute")
      )
      #expect(device.record.entries.isEmpty)
    }
    try FakeCameras.withCamera(Descriptions.board) { (device) throws in
      #expect(
        reason { try device.set("camera_orientation", to: .number(0)) }
          == .readOnlyControl("camera_orientation")
      )
      #expect(
        reason { try device.set("backlight_compensation", to: .number(0)) }
          == .heldControl("backlight_compensation")
      )
      // A disabled one is none.
      #expect(
        reason { try device.set("test_pattern_level", to: .number(0)) }
          == .noSuchControl("test_pattern_level", nearest: nil)
      )
    }
  }

  @Test func `Several are set in an order in which they can be`() throws {
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      let made = try device.set([
        "exposure_time_absolute": .number(300), "auto_exposure": .choice("manual_mode"),
        "focus_absolute": .number(20), "focus_automatic_continuous": .bool(false),
      ])
      #expect(
        made == [
          "auto_exposure": 1, "exposure_time_absolute": 300, "focus_absolute": 20,
          "focus_automatic_continuous": 0,
        ]
      )
      #expect(try device.value("exposure_time_absolute") == 300)
      #expect(
        reason {
          try device.set([
            "white_balance_temperature": .number(3000), "exposure_time_absolute": .number(3),
          ])
        } == .inactiveControl("white_balance_temperature")
      )
    }
  }

  @Test func `The names of earlier kernels are understood`() throws {
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      #expect(try device.set("exposure_auto", to: .number(1)) == 1)
      #expect(try device.set("exposure_absolute", to: .number(77)) == 77)
      #expect(try device.value("exposure_time_absolute") == 77)
      #expect(try device.set("focus_auto", to: .bool(false)) == 0)
      #expect(try device.set("white_balance_temperature_auto", to: .bool(false)) == 0)
    }
  }

  @Test func `What was changed is put back, in the order that works`() throws {
    try FakeCameras.withCameras(["video0": Descriptions.webcam]) { (cameras) throws in
      let path = cameras.path("video0")
      let device = try VideoDevice(opening: path)
      let before = try device.controls().map(\.value)
      try device.set("brightness", to: .number(9))
      try device.set("brightness", to: .number(12))
      try device.setExposure(.manual(microseconds: 20_000))
      try device.setFocus(.manual(100))
      try device.setWhiteBalance(.manual(kelvin: 3000))
      _ = try device.setZoom(2)
      #expect(try device.controls().map(\.value) != before)
      #expect(device.close().isEmpty)
      #expect(try VideoDevice(opening: path).controls().map(\.value) == before)
      // Also where nobody closes it.
      try { () throws in
        let other = try VideoDevice(opening: path)
        _ = try other.setZoom(3)
        #expect(try other.value("zoom_absolute") == 300)
      }()
      #expect(try VideoDevice(opening: path).controls().map(\.value) == before)
    }
  }

  @Test func `What has to be put back is told before it is changed`() throws {
    try FakeCameras.withCameras(["video0": Descriptions.webcam]) { (cameras) throws in
      let device = try VideoDevice(opening: cameras.path("video0"))
      let observer = try VideoDevice(opening: cameras.path("video0"))
      var told: [ControlRecord] = []
      var values: [Int?] = []
      device.onRecord = { record in
        told.append(record)
        if let last = record.entries.last { values.append((try? observer.control(last.id))?.value) }
      }
      // As it stands already: nothing to change.
      try device.set("brightness", to: .number(128))
      #expect(told.isEmpty)
      try device.set("brightness", to: .number(1))
      try device.set("brightness", to: .number(2))
      _ = try device.setZoom(4)
      #expect(told.map { $0.entries.map(\.value) } == [[128], [128, 100]])
      #expect(
        told.map { $0.entries.map(\.name) } == [["brightness"], ["brightness", "zoom_absolute"]]
      )
      #expect(values == [128, 100])
      device.close()
      #expect(told.last == ControlRecord())
    }
  }

  @Test func `Another process puts back what one that died has left`() throws {
    try FakeCameras.withCameras(["video0": Descriptions.webcam]) { (cameras) throws in
      let path = cameras.path("video0")
      let device = try VideoDevice(opening: path)
      let before = try device.controls().map(\.value)
      var record = ControlRecord()
      device.onRecord = { if !$0.entries.isEmpty { record = $0 } }
      try device.setExposure(.manual(microseconds: 50_000))
      try device.set("brightness", to: .number(3))
      // It dies: nothing is put back.
      device.record = ControlRecord()
      device.close()
      #expect(try VideoDevice(opening: path).controls().map(\.value) != before)
      #expect(try record.restore(device: path).isEmpty)
      #expect(try VideoDevice(opening: path).controls().map(\.value) == before)

      record.entries.append(.init(id: 0x9a_0999, name: "gone", value: 1))
      #expect(try record.restore(device: path).map(\.name) == ["gone"])
    }
  }

  @Test func `A camera that is gone has nothing put back, and says what`() throws {
    let description = Descriptions.webcam + "\nfault unplug@0"
    try FakeCameras.withCamera(description) { (device) throws in
      try device.set("brightness", to: .number(3))
      let stream = try device.start(.yuyv)
      #expect(reason { _ = try stream.next(timeout: .seconds(5)) } == .unplugged)
      stream.stop()
      #expect(device.close().map(\.name) == ["brightness"])
    }
  }
}
