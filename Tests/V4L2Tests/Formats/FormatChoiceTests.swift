import Testing

@testable import V4L2

@Suite struct FormatChoiceTests {
  private func size(_ width: Int, _ height: Int, rates: [Int] = [30]) -> OfferedSizes {
    OfferedSizes(
      width: SteppedRange(width),
      height: SteppedRange(height),
      intervals: rates.compactMap { FrameInterval(1, $0) }.map { .init(shortest: $0, longest: $0) }
    )
  }

  private func format(
    _ code: String,
    emulated: Bool = false,
    _ sizes: [OfferedSizes]
  ) -> OfferedFormat {
    OfferedFormat(
      code: FourCC(code),
      title: code,
      isCompressed: code == "MJPG",
      isEmulated: emulated,
      sizes: sizes
    )
  }

  /// As a USB camera with MJPEG at all sizes and YUYV at small ones lists them through libv4l2.
  private var webcam: [OfferedFormat] {
    [
      format("YUYV", [size(640, 480), size(1280, 720, rates: [10]), size(320, 240)]),
      format("MJPG", [size(640, 480), size(1920, 1080), size(1280, 720), size(2592, 1944)]),
      format("H264", [size(3840, 2160)]),
      format("RGB3", emulated: true, [size(640, 480), size(2592, 1944)]),
    ]
  }

  private func choice(
    _ size: FormatWish.Size,
    _ pixelFormat: PixelFormat? = nil,
    rate: Double = 10,
    from formats: [OfferedFormat]? = nil
  ) throws -> String {
    let wish = FormatWish(size: size, pixelFormat: pixelFormat, rate: rate)
    let choice = try wish.choice(from: formats ?? webcam, of: "/dev/video0")
    return "\(choice.code) \(choice.size)" + (choice.isEmulated ? " emulated" : "")
  }

  @Test func `Presets are the largest size and those next to the usual ones`() throws {
    #expect(try choice(.photo) == "MJPG 2592x1944")
    #expect(try choice(.high) == "MJPG 1920x1080")
    #expect(try choice(.medium) == "MJPG 1280x720")
    #expect(try choice(.low) == "MJPG 640x480")
  }

  @Test func `A size that is not there becomes the nearest`() throws {
    #expect(try choice(.near(FrameSize(width: 1000, height: 700))) == "MJPG 1280x720")
    #expect(try choice(.near(FrameSize(width: 300, height: 200))) == "YUYV 320x240")
    #expect(try choice(.near(FrameSize(width: 9000, height: 9000))) == "MJPG 2592x1944")
  }

  @Test func `A wanted pixel format is taken at its own sizes`() throws {
    #expect(try choice(.photo, .yuyv) == "YUYV 1280x720")
    #expect(try choice(.photo, .rgb24) == "RGB3 2592x1944 emulated")
  }

  @Test func `What the device has itself comes before what libv4l2 makes, whatever the size`()
    throws
  {
    let formats = [
      format("GREY", [size(640, 480)]),
      format("RGB3", emulated: true, [size(1920, 1080)]),
    ]
    #expect(try choice(.photo, from: formats) == "GREY 640x480")
    #expect(try choice(.photo, from: [formats[1]]) == "RGB3 1920x1080 emulated")
    let both = [format("RGB3", emulated: true, [size(64, 48)]), format("RGB3", [size(32, 24)])]
    #expect(try choice(.photo, .rgb24, from: both) == "RGB3 32x24")
  }

  @Test func `Of formats of one size, that with the most color and the least work is taken`() throws
  {
    let codes = ["GREY", "NV12", "UYVY", "YUYV", "BGR3", "RGB3", "MJPG"]
    for count in 1...codes.count {
      let formats = codes.prefix(count).map { format($0, [size(64, 48)]) }
      #expect(try choice(.photo, from: formats) == "\(codes[count - 1]) 64x48")
    }
  }

