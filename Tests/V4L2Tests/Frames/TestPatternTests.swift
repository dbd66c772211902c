import TestSupport
import Testing
import V4L2
import Vips

@Suite struct TestPatternTests {
  static let sizes = [(32, 32), (33, 47), (64, 64), (101, 57), (320, 240), (641, 481), (240, 320)]

  private func pattern(_ width: Int, _ height: Int) throws -> TestPattern {
    try #require(TestPattern(width: width, height: height))
  }

  private func bitmap(_ frame: CapturedFrame) throws -> Bitmap {
    if frame.format.pixelFormat == .mjpeg { return try decodedBitmap(frame.jpeg()) }
    return try frame.bitmap()
  }

  /// The mean of the middle of a bar.
  private func bar(_ index: Int, of picture: Bitmap) -> [Double] {
    let left = (8 * index + 2) * picture.width / 64
    let right = (8 * index + 6) * picture.width / 64
    let bottom = picture.height * 3 / 8 - max(2, picture.height / 16)
    var sums = [Double](repeating: 0, count: picture.bands)
    for y in 0..<bottom {
      for x in left..<right {
        for band in sums.indices {
          sums[band] += Double(picture.samples[(y * picture.width + x) * picture.bands + band])
        }
      }
    }
    return sums.map { $0 / Double(bottom * (right - left)) }
  }

  @Test func sizesFrom32To65535AreThere() {
    #expect(TestPattern(width: 31, height: 32) == nil)
    #expect(TestPattern(width: 32, height: 31) == nil)
    #expect(TestPattern(width: 65_536, height: 32) == nil)
    #expect(TestPattern(width: 65_535, height: 32) != nil)
  }

  @Test func theSameNumberGivesTheSameBytes() throws {
    for format in V4L2.PixelFormat.allCases {
      let first = try pattern(100, 60).frame(number: 77, as: format, padding: 2)
      let second = try pattern(100, 60).frame(number: 77, as: format, padding: 2)
      let third = try pattern(100, 60).frame(number: 78, as: format, padding: 2)
      #expect(first.bytes == second.bytes)
      #expect(first.bytes != third.bytes)
      #expect(first.sequence == 77 && third.sequence == 78)
    }
  }

  @Test(arguments: sizes)
  func everyNumberIsReadBack(_ width: Int, _ height: Int) throws {
    let pattern = try pattern(width, height)
    for number in [0, 1, 2, 63, 64, 9999, 54_321, 0x55555, 0xAAAAA, TestPattern.lastNumber] {
      #expect(TestPattern.frameNumber(in: pattern.bitmap(number: number)) == number)
    }
    #expect(TestPattern.frameNumber(in: pattern.bitmap(number: TestPattern.lastNumber + 8)) == 7)
  }

  @Test func aFrameOfEachFormatHasTheSizeItSays() throws {
    for (width, height) in Self.sizes {
      for format in V4L2.PixelFormat.allCases {
        let frame = try pattern(width, height).frame(number: 4, as: format, padding: 3)
        #expect(frame.format.width == width && frame.format.height == height)
        if format == .mjpeg {
          #expect(frame.bytes.count <= frame.format.imageSize && frame.format.bytesPerLine == 0)
          #expect(try MotionJPEG.size(of: frame.bytes) == (width, height))
        } else {
          #expect(frame.bytes.count == frame.format.imageSize)
        }
      }
    }
  }

  @Test(.vips, arguments: V4L2.PixelFormat.allCases)
  func numbersAreReadBackInEveryFormat(_ format: V4L2.PixelFormat) throws {
    for (width, height) in Self.sizes {
      let pattern = try pattern(width, height)
      for number in [0, 12_345, 0x55555] {
        let picture = try bitmap(pattern.frame(number: number, as: format, padding: 1))
        #expect(TestPattern.frameNumber(in: picture) == number, "\(width) × \(height)")
      }
    }
  }

  @Test(.vips) func numbersSurviveStrongCompressionAndReduction() throws {
    for (width, height) in [(64, 64), (320, 240), (1001, 750)] {
      for number in [1, 0x2AAAA, 77_777] {
        let original = try pattern(width, height).bitmap(number: number)
        let image = try Image(
          pixels: original.samples,
          width: width,
          height: height,
          bands: 3
        )
        let squeezed = try decodedJPEG(encodedJPEG(image, [.init("Q", .int(30))]))
        let small = try squeezed.call(
          "resize",
          [.init("scale", .double(0.25))]
        )
        let read = TestPattern.frameNumber(
          in: Bitmap(
            width: small.width,
            height: small.height,
            bands: 3,
            samples: try small.pixels()
          )
        )
        #expect(read == number, "\(width) × \(height)")
      }
    }
  }

