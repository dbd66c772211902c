import CV4L2
import Glibc
import TestSupport
import Testing

@testable import V4L2

/// What a device delivers, through the kernel and libv4l2.
@Suite(.enabled(if: FakeCameras.arePossible, "\(FakeCameras.reason)"))
struct DeliveryTests {
  private static let raw: [(PixelFormat, String)] = PixelFormat.allCases
    .filter { $0 != .mjpeg }
    .map { ($0, $0.codes[0].description) }

  /// The bars that the camera draws, each at three quarters of full brightness.
  private static let bars: [[Double]] = [
    [191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0],
    [191, 0, 191], [191, 0, 0], [0, 0, 191], [0, 0, 0],
  ]

  /// Weights of BT.601.
  private static func gray(_ color: [Double]) -> Double {
    0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]
  }

  /// The colors in the middle of the bars, and of the white corner.
  private func check(_ frame: CapturedFrame, onlyGray: Bool = false) throws {
    let picture = try frame.bitmap()
    func color(_ x: Int, _ y: Int) -> [Double] {
      let start = (y * picture.width + x) * picture.bands
      return picture.samples[start..<start + picture.bands].map(Double.init)
    }
    for (index, bar) in (Self.bars + [[255, 255, 255]]).enumerated() {
      if onlyGray && Set(bar).count > 1 { continue }
      let isCorner = index == Self.bars.count
      let x = isCorner ? 5 : (2 * index + 1) * picture.width / 16
      let y = isCorner ? picture.height - 2 : 4
      let wanted = picture.bands == 1 ? [Self.gray(bar)] : bar
      for (made, right) in zip(color(x, y), wanted) {
        #expect(
          abs(made - right) <= 3,
          "\(frame.format.pixelFormat), bar \(index): \(made), not \(right)"
        )
      }
    }
    // Nothing of the padding is in the picture.
    let edge = color(picture.width - 1, 4)
    for sample in edge { #expect(sample <= 3) }
  }

  @Test(arguments: raw, [0, 24])
  func `Rows of every pixel format are read by their length`(
    format: (PixelFormat, String),
    padding: Int
  ) throws {
    let description = Descriptions.format(format.1, "64 48 pad=\(padding)")
    try FakeCameras.withCamera(description) { (device) throws in
      let stream = try device.start(format.0)
      let least = FrameLayout.usedBytes(format.0, width: 64)
      #expect(stream.format.frame.bytesPerLine == least + padding)
      let frame = try stream.next(timeout: .seconds(5))
      #expect(frame.bytes.count == stream.format.frame.imageSize)
      try check(frame)
      if padding > 0 { #expect(frame.bytes.contains(0xee)) }
    }
  }

  /// Colors themselves it works out too roughly to be checked.
  @Test(arguments: [PixelFormat.rgb24, .bgr24])
  func `Grays that libv4l2 makes are as bright as those of the device`(format: PixelFormat) throws {
    for code in ["YUYV", "NV12", "YU12"] {
      try FakeCameras.withCamera(Descriptions.format(code, "64 48")) { (device) throws in
        let stream = try device.start(format)
        #expect(stream.format.frame.pixelFormat == format)
        try check(try stream.next(timeout: .seconds(5)), onlyGray: true)
      }
    }
  }

  @Test func `Motion JPEG passes as it is, frame by frame, and none is lost or doubled`() throws {
    let scratch = try ScratchFolder()
    let pattern = try #require(TestPattern(width: 64, height: 48))
    let recorded = (0..<50).map {
      pattern.frame(number: $0, as: .mjpeg, huffmanTables: $0 % 2 == 0).bytes
    }
    let path = try FakeCameras.record(recorded, in: scratch)
    let description = Descriptions.format("MJPG", "64 48 frames=\(path)")
    try FakeCameras.withCamera(description) { (device) throws in
      let stream = try device.start(.mjpeg)
      for number in 0..<300 {
        let frame = try stream.next(timeout: .seconds(5))
        #expect(frame.sequence == UInt32(number))
        #expect(frame.bytes == recorded[number % recorded.count])
      }
      #expect(stream.counts == .init(delivered: 300))
    }
  }

  @Test func `A camera of planes works as any other, and nothing reaches standard output`() throws {
    let description = "multiplanar\n" + Descriptions.format("NV12", "64 48 pad=16")
    try FakeCameras.withCameras(["video0": description]) { (cameras) throws in
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      let saved = dup(1)
      dup2(ends[1], 1)
      let device = try? VideoDevice(opening: cameras.path("video0"))
      fflush(nil)
      dup2(saved, 1)
      close(saved)
      close(ends[1])
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      let count = read(ends[0], &bytes, bytes.count)
      close(ends[0])
      // Tests beside this one may print.
      let printed = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      #expect(!printed.contains("plane"), "\(printed)")

      let opened = try #require(device)
      #expect(try opened.describe().isMultiPlanar)
      let stream = try opened.start(.nv12)
      #expect(stream.format.frame.bytesPerLine == 80)
      for number in 0..<6 {
        let frame = try stream.next(timeout: .seconds(5))
        #expect(frame.sequence == UInt32(number))
        try check(frame)
      }
    }
  }

  @Test func `What another program has set is not trusted`() throws {
    let description = """
      rate 0
      format YUYV YUYV
      size 64 48
      size 320 240
      format GREY GREY
      size 64 48
      """
    try FakeCameras.withCameras(["video0": description]) { (cameras) throws in
      let other = cameras.path("video0").withCString { cv4l2_open($0) }
      var format = v4l2_format()
      format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
      format.fmt.pix.pixelformat = FourCC("YUYV").rawValue
      format.fmt.pix.width = 320
      format.fmt.pix.height = 240
      format.fmt.pix.bytesperline = 768
      #expect(cv4l2_kernel_ioctl(other, CV4L2_S_FMT, &format) == 0)
      #expect(format.fmt.pix.bytesperline == 768)
      cv4l2_close(other)

      let device = try VideoDevice(opening: cameras.path("video0"))
      let near = FormatWish(size: .near(FrameSize(width: 320, height: 240)), pixelFormat: .yuyv)
      let agreed = try device.setFormat(try near.choice(from: try device.formats(), of: ""))
      #expect(agreed.frame.bytesPerLine == 640)
      #expect(agreed.size == FrameSize(width: 320, height: 240))
      try check(try device.start().next(timeout: .seconds(5)))
      let low = FormatWish(size: .near(FrameSize(width: 60, height: 40)), pixelFormat: .grey)
      let again = try device.setFormat(try low.choice(from: try device.formats(), of: ""))
      #expect(again.code == FourCC("GREY"))
      try check(try device.start().next(timeout: .seconds(5)))
    }
  }

  @Test func `The rate is the slowest that is fast enough, and is read back`() throws {
    let description = "rate 40\nformat GREY GREY\nsize 64 48"
    try FakeCameras.withCamera(description) { (device) throws in
      func rate(_ wanted: Double) throws -> Double? {
        let wish = FormatWish(pixelFormat: .grey, rate: wanted)
        return try device.setFormat(try wish.choice(from: try device.formats(), of: "")).interval?
          .rate
      }
      #expect(try rate(10) == 20)
      #expect(try rate(30) == 40)
      #expect(try rate(10) == 20)
    }
  }

  @Test func `After a pause the newest frame is not one from before it`() throws {
    try FakeCameras.withCamera("rate 200\nformat GREY GREY\nsize 64 48") { (device) throws in
      let wish = FormatWish(pixelFormat: .grey, rate: 200)
      _ = try device.setFormat(try wish.choice(from: try device.formats(), of: ""))
      let stream = try device.start()
      _ = try stream.next(timeout: .seconds(5))
      usleep(200_000)
      let before = Kernel().date
      let frame = try stream.newest(timeout: .seconds(5))
      #expect(frame.time >= before)
      #expect(stream.counts.stale >= 4)
      // Four buffers were full, and what came after them is lost.
      #expect(frame.sequence > 10)
      #expect(stream.counts.lost > 0)
    }
  }

  @Test func `A camera that grows bright is waited for`() throws {
    try FakeCameras.withCamera("dark 40\n" + Descriptions.format("YUYV", "64 48")) {
      (device) throws in
      let stream = try device.start(.yuyv)
      let first = try stream.next(timeout: .seconds(5)).meanLuma()
      let result = try stream.warmUp(WarmUp(frames: 5), timeout: .seconds(5))
      #expect(result.isSettled)
      #expect(result.frames > 20)
      let later = try stream.next(timeout: .seconds(5)).meanLuma()
      #expect(later > 10 * first)
    }
  }
}