  @Test func `The order of the device decides nothing`() throws {
    for size in [FormatWish.Size.photo, .high, .medium, .low] {
      #expect(try choice(size, from: webcam.reversed()) == choice(size))
    }
  }

  @Test func `Planes in several buffers and unknown formats are not chosen`() throws {
    let formats = [format("NM12", [size(640, 480)]), format("BA81", [size(640, 480)])]
    #expect(reason { _ = try choice(.photo, from: formats) } == .noSuchFormat(offered: []))
    #expect(
      reason { _ = try choice(.photo, .nv12) }
        == .noSuchFormat(offered: ["yuyv", "mjpeg", "rgb24"])
    )
  }

  @Test func `In a range, the wish itself is taken, on a step`() throws {
    let range = OfferedSizes(
      width: SteppedRange(16, 2000, step: 8),
      height: SteppedRange(16, 1200, step: 2),
      intervals: []
    )
    let formats = [format("YUYV", [range])]
    #expect(
      try choice(.near(FrameSize(width: 1001, height: 701)), from: formats) == "YUYV 1000x700"
    )
    #expect(try choice(.photo, from: formats) == "YUYV 2000x1200")
    #expect(try choice(.near(FrameSize(width: 1, height: 9999)), from: formats) == "YUYV 16x1200")
  }

  @Test func `The slowest rate that is fast enough is taken`() throws {
    func rate(_ wanted: Double, _ rates: [Int]) throws -> Double? {
      try FormatWish(rate: wanted)
        .choice(from: [format("MJPG", [size(64, 48, rates: rates)])], of: "").interval?.rate
    }
    #expect(try rate(10, [30, 15, 10, 5]) == 10)
    #expect(try rate(12, [30, 15, 10, 5]) == 15)
    #expect(try rate(10, [5, 7, 2]) == 7)
    #expect(try rate(0, [30]) == 30)
    #expect(try rate(10, []) == nil)
    // NTSC's 29.97 counts as what it is.
    let ntsc = FrameInterval(1001, 30_000)
    #expect(ntsc.map { abs($0.rate - 29.97) < 0.001 } == true)
  }

  @Test func `In a range of rates, the wish itself is taken`() throws {
    let shortest = try #require(FrameInterval(1, 60))
    let longest = try #require(FrameInterval(1, 1))
    var sizes = size(64, 48)
    sizes.intervals = [OfferedIntervals(shortest: shortest, longest: longest)]
    let formats = [format("YUYV", [sizes])]
    func rate(_ wanted: Double) throws -> Double? {
      try FormatWish(rate: wanted).choice(from: formats, of: "").interval?.rate
    }
    #expect(try rate(12.5) == 12.5)
    #expect(try rate(0.5) == 1)
    #expect(try rate(100) == 60)
  }

  @Test func `The nearest number of a range agrees with a search`() {
    for (least, most, step) in [(16, 100, 8), (3, 50, 7), (0, 10, 1), (5, 5, 4), (2, 9, 100)] {
      let range = SteppedRange(least, most, step: step)
      let numbers = Array(stride(from: least, through: most, by: step))
      for wish in -5...120 {
        // `min` takes the first of two as near, which is the smaller.
        let nearest = numbers.min { abs($0 - wish) < abs($1 - wish) }
        #expect(range.nearest(to: wish) == nearest, "\(wish) in \(range)")
      }
    }
  }

  @Test func `Four characters are read and written as V4L2 does`() {
    #expect(FourCC("YUYV").rawValue == 0x5659_5559)
    #expect(FourCC("Y8").description == "Y8")
    #expect(FourCC(rawValue: 0x0001_4159).description == "YA??")
    #expect(PixelFormat(FourCC("JPEG")) == .mjpeg)
    #expect(PixelFormat(FourCC("NM12")) == nil)
    for format in PixelFormat.allCases {
      for code in format.codes { #expect(PixelFormat(code) == format) }
    }
  }
}
