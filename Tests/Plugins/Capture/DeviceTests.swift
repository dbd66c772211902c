import FoundationEssentials
import Glibc
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import V4L2
import Vips

@testable import CaptureOperation

/// Captures of a camera that the kernel shows as a file.
@Suite(
  "Stills of a camera",
  .vips,
  .serialized,
  .enabled(if: FakeCameras.arePossible, "\(FakeCameras.reason)")
)
struct DeviceTests {
  private static let camera = """
    driver uvcvideo
    card Table Cam: Table Cam
    bus usb-0000:00:14.0-1
    rate 100
    format YUYV YUYV 4:2:2
    size 64 48 pad=32
    size 320 240
    format GREY Greyscale
    size 96 72
    control 0x980900 1 -64 64 1 0 Brightness
    control 0x98090c 2 0 1 1 1 White Balance, Automatic
    control 0x98091a 1 2800 6500 10 4600 White Balance Temperature
    needs 0x98091a 0x98090c 0
    control 0x980914 2 0 1 1 0 Horizontal Flip
    control 0x9a0901 3 0 3 1 3 Auto Exposure
    menu 0x9a0901 1 Manual Mode
    menu 0x9a0901 3 Aperture Priority Mode
    control 0x9a0902 1 1 5000 1 157 Exposure Time, Absolute
    needs 0x9a0902 0x9a0901 1
    control 0x9a090a 1 0 250 5 0 Focus, Absolute
    needs 0x9a090a 0x9a090c 0
    control 0x9a090c 2 0 1 1 1 Focus, Automatic Continuous
    control 0x9a090d 1 100 200 1 100 Zoom, Absolute
    control 0x9c0901 3 0 2 1 0 LED Mode
    menu 0x9c0901 0 Off
    menu 0x9c0901 1 Flash
    menu 0x9c0901 2 Torch

    """

  /// What a step makes of a camera.
  struct Outcome {
    let desk: Desk
    let error: ItemError?
    /// The controls while items were taken, by name, and after the end.
    let during: [String: Int]
    let after: [String: Int]

    var codes: [Note.Code] { desk.items.flatMap { $0.notes.map(\.code) } }
  }

  private func capture(
    _ toml: String,
    of description: String = camera,
    and others: [String: String] = [:],
    most: Int = .max
  ) throws -> Outcome {
    var all = others
    all["video0"] = description
    return try FakeCameras.withCameras(all) { cameras in
      let desk = try Desk(most: most)
      var error: ItemError?
      var during: [String: Int] = [:]
      do {
        var capture = try Trial.operation(Capture.self, "warm-up = 1\n" + toml)
        capture.folder = cameras.folder
        desk.onItem = {
          if during.isEmpty { during = Self.controls(cameras.path("video0")) }
        }
        _ = try capture.announce()
        try capture.makeItems(for: desk)
      } catch let thrown as ItemError {
        error = thrown
      }
      return Outcome(
        desk: desk,
        error: error,
        during: during,
        after: Self.controls(cameras.path("video0"))
      )
    }
  }

  private static func controls(_ path: String) -> [String: Int] {
    guard let device = try? VideoDevice(opening: path), let controls = try? device.controls() else {
      return [:]
    }
    return Dictionary(uniqueKeysWithValues: controls.map { ($0.name, $0.value ?? -1) })
  }

  private static let standing = [
    "brightness": 0, "white_balance_automatic": 1, "white_balance_temperature": 4600,
    "horizontal_flip": 0, "auto_exposure": 3, "exposure_time_absolute": 157, "focus_absolute": 0,
    "focus_automatic_continuous": 1, "zoom_absolute": 100, "led_mode": 0,
  ]

