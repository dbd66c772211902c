import TestSupport
import Testing

@testable import V4L2

@Suite(.enabled(if: FakeCameras.arePossible, "\(FakeCameras.reason)"))
struct CameraSettingsTests {
  @Test func `Exposure is automatic, or of a time in microseconds`() throws {
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      #expect(try device.exposure() == nil)
      #expect(try device.setExposure(.manual(microseconds: 12_345)) == 12_300)
      #expect(try device.value("auto_exposure") == 1)
      #expect(try device.value("exposure_time_absolute") == 123)
      #expect(try device.exposure() == 12_300)
      #expect(try device.setExposure(.auto) == nil)
      // Of the two kinds that are automatic, this is the one the camera has.
      #expect(try device.value("auto_exposure") == 3)
      #expect(
        reason { try device.setExposure(.manual(microseconds: 900_000)) }
          == .valueOutOfRange("exposure_time_absolute", value: "9000", allowed: "1 to 5000")
      )
    }
    try FakeCameras.withCamera(Descriptions.board) { (device) throws in
      #expect(try device.exposure() == nil)
      #expect(
        reason { try device.setExposure(.auto) } == .noSuchControl("auto_exposure", nearest: nil)
      )
      #expect(
        reason { try device.setExposure(.manual(microseconds: 100)) }
          == .noSuchControl("exposure_time_absolute", nearest: nil)
      )
    }
  }

  @Test func `Focus and white balance are automatic, or of a value`() throws {
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      try device.setFocus(.manual(40))
      #expect(try device.value("focus_automatic_continuous") == 0)
      #expect(try device.value("focus_absolute") == 40)
      try device.setFocus(.auto)
      #expect(try device.value("focus_automatic_continuous") == 1)
      try device.setWhiteBalance(.manual(kelvin: 5200))
      #expect(try device.value("white_balance_automatic") == 0)
      #expect(try device.value("white_balance_temperature") == 5200)
      try device.setWhiteBalance(.auto)
      #expect(try device.value("white_balance_automatic") == 1)
    }
    try FakeCameras.withCamera(Descriptions.board) { (device) throws in
      #expect(
        reason { try device.setFocus(.auto) }
          == .noSuchControl("focus_automatic_continuous", nearest: nil)
      )
      #expect(
        reason { try device.setWhiteBalance(.manual(kelvin: 5000)) }
          == .noSuchControl("white_balance_temperature", nearest: nil)
      )
    }
  }

  @Test func `Zoom goes as far as the device can, and says how far`() throws {
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      #expect(try device.setZoom(2.5) == 2.5)
      #expect(try device.value("zoom_absolute") == 250)
      #expect(try device.setZoom(10) == 4)
      #expect(try device.setZoom(0.2) == 1)
      #expect(try device.value("zoom_absolute") == 100)
    }
    try FakeCameras.withCamera(Descriptions.board) { (device) throws in
      #expect(try device.setZoom(3) == 1)
    }
    let steps = Descriptions.format("GREY", "64 48", "control 0x9a090d 1 0 10 1 4 Zoom, Absolute")
    try FakeCameras.withCamera(steps) { (device) throws in
      // Steps of nobody knows what: the widest, so that the rest can be cropped.
      #expect(try device.setZoom(3) == 1)
      #expect(try device.value("zoom_absolute") == 0)
    }
  }

  @Test func `The flash fires by command where it can, and a torch stands in for it`() throws {
    try FakeCameras.withCamera(Descriptions.board) { (device) throws in
      #expect(try device.setFlash(.flash) == .flash)
      #expect(try device.value("led_mode") == 1)
      #expect(try device.strobe())
      #expect(try device.value("strobe_source") == 0)
      #expect(try device.setFlash(.torch) == .torch)
      #expect(try device.value("led_mode") == 2)
      #expect(try device.setFlash(.off) == .off)
      #expect(try device.value("led_mode") == 0)
    }
    let torch = Descriptions.format(
      "GREY",
      "64 48",
      "control 0x9c0901 3 0 2 1 0 LED Mode\nmenu 0x9c0901 0 Off\nmenu 0x9c0901 2 Torch"
    )
    try FakeCameras.withCamera(torch) { (device) throws in
      #expect(try device.setFlash(.flash) == .torch)
      #expect(try device.strobe() == false)
    }
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      #expect(reason { try device.setFlash(.off) } == .noSuchControl("led_mode", nearest: nil))
    }
  }

  @Test func `A torch is out after every use, also one that burnt before`() throws {
    let burning = Descriptions.board.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("control 0x9c0901") ? "control 0x9c0901 3 0 2 1 2 LED Mode" : $0 }
      .joined(separator: "\n")
    for description in [Descriptions.board, burning] {
      try FakeCameras.withCameras(["video0": description]) { (cameras) throws in
        let path = cameras.path("video0")
        let device = try VideoDevice(opening: path)
        var record = ControlRecord()
        device.onRecord = { if !$0.entries.isEmpty { record = $0 } }
        try device.setFlash(.off)
        try device.setFlash(.flash)
        try device.setFlash(.torch)
        device.close()
        #expect(try VideoDevice(opening: path).value("led_mode") == 0)
        #expect(record.entries.map(\.value) == [0])
      }
    }
  }

  @Test func `The picture is turned and flipped by the device where it can`() throws {
    try FakeCameras.withCamera(Descriptions.board) { (device) throws in
      try device.setRotation(90)
      #expect(try device.value("rotate") == 90)
      try device.setFlip(horizontally: true, vertically: false)
      #expect(try device.value("horizontal_flip") == 1)
      #expect(try device.value("vertical_flip") == 0)
      #expect(
        reason { try device.setRotation(360) }
          == .valueOutOfRange("rotate", value: "360", allowed: "0 to 270 in steps of 90")
      )
    }
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      try device.setFlip(horizontally: false, vertically: false)
      #expect(
        reason { try device.setFlip(horizontally: false, vertically: true) }
          == .noSuchControl("vertical_flip", nearest: nil)
      )
    }
  }
}
