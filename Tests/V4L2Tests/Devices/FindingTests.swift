import TestSupport
import Testing
import V4L2

@Suite(.enabled(if: FakeCameras.arePossible, "\(FakeCameras.reason)"))
struct FindingTests {
  @Test func smoke() throws {
    let cameras = try FakeCameras([
      "video0": """
      card Cam One: Cam One
      format MJPG Motion-JPEG
      size 640 480
      format YUYV YUYV 4:2:2
      size 640 480
      size 320 240 pad=64
      """
    ])
    let list = VideoDevices.list(in: cameras.folder)
    let device = try VideoDevice(opening: cameras.path("video0"))
    let choice = try FormatWish(size: .low, pixelFormat: .yuyv).choice(from: try device.formats(), of: "x")
    print(try device.setFormat(choice))
    let stream = try device.start()
    let first = try stream.next(timeout: .seconds(5))
    print(first.sequence, first.time, first.bytes.count, try first.meanLuma(), first.bytes.prefix(8))
    print(try stream.newest(timeout: .seconds(5)).sequence, stream.counts)
  }
}
