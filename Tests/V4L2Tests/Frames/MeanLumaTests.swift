import TestSupport
import Testing
import V4L2
import Vips

@Suite struct MeanLumaTests {
  /// The mean of all pixels, as BT.601 weighs their colors.
  private func mean(of picture: Bitmap) -> Double {
    if picture.bands == 1 {
      return picture.samples.reduce(0.0) { $0 + Double($1) } / Double(picture.samples.count)
    }
    var sum = 0.0
    for start in stride(from: 0, to: picture.samples.count, by: 3) {
      sum += 0.299 * Double(picture.samples[start]) + 0.587 * Double(picture.samples[start + 1])
      sum += 0.114 * Double(picture.samples[start + 2])
    }
    return sum / Double(picture.width * picture.height)
  }

  @Test(arguments: V4L2.PixelFormat.allCases)
  func itIsTheMeanOfAllPixels(_ format: V4L2.PixelFormat) throws {
    for (width, height) in [(32, 32), (320, 240), (641, 483)] {
      let pattern = try #require(TestPattern(width: width, height: height))
      let wanted = mean(of: pattern.bitmap(number: 70))
      let found = try pattern.frame(number: 70, as: format, padding: 5).meanLuma()
      #expect(abs(found - wanted) < 4, "\(width) × \(height): \(found) in place of \(wanted)")
    }
  }

  @Test(arguments: V4L2.PixelFormat.allCases)
  func blackIsZeroAndWhiteIsAll(_ format: V4L2.PixelFormat) throws {
    guard format != .mjpeg else { return }
    let isYUV = [.yuyv, .uyvy, .nv12].contains(format)
    for (level, wanted) in [(UInt8(16), 0.0), (235, 255)] {
      var bytes = [UInt8](repeating: level, count: 300)
      if isYUV {
        // The color of both is 128; where it lies is for each format to say.
        for place in bytes.indices {
          let isColor =
            format == .nv12 ? place >= 160 : place % 2 == (format == .yuyv ? 1 : 0)
          if isColor { bytes[place] = 128 }
        }
      }
      let bytesPerLine = format == .nv12 ? 16 : 30
      let width = [.rgb24, .bgr24].contains(format) ? 10 : 14
      let frame = frame(
        format,
        width,
        10,
        bytesPerLine: bytesPerLine,
        range: .limited,
        bytes
      )
      #expect(try abs(frame.meanLuma() - wanted) < 0.01)
    }
  }

  @Test(.vips, arguments: [1, 2, 3, 4, 5, 6])
  func ofAnyJPEGItIsWhatADecoderFinds(_ kind: Int) throws {
    let picture = try Image(
      pixels: noise(width: 160, height: 96, bands: kind == 4 ? 1 : 3),
      width: 160,
      height: 96,
      bands: kind == 4 ? 1 : 3
    )
    let options: [Argument] =
      switch kind {
      case 1: [.init("Q", .int(80))]
      case 2: [.init("Q", .int(95)), .init("subsample-mode", .enumeration("off"))]
      case 3: [.init("Q", .int(30)), .init("subsample-mode", .enumeration("on"))]
      case 4: [.init("Q", .int(90))]
      case 5: [.init("Q", .int(75)), .init("optimize-coding", .bool(true))]
      default: [.init("Q", .int(75)), .init("restart-interval", .int(3))]
      }
    let bytes = try encodedJPEG(picture, options)
    let decoded = try decodedBitmap(bytes)
    let luma = mean(of: decoded)
    let found = try MotionJPEG.meanLuma(of: bytes)
    #expect(abs(found - luma) < 0.6, "\(found) in place of \(luma)")
  }

  @Test func aProgressiveJPEGSaysThatItIsNotRead() throws {
    // Only the frame header says so.
    let pattern = try #require(TestPattern(width: 32, height: 32))
    var bytes = pattern.frame(number: 0, as: .mjpeg).bytes
    let header = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 }
    )
    bytes[header + 1] = 0xC2
    #expect(throws: FrameError.unsupported("a progressive JPEG")) {
      try MotionJPEG.meanLuma(of: bytes)
    }
  }

  @Test func aLostPacketInTheMiddleIsFound() throws {
    let pattern = try #require(TestPattern(width: 640, height: 480))
    let whole = pattern.frame(number: 3, as: .mjpeg)
    let scan = try #require(
      whole.bytes.indices.dropLast().first {
        whole.bytes[$0] == 0xFF && whole.bytes[$0 + 1] == 0xDA
      }
    )
    var lossy = whole
    let middle = (scan + whole.bytes.count) / 2
    lossy.bytes.removeSubrange(middle..<(middle + 1024))
    // Its markers are all there.
    _ = try lossy.jpeg()
    #expect(throws: FrameError.self) { try lossy.meanLuma() }
  }
}
