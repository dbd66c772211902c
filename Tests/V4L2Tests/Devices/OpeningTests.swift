import CV4L2
import Glibc
import Testing

@testable import V4L2

@Suite struct OpeningTests {
  @Test(arguments: [
    (ENOENT, VideoError.Reason.notFound(instead: [])),
    (ENXIO, .notFound(instead: [])),
    (EACCES, .noPermission),
    (EBUSY, .busy(by: [])),
    (EIO, .failed(call: "open", number: EIO)),
  ])
  func `A device that does not open says why`(number: Int32, wanted: VideoError.Reason) {
    let camera = ScriptedCamera()
    camera.failures["open"] = [number]
    #expect(reason { _ = try VideoDevice(opening: "/dev/video7", camera) } == wanted)
    #expect(camera.made == ["open"])
  }

  @Test func `What is no camera is closed again`() {
    let plain = ScriptedCamera()
    plain.failures["VIDIOC_QUERYCAP"] = [ENOTTY]
    #expect(reason { _ = try VideoDevice(opening: "/dev/null", plain) } == .notVideo)
    #expect(plain.made.last == "close")
    let library = ScriptedCamera()
    library.failures["v4l2_fd_open"] = [ENODEV]
    #expect(reason { _ = try VideoDevice(opening: "/dev/video7", library) } != nil)
    #expect(library.made.last == "close")
  }

  @Test func `Only what takes pictures by itself is a camera`() {
    let streaming = V4L2_CAP_STREAMING
    for (flags, isCamera) in [
      (V4L2_CAP_VIDEO_CAPTURE | streaming, true),
      (V4L2_CAP_VIDEO_CAPTURE_MPLANE | streaming, true),
      (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE, false),
      (V4L2_CAP_META_CAPTURE | streaming, false),
      (V4L2_CAP_VIDEO_OUTPUT | streaming, false),
      (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_M2M | streaming, false),
      (V4L2_CAP_VIDEO_CAPTURE_MPLANE | V4L2_CAP_VIDEO_M2M_MPLANE | streaming, false),
      (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_IO_MC | streaming, false),
    ] {
      var answer = v4l2_capability()
      answer.capabilities = UInt32(flags)
      #expect(Capabilities(answer).isCamera == isCamera, "\(flags)")
      // What the node itself says counts more than what is said of the whole device.
      answer.capabilities =
        UInt32(V4L2_CAP_VIDEO_CAPTURE | streaming) | UInt32(V4L2_CAP_DEVICE_CAPS)
      answer.device_caps = UInt32(flags)
      #expect(Capabilities(answer).isCamera == isCamera, "\(flags)")
    }
  }

  @Test(arguments: [
    ("Cam One: Cam One", "Cam One"),
    ("HD Pro Webcam C920: HD Pro Webc", "HD Pro Webcam C920"),
    ("Integrated Camera: Integrated C", "Integrated Camera"),
    ("USB: 2.0 Camera", "USB: 2.0 Camera"),
    ("A: B: A: B", "A: B"),
    ("Camera:", "Camera:"),
    ("vivid", "vivid"),
  ])
  func `A name that the driver repeats is there once`(card: String, shown: String) {
    var answer = v4l2_capability()
    withUnsafeMutableBytes(of: &answer.card) { $0.copyBytes(from: card.utf8.prefix(31)) }
    #expect(Capabilities(answer).card == shown)
  }

  @Test func `A name without an end, or of other bytes than text, is read`() {
    var answer = v4l2_capability()
    withUnsafeMutableBytes(of: &answer.card) { bytes in
      for index in bytes.indices { bytes[index] = 0x41 }
      bytes[3] = 0xff
    }
    #expect(Capabilities(answer).card == "AAA\u{fffd}" + String(repeating: "A", count: 28))
  }
}