  @Test(.vips) func aTurnedPictureTellsHowItLies() throws {
    let number = 4242
    let upright = try pattern(96, 64).bitmap(number: number)
    let image = try Image(pixels: upright.samples, width: 96, height: 64, bands: 3)
    // What makes each orientation of the upright picture: libvips' own turns and flips.
    let turn = { (image: Image, angle: String) throws -> Image in
      try image.call("rot", [.init("angle", .enumeration(angle))])
    }
    let flip = { (image: Image) throws -> Image in
      try image.call("flip", [.init("direction", .enumeration("horizontal"))])
    }
    let lying = [
      image, try flip(image), try turn(image, "d180"), try turn(flip(image), "d180"),
      try turn(flip(image), "d270"), try turn(image, "d270"),
      try turn(flip(image), "d90"), try turn(image, "d90"),
    ]
    for (index, picture) in lying.enumerated() {
      let stored = Bitmap(
        width: picture.width,
        height: picture.height,
        bands: 3,
        samples: try picture.pixels()
      )
      #expect(
        TestPattern.reading(of: stored) == .init(number: number, orientation: index + 1)
      )
      #expect((TestPattern.frameNumber(in: stored) == number) == (index == 0))
    }
  }

  @Test func noOtherPictureHasANumber() throws {
    let gray = Bitmap(
      width: 50,
      height: 50,
      bands: 1,
      samples: Array(repeating: 90, count: 2500)
    )
    #expect(TestPattern.reading(of: gray) == nil)
    var dice = Dice(3)
    let noise = Bitmap(
      width: 16,
      height: 8,
      bands: 3,
      samples: (0..<(16 * 8 * 3)).map { _ in UInt8(dice.next(0...255)) }
    )
    #expect(TestPattern.reading(of: noise) == nil)
    var torn = try pattern(64, 64).bitmap(number: 700)
    // A cell of the number turns from white to black or back.
    for y in 24..<32 {
      for x in 56..<60 {
        for band in 0..<3 {
          let place = (y * 64 + x) * 3 + band
          torn.samples[place] = 255 - torn.samples[place]
        }
      }
    }
    #expect(TestPattern.frameNumber(in: torn) == nil)
  }

  @Test(.vips, arguments: V4L2.PixelFormat.allCases)
  func barsHaveTheirColorsInEveryFormat(_ format: V4L2.PixelFormat) throws {
    // In bars of four columns that begin on odd ones, no color is all by itself in its samples.
    for (width, height) in Self.sizes where width != 33 {
      let picture = try bitmap(pattern(width, height).frame(number: 31, as: format))
      for (index, color) in TestPattern.bars.enumerated() {
        let gray =
          0.299 * Double(color[0]) + 0.587 * Double(color[1]) + 0.114 * Double(color[2])
        let wanted = format == .grey ? [gray] : color.map(Double.init)
        for (found, exact) in zip(bar(index, of: picture), wanted) {
          #expect(
            abs(found - exact) <= 3,
            "bar \(index) of \(width) × \(height): \(found), \(exact)"
          )
        }
      }
    }
  }

  /// One test picture of blocks, in four formats of two matrices: the means of blocks agree.
  @Test(.vips, arguments: [FrameFormat.Matrix.bt601, .bt709, .bt2020])
  func blocksAgreeAcrossFormats(_ matrix: FrameFormat.Matrix) throws {
    for (width, height) in [(64, 64), (320, 240), (640, 480), (333, 251)] {
      let pattern = try pattern(width, height)
      let pictures = try [V4L2.PixelFormat.yuyv, .uyvy, .nv12, .mjpeg, .rgb24, .bgr24].map {
        try bitmap(pattern.frame(number: 1234, as: $0, matrix: matrix, padding: 6))
      }
      for index in TestPattern.bars.indices {
        let means = pictures.map { bar(index, of: $0) }
        for band in 0..<3 {
          let levels = means.map { $0[band] }
          let spread = (levels.max() ?? 0) - (levels.min() ?? 0)
          #expect(spread <= 3, "bar \(index), band \(band) of \(width) × \(height): \(levels)")
        }
      }
    }
  }

  @Test func aFrameWithoutTablesIsTheSameFrame() throws {
    let pattern = try pattern(120, 90)
    let bare = pattern.frame(number: 6, as: .mjpeg, huffmanTables: false)
    let whole = pattern.frame(number: 6, as: .mjpeg)
    #expect(bare.bytes.count == whole.bytes.count - 420)
    #expect(try bare.jpeg() == whole.bytes)
    #expect(try MotionJPEG.withoutTables(whole.bytes) == bare.bytes)
  }

  @Test func somethingMovesFromFrameToFrame() throws {
    let pattern = try pattern(320, 240)
    let ramp = 225 * 320 * 3
    let rows = [0, 30, 63].map { Array(pattern.bitmap(number: $0).samples[ramp..<(ramp + 960)]) }
    // The red block stands left, in the middle, and right.
    let lefts = rows.map { row in
      (0..<320).first { Array(row[(3 * $0)..<(3 * $0 + 3)]) == [191, 0, 0] }
    }
    #expect(lefts == [0, 133, 280])
  }
}
