import TestSupport
import Testing
import V4L2

@Suite struct BitmapTests {
  @Test func whiteBlackAndRedOfLimitedRangeBecomeFull() throws {
    // The last two pairs are red of BT.601; a quarter of the pixel before them is white.
    let bytes: [UInt8] = [235, 128, 16, 128, 16, 128, 235, 128, 81, 90, 81, 240, 81, 90, 81, 240]
    let picture = try frame(.yuyv, 8, 1, bytesPerLine: 16, range: .limited, bytes).bitmap()
    #expect(picture.width == 8 && picture.height == 1 && picture.bands == 3)
    #expect(Array(picture.samples[0..<12]) == [255, 255, 255, 0, 0, 0, 0, 0, 0, 255, 236, 236])
    #expect(Array(picture.samples[18..<24]) == [255, 0, 0, 255, 0, 0])
  }

  @Test func theSameFrameOfFullRangeIsNotExpanded() throws {
    let bytes: [UInt8] = [235, 128, 16, 128]
    let picture = try frame(.yuyv, 2, 1, bytesPerLine: 4, bytes).bitmap()
    #expect(picture.samples == [235, 235, 235, 16, 16, 16])
  }

  @Test func uyvyIsYuyvWithItsBytesSwapped() throws {
    var dice = Dice(1)
    let bytes = (0..<(6 * 32)).map { _ in UInt8(dice.next(0...255)) }
    let swapped = bytes.indices.map { bytes[$0 ^ 1] }
    let yuyv = try frame(.yuyv, 16, 6, bytesPerLine: 32, range: .limited, bytes).bitmap()
    let uyvy = try frame(.uyvy, 16, 6, bytesPerLine: 32, range: .limited, swapped).bitmap()
    #expect(yuyv == uyvy)
  }

  @Test func bgr24IsRgb24BackToFront() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12, 99, 99]
    let rgb = try frame(.rgb24, 2, 2, bytesPerLine: 8, bytes).bitmap()
    let bgr = try frame(.bgr24, 2, 2, bytesPerLine: 8, bytes).bitmap()
    #expect(rgb.samples == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    #expect(bgr.samples == [3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10])
  }

  @Test func greyHasOneBand() throws {
    let bytes: [UInt8] = [0, 50, 255, 99, 16, 126, 235, 99]
    let picture = try frame(.grey, 3, 2, bytesPerLine: 4, bytes).bitmap()
    #expect(picture.bands == 1)
    #expect(picture.samples == [0, 50, 255, 16, 126, 235])
    let limited = try frame(.grey, 3, 2, bytesPerLine: 4, range: .limited, bytes).bitmap()
    #expect(limited.samples == [0, 40, 255, 0, 128, 255])
  }

  @Test(arguments: [V4L2.PixelFormat.rgb24, .bgr24])
  func colorsOfLimitedRangeBecomeFull(_ format: V4L2.PixelFormat) throws {
    let bytes: [UInt8] = [16, 16, 16, 235, 235, 235, 126, 126, 126]
    let picture = try frame(format, 3, 1, bytesPerLine: 9, range: .limited, bytes).bitmap()
    #expect(picture.samples == [0, 0, 0, 255, 255, 255, 128, 128, 128])
  }

  struct Form: CustomTestStringConvertible {
    let format: V4L2.PixelFormat
    let matrix: FrameFormat.Matrix
    let range: FrameFormat.Range
    var testDescription: String { "\(format) \(matrix) \(range)" }
  }

  static let forms = [V4L2.PixelFormat.yuyv, .uyvy, .nv12].flatMap { format in
    [FrameFormat.Matrix.bt601, .bt709, .bt2020].flatMap { matrix in
      [FrameFormat.Range.limited, .full].map { Form(format: format, matrix: matrix, range: $0) }
    }
  }

  @Test(arguments: forms)
  func anyBytesBecomeWhatTheFormulasSay(_ form: Form) throws {
    var dice = Dice(7)
    // Odd sides, one pixel, one pair, rows with padding.
    for (width, height) in [(1, 1), (2, 2), (3, 1), (1, 3), (7, 5), (16, 8), (33, 17)] {
      let used = form.format == .nv12 ? (width + 1) / 2 * 2 : (width + 1) / 2 * 4
      let bytesPerLine = used + dice.next(0...9)
      let rows = form.format == .nv12 ? height + (height + 1) / 2 : height
      // As short as it may be: the last row has no padding.
      let bytes = (0..<((rows - 1) * bytesPerLine + used)).map { _ in UInt8(dice.next(0...255)) }
      let frame = frame(
        form.format,
        width,
        height,
        bytesPerLine: bytesPerLine,
        matrix: form.matrix,
        range: form.range,
        bytes
      )
      let picture = try frame.bitmap()
      let naive = NaiveConversion(frame: frame)
      for y in 0..<height {
        for x in 0..<width {
          let start = (y * width + x) * 3
          for (found, exact) in zip(picture.samples[start...], naive.pixel(x, y)) {
            #expect(abs(Double(found) - exact) < 0.8, "\(width) × \(height) at \(x), \(y)")
          }
        }
      }
    }
  }

  @Test(arguments: [V4L2.PixelFormat.yuyv, .uyvy, .nv12, .grey, .rgb24, .bgr24])
  func aShortFrameIsAnErrorThatTellsHowShort(_ format: V4L2.PixelFormat) throws {
    let pattern = try #require(TestPattern(width: 33, height: 35))
    var frame = pattern.frame(number: 5, as: format, padding: 3)
    // The padding of the last row may be missing, a pixel may not.
    frame.bytes.removeLast(3)
    _ = try frame.bitmap()
    frame.bytes.removeLast()
    let count = frame.bytes.count
    #expect(throws: FrameError.short(expected: count + 1, received: count)) {
      try frame.bitmap()
    }
    #expect(throws: FrameError.short(expected: count + 1, received: count)) {
      try frame.meanLuma()
    }
  }

  @Test func rowsShorterThanTheirPixelsAreAnError() {
    let bytes = [UInt8](repeating: 0, count: 1000)
    let short: [(V4L2.PixelFormat, Int, Int)] = [
      (.yuyv, 5, 11), (.uyvy, 4, 7), (.nv12, 5, 5), (.grey, 5, 4), (.rgb24, 5, 14),
      (.bgr24, 0, 10), (.rgb24, -4, 10), (.grey, 70_000, 70_000), (.grey, 4, Int.max),
    ]
    for (format, width, bytesPerLine) in short {
      let frame = frame(format, width, 2, bytesPerLine: bytesPerLine, bytes)
      #expect(
        throws: FrameError.badLayout(width: width, height: 2, bytesPerLine: bytesPerLine),
        "\(format) \(width)"
      ) { try frame.bitmap() }
    }
  }

  @Test func aJPEGHasNoPixelsAndPixelsAreNoJPEG() throws {
    let pattern = try #require(TestPattern(width: 32, height: 32))
    #expect(throws: FrameError.compressed) { try pattern.frame(number: 0, as: .mjpeg).bitmap() }
    #expect(throws: FrameError.notCompressed) { try pattern.frame(number: 0, as: .yuyv).jpeg() }
  }
}