  @Test("exposure, focus, white balance, zoom, flash and controls are set, and put back")
  func settings() throws {
    let outcome = try capture(
      """
      size = [64, 48]
      exposure = 0.02
      focus = 30
      white-balance = 5000
      zoom = 1.5
      flash = "on"
      controls = { brightness = -12 }
      """
    )
    #expect(outcome.error == nil)
    #expect(
      outcome.during.filter { $0.key != "horizontal_flip" } == [
        "brightness": -12, "white_balance_automatic": 0, "white_balance_temperature": 5000,
        "auto_exposure": 1, "exposure_time_absolute": 200, "focus_absolute": 30,
        "focus_automatic_continuous": 0, "zoom_absolute": 150, "led_mode": 1,
      ]
    )
    #expect(outcome.after == Self.standing)
    #expect(outcome.codes.isEmpty)
    let item = try #require(outcome.desk.items.first)
    #expect(item.middle == 1)
    #expect(try item.exif("exif-ifd2-ExposureTime") == "1/50")
    #expect(try item.exif("exif-ifd2-Flash") == "1")
    // Another process could have put all of it back, from before the first change on.
    #expect(outcome.desk.records.count > 5)
    #expect(outcome.desk.records.last == .some(nil))
  }

  @Test("auto gives exposure, focus and white balance to the camera")
  func automatic() throws {
    let manual = Self.camera
      .replacing("0x9a0901 3 0 3 1 3", with: "0x9a0901 3 0 3 1 1")
      .replacing("0x9a090c 2 0 1 1 1", with: "0x9a090c 2 0 1 1 0")
      .replacing("0x98090c 2 0 1 1 1", with: "0x98090c 2 0 1 1 0")
    let outcome = try capture(
      "size = [64, 48]\nexposure = \"auto\"\nfocus = \"auto\"\nwhite-balance = \"auto\"",
      of: manual
    )
    #expect(outcome.during["auto_exposure"] == 3)
    #expect(outcome.during["focus_automatic_continuous"] == 1)
    #expect(outcome.during["white_balance_automatic"] == 1)
    #expect(outcome.after["auto_exposure"] == 1)
  }

  @Test("what is set can be put back from the record alone")
  func restore() throws {
    try FakeCameras.withCameras(["video0": Self.camera]) { cameras in
      let path = cameras.path("video0")
      let device = try VideoDevice(opening: path)
      var record = ControlRecord()
      device.onRecord = { if !$0.entries.isEmpty { record = $0 } }
      try device.set("brightness", to: .number(40))
      try device.setFlash(.torch)
      let saved = SavedControls(path, record).bytes
      try Capture().restore(saved)
      #expect(Self.controls(path) == Self.standing)
    }
  }

  @Test("a flip that another program has left on is not seen in the picture")
  func flip() throws {
    let flipped = Self.camera.replacing("0x980914 2 0 1 1 0", with: "0x980914 2 0 1 1 1")
    let outcome = try capture("size = [64, 48]", of: flipped)
    #expect(outcome.during["horizontal_flip"] == 0)
    #expect(outcome.after["horizontal_flip"] == 1)
  }

  @Test("the rest of a zoom beyond the camera's own is cut")
  func zoom() throws {
    let outcome = try capture("size = [64, 48]\nzoom = 4")
    #expect(outcome.desk.items.first?.middle == 0.5)
    #expect(outcome.codes == [.zoomCropped])
    #expect(outcome.during["zoom_absolute"] == 200)
  }

  @Test("rows are read by their length, and limited levels become full ones")
  func rows() throws {
    let outcome = try capture("size = [64, 48]")
    let image = try #require(outcome.desk.items.first).image
    #expect(image.width == 64 && image.height == 48)
    // The first bar is three quarters of white, the last one black, and white lies below.
    let levels = try [(4, 10), (60, 10), (4, 46)].map { try image.samples(x: $0.0, y: $0.1)[1] }
    #expect(abs(Int(levels[0]) - 191) <= 3 && levels[1] <= 3 && levels[2] >= 252)
  }

  @Test("a size or a form that the camera lacks is the nearest, and noted")
  func nearest() throws {
    let outcome = try capture("size = [70, 50]\npixel-format = \"nv12\"")
    #expect(outcome.codes == [.nearestFormat, .nearestFormat])
    #expect(try outcome.desk.items.first?.image.width == 64)
    let grey = try capture("pixel-format = \"grey\"")
    #expect(try grey.desk.items.first?.image.bands == 1)
    #expect(grey.codes.isEmpty)
  }

  @Test("presets choose among the camera's sizes", arguments: [("photo", 320), ("low", 320)])
  func preset(_ name: String, _ width: Int) throws {
    let outcome = try capture("preset = \"\(name)\"")
    #expect(try outcome.desk.items.first?.image.width == width)
  }

  @Test("a setting that the camera lacks is left, and noted")
  func missing() throws {
    let plain = "card Plain\nrate 100\nformat YUYV YUYV 4:2:2\nsize 64 48\n"
    let outcome = try capture(
      "exposure = 0.1\nfocus = \"auto\"\nwhite-balance = 4000\nflash = \"on\"",
      of: plain
    )
    #expect(outcome.error == nil)
    #expect(
      outcome.codes == [.controlNotSet, .controlNotSet, .controlNotSet, .flashUnsupported]
    )
    let required = try capture("flash = \"on\"\nrequire-flash = true", of: plain)
    #expect(required.error?.code == .unsupported)
    #expect(required.desk.items.isEmpty)
  }

  @Test("flash = \"auto\" fires in the dark alone")
  func automaticFlash() throws {
    let bright = try capture("size = [64, 48]\nflash = \"auto\"")
    #expect(bright.during["led_mode"] == 0)
    let dark = try capture(
      "size = [64, 48]\nflash = \"auto\"",
      of: Self.camera + "dark 400\n"
    )
    #expect(dark.during["led_mode"] == 1)
    #expect(dark.after["led_mode"] == 0)
  }

  @Test("controls that are none, or out of range, are refused before anything is begun")
  func controls() throws {
    let unknown = try capture("controls = { brightnes = 3 }")
    #expect(unknown.error?.text.contains("did you mean brightness?") == true)
    let large = try capture("controls = { brightness = 300 }")
    #expect(large.error?.text.contains("-64 to 64") == true)
    #expect(large.desk.records.isEmpty)
  }

  @Test("front and back are told by the camera, before the profile's own words")
  func facing() throws {
    let front =
      "card Selfie\nrate 100\nformat YUYV YUYV 4:2:2\nsize 64 48\n"
      + "control 0x9a0922 3 0 2 1 0 Camera Orientation\nmenu 0x9a0922 0 Front\n"
    let outcome = try capture(
      "device = \"front\"\nfront = \"Table\"",
      and: ["video1": front]
    )
    #expect(outcome.desk.items.first?.name.text?.hasPrefix("front-") == true)
    #expect(try outcome.desk.items.first?.exif("exif-ifd0-Model") == "Selfie")
    let back = try capture("device = \"back\"\nback = \"Table\"", and: ["video1": front])
    #expect(try back.desk.items.first?.exif("exif-ifd0-Model") == "Table Cam")
    #expect(back.desk.items.first?.name.text?.hasPrefix("back-") == true)
  }

  @Test("a part of the name finds a camera, and none says which there are")
  func names() throws {
    let found = try capture("device = \"table\"\nsize = [64, 48]")
    #expect(found.desk.items.first?.name.text?.hasPrefix("Table-Cam-") == true)
    let none = try capture("device = \"nobody\"")
    #expect(none.error?.code == .deviceMissing)
    #expect(none.error?.text.contains("Table Cam") == true)
  }

  // MARK: What goes wrong

  @Test("a camera that is unplugged and comes back goes on where it was")
  func returns() throws {
    let outcome = try capture(
      "size = [64, 48]\ncount = 6\nreconnect = 20",
      of: Self.camera + "fault unplug@8\nback 400\n"
    )
    #expect(outcome.error == nil)
    #expect(outcome.desk.items.count == 6)
    #expect(outcome.codes.filter { $0 == .deviceReturned }.count == 1)
    let names = outcome.desk.items.compactMap { $0.name.text?.suffix(8).prefix(4) }
    #expect(names == ["0001", "0002", "0003", "0004", "0005", "0006"])
  }

  @Test("a camera that does not come back is an error, and what was taken stays")
  func lost() throws {
    let outcome = try capture(
      "size = [64, 48]\ncount = 60\nreconnect = 0.5",
      of: Self.camera + "fault unplug@20\n"
    )
    #expect(outcome.error?.code == .deviceMissing)
    #expect(outcome.error?.text.contains("unplugged") == true)
    #expect(!outcome.desk.items.isEmpty)
  }

  @Test("a camera that delivers nothing is one that is lost")
  func stalls() throws {
    let outcome = try capture(
      "size = [64, 48]\ncount = 60\ntimeout = 0.3\nreconnect = 0",
      of: Self.camera + "fault stall@20*\n"
    )
    #expect(outcome.error?.code == .deviceTimeout)
    #expect(outcome.error?.text.contains("0.3 s") == true)
    #expect(!outcome.desk.items.isEmpty)
  }

  @Test(
    "what keeps a camera from streaming is one sentence",
    arguments: [
      ("fault busy", ItemError.Code.deviceBusy), ("fault nospace", .deviceBusy),
      ("refuse 13", .deviceRefused),
    ]
  )
  func refuses(_ fault: String, _ code: ItemError.Code) throws {
    let outcome = try capture("size = [64, 48]", of: Self.camera + fault + "\n")
    #expect(outcome.error?.code == code)
    #expect(outcome.desk.items.isEmpty)
  }

  @Test("broken frames are passed over, and counted")
  func broken() throws {
    let outcome = try capture(
      "size = [64, 48]\ncount = 30",
      of: Self.camera + "fault flagged@10\nfault short@12\n"
    )
    #expect(outcome.desk.items.count == 30)
    let notes = outcome.desk.items.flatMap(\.notes)
    #expect(notes.map(\.code) == [.framesDropped, .framesDropped])
    #expect(notes.first?.text == "1 broken frame was passed over")
  }

  @Test("a run that ends wakes a camera that waits for a frame")
  func interrupted() throws {
    let desk = try Desk()
    try FakeCameras.withCameras(["video0": Self.camera + "fault stall@6*\n"]) { cameras in
      desk.onItem = { desk.interrupt() }
      var capture = try Trial.operation(
        Capture.self,
        "warm-up = 1\nsize = [64, 48]\ncount = 50\ntimeout = 600"
      )
      capture.folder = cameras.folder
      try capture.makeItems(for: desk)
      #expect(!desk.items.isEmpty)
      #expect(Self.controls(cameras.path("video0")) == Self.standing)
    }
  }
}
