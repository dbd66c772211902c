import Glibc
import TestSupport
import Testing
import V4L2

@Suite(.enabled(if: FakeCameras.arePossible, "\(FakeCameras.reason)"))
struct FindingTests {
  /// V4L2_CAP_META_CAPTURE, and V4L2_CAP_VIDEO_M2M with V4L2_CAP_VIDEO_CAPTURE; each streaming.
  private static let metadata = "capabilities 0x04800000\nformat GREY GREY\nsize 64 48"
  private static let codec = "capabilities 0x04008001\nformat GREY GREY\nsize 64 48"

  @Test func `Cameras are listed once each, in the order of their numbers, and nothing else is`()
    throws
  {
    try FakeCameras.withCameras([
      "video10": "card Ten\nformat GREY GREY\nsize 64 48",
      "video2": "card Two\nformat GREY GREY\nsize 64 48",
      "video3": Self.metadata,
      "video4": Self.codec,
      "vbi0": "card Not Video\nformat GREY GREY\nsize 64 48",
    ]) { (cameras) throws in
      let list = VideoDevices.list(in: cameras.folder)
      #expect(list.cameras.map(\.card) == ["Two", "Ten"])
      #expect(list.cameras.map(\.path) == [cameras.path("video2"), cameras.path("video10")])
      #expect(list.broken.isEmpty)
    }
  }

