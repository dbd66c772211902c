import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// libvips takes luma and chroma in planes of their own for red, green and blue.
@Suite("TIFF with colors in planes", .vips)
struct SeparateChromaTests {
  /// A TIFF of three planes, 4 × 4 pixels each, not compressed (TIFF 6.0, section 8).
  private func planes(photometric: Int, planar: Int) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let samples = (0..<48).map { UInt8($0 * 5) }
    let entries: [(Int, Int, Int, Int)] = [
      (256, 3, 1, 4), (257, 3, 1, 4), (258, 3, 3, 56), (259, 3, 1, 1), (262, 3, 1, photometric),
      planar == 2 ? (273, 4, 3, 64) : (273, 4, 1, 8), (277, 3, 1, 3), (278, 3, 1, 4),
      planar == 2 ? (279, 4, 3, 76) : (279, 4, 1, 48), (284, 3, 1, planar),
      // Each pixel has its own chroma.
      (530, 3, 2, 1 | 1 << 16),
    ]
    let offsets = number(8, 4) + number(24, 4) + number(40, 4)
    let counts = number(16, 4) + number(16, 4) + number(16, 4)
    var file = Array("II".utf8) + number(42, 2) + number(88, 4) + samples
    file += number(8, 2) + number(8, 2) + number(8, 2) + number(0, 2) + offsets + counts
    file += number(entries.count, 2)
    for (tag, type, count, value) in entries {
      file += number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
    }
    return file + number(0, 4)
  }

  @Test("luma and chroma in planes are refused; in RGB, or side by side, they are read")
  func refused() throws {
    let bench = try Workbench("[[output]]\nformat = \"png\"\n")
    let refused = try bench.process(planes(photometric: 6, planar: 2), named: "a.tif")
    #expect(refused.result.error?.code == .unsupported)
    let rgb = try bench.process(planes(photometric: 2, planar: 2), named: "b.tif")
    #expect(try rgb.picture().pixel(1, 0) == [5, 85, 165])
    let mixed = try bench.process(planes(photometric: 6, planar: 1), named: "c.tif")
    #expect(mixed.result.error == nil)
  }

  @Test(
    "one of the corpus is refused",
    .enabled(if: Corpus.isThere, "there is no corpus of pictures beside the package")
  )
  func corpus() throws {
    let bench = try Workbench("[[output]]\nformat = \"png\"\n")
    let file = Corpus.path.appending("tiff/twelvemonkeys/planar-yuv444-jpeg-lzw.tif")
    #expect(try bench.process(file).result.error?.code == .unsupported)
  }
}