  @Test func `A device that cannot be asked is listed with the reason`() throws {
    try FakeCameras.withCameras([
      "video0": "refuse \(EACCES)\nformat GREY GREY\nsize 64 48",
      "video1": "format GREY GREY\nsize 64 48",
      "video2": "refuse \(EIO)\nformat GREY GREY\nsize 64 48",
    ]) { (cameras) throws in
      let list = VideoDevices.list(in: cameras.folder)
      #expect(list.cameras.map(\.path) == [cameras.path("video1")])
      #expect(list.broken.map(\.path) == [cameras.path("video0"), cameras.path("video2")])
      #expect(
        list.broken.map(\.error.reason) == [.noPermission, .failed(call: "open", number: EIO)]
      )
      #expect(
        reason { _ = try list.camera(cameras.path("video0")) } == .noPermission
      )
    }
  }

  @Test func `Links lead to the device, and do not show it twice`() throws {
    try FakeCameras.withCameras([
      "video0": "card One\nformat GREY GREY\nsize 64 48",
      "video1": "card Other\nformat GREY GREY\nsize 64 48",
    ]) { (cameras) throws in
      // As /dev is: device files elsewhere, with names that udev makes.
      let scratch = try ScratchFolder()
      let folder = scratch.text
      let byID = "\(folder)/v4l/by-id/usb-Maker_One_1234-video-index0"
      let byPath = "\(folder)/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0"
      for parent in ["v4l", "v4l/by-id", "v4l/by-path", "video-folder"] {
        #expect(mkdir("\(folder)/\(parent)", 0o777) == 0)
      }
      try scratch.write("no device", to: "video7")
      for (target, link) in [
        ("video0", byID), ("video0", byPath), ("video0", "\(folder)/video0"),
        ("video1", "\(folder)/video1"), ("video0", "\(folder)/video-front"),
        ("gone", "\(folder)/video9"),
      ] {
        #expect(symlink(cameras.path(target), link) == 0)
      }
      let list = VideoDevices.list(in: folder)
      #expect(list.cameras.map(\.card) == ["One", "Other"])
      #expect(list.broken.isEmpty)
      let one = try #require(list.cameras.first)
      #expect(one.path == cameras.path("video0"))
      #expect(one.byID == byID)
      #expect(one.links == [byID, byPath, "\(folder)/video0", "\(folder)/video-front"])
      #expect(list.cameras.last?.byID == nil)
      for name in [byID, "\(folder)/video-front", cameras.path("video0"), "one", "On"] {
        #expect(try list.camera(name).path == one.path, "\(name)")
      }
      #expect(reason { _ = try list.camera("\(folder)/video7") } == .notVideo)
      #expect(
        reason { _ = try list.camera("\(folder)/nothing") }
          == .notFound(
            instead: ["One (\(cameras.path("video0")))", "Other (\(cameras.path("video1")))"]
          )
      )
    }
  }

  @Test func `A part of a name must tell cameras apart`() throws {
    try FakeCameras.withCameras([
      "video0": "card Studio Cam Left\nformat GREY GREY\nsize 64 48",
      "video1": "card Studio Cam Right\nformat GREY GREY\nsize 64 48",
    ]) { (cameras) throws in
      let list = VideoDevices.list(in: cameras.folder)
      #expect(try list.camera("RIGHT").path == cameras.path("video1"))
      #expect(
        reason { _ = try list.camera("studio") }
          == .ambiguous([cameras.path("video0"), cameras.path("video1")])
      )
      #expect(
        reason { _ = try list.camera("phone") }
          == .notFound(
            instead: [
              "Studio Cam Left (\(cameras.path("video0")))",
              "Studio Cam Right (\(cameras.path("video1")))",
            ]
          )
      )
      #expect(try list.firstCamera().card == "Studio Cam Left")
    }
  }

  @Test func `Without cameras it says that there are none, or why`() throws {
    let scratch = try ScratchFolder()
    let none = VideoDevices.list(in: scratch.text)
    #expect(none.cameras.isEmpty && none.broken.isEmpty)
    #expect(reason { _ = try none.firstCamera() } == .notFound(instead: []))
    try FakeCameras.withCameras(["video0": "refuse \(EACCES)\nformat GREY GREY\nsize 64 48"]) {
      let list = VideoDevices.list(in: $0.folder)
      #expect(reason { _ = try list.firstCamera() } == .noPermission)
    }
  }

  @Test func `Where a camera looks is asked of it, and guessed only of cables`() throws {
    func control(_ value: Int) -> String {
      "format GREY GREY\nsize 64 48\ncontrol 0x9a0922 3 0 2 1 \(value) Camera Orientation\nflags 0x9a0922 4"
    }
    try FakeCameras.withCameras([
      "video0": "bus platform:csi\n" + control(0),
      "video1": "bus platform:csi\n" + control(1),
      "video2": "bus usb-0000:00:14.0-1\n" + control(0),
      "video3": "bus usb-0000:00:14.0-2\nformat GREY GREY\nsize 64 48",
      "video4": "bus platform:csi\nformat GREY GREY\nsize 64 48",
      "video5": Descriptions.board,
    ]) { (cameras) throws in
      let list = VideoDevices.list(in: cameras.folder)
      #expect(
        list.cameras.map(\.facing) == [.front, .back, .front, .external, .unknown, .back]
      )
      #expect(list.cameras.last?.sensorRotation == 90)
      #expect(list.cameras.first?.sensorRotation == nil)
      #expect(try list.camera(facing: .back).path == cameras.path("video1"))
      #expect(try list.camera(facing: .front).path == cameras.path("video0"))
    }
  }

  @Test func `Formats come with sizes and intervals, and those of libv4l2 are marked`() throws {
    let description = """
      rate 20
      format MJPG Motion-JPEG
      size 1280 720
      size 640 480
      format YUYV YUYV 4:2:2
      range 16 1920 8 32 1088 2
      """
    try FakeCameras.withCamera(description) { (device) throws in
      let formats = try device.formats()
      let own = formats.filter { !$0.isEmulated }
      #expect(own.map(\.code) == [FourCC("MJPG"), FourCC("YUYV")])
      #expect(own.map(\.title) == ["Motion-JPEG", "YUYV 4:2:2"])
      #expect(own.map(\.isCompressed) == [true, false])
      #expect(own[0].sizes.map(\.width.least) == [1280, 640])
      #expect(own[0].sizes.allSatisfy { $0.isSingle })
      #expect(own[0].sizes[0].intervals.map(\.shortest.rate) == [20, 10])
      #expect(own[1].sizes.map(\.width) == [SteppedRange(16, 1920, step: 8)])
      #expect(own[1].sizes.map(\.height) == [SteppedRange(32, 1088, step: 2)])
      #expect(own[1].sizes[0].intervals.count == 2)
      #expect(formats.contains { $0.isEmulated && $0.pixelFormat == .rgb24 })
      #expect(formats.last?.isEmulated == true)
    }
  }

  @Test func `Looking at a camera changes nothing and disturbs no stream`() throws {
    try FakeCameras.withCameras(["video0": Descriptions.webcam]) { (cameras) throws in
      let device = try VideoDevice(opening: cameras.path("video0"))
      let stream = try device.start(.yuyv)
      _ = try stream.next(timeout: .seconds(5))
      let list = VideoDevices.list(in: cameras.folder)
      #expect(list.cameras.count == 1)
      #expect(list.cameras.first?.controls.count == 9)
      for number in 1..<10 {
        #expect(try stream.next(timeout: .seconds(5)).sequence == UInt32(number))
      }
    }
  }

  @Test func `A camera of several sockets is set to the wanted one`() throws {
    let description = """
      input Tuner
      silent S-Video
      input Camera
      format GREY GREY
      size 64 48
      """
    try FakeCameras.withCamera(description) { (device) throws in
      #expect(try device.inputs().map(\.name) == ["Tuner", "S-Video", "Camera"])
      #expect(try device.inputs().map(\.hasSignal) == [true, false, true])
      #expect(try device.inputs().map(\.isSelected) == [true, false, false])
      try device.selectInput(2)
      #expect(try device.inputs().map(\.isSelected) == [false, false, true])
      #expect(try device.describe().inputs.last?.isSelected == true)
      #expect(reason { try device.selectInput(3) } != nil)
    }
    try FakeCameras.withCamera(Descriptions.webcam) { (device) throws in
      // Its only one is left alone.
      try device.selectInput(5)
      #expect(try device.inputs().map(\.isSelected) == [true])
    }
  }
}
