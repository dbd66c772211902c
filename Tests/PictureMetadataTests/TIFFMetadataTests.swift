import Testing

@testable import PictureMetadata

/// EXIF of TIFF files that lie about where things are.
@Suite("EXIF of hostile TIFF files")
struct TIFFMetadataTests {
  private func number(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A BigTIFF whose only entry leads to the EXIF directory, followed by another directory.
  private func big(exif: Int, next: Int, first: Int = 16) -> [UInt8] {
    Array("II".utf8) + number(43, 2) + number(8, 2) + number(0, 2) + number(first, 8)
      + number(1, 8) + number(0x8769, 2) + number(4, 2) + number(1, 8) + number(exif, 8)
      + number(next, 8)
  }

  private func exif(_ file: [UInt8], page: Int = 0) -> [UInt8]? {
    TIFFMetadata { offset, count in
      offset < 0 || offset >= file.count ? [] : Array(file[offset...].prefix(count))
    }?
    .exif(page: page)?.block
  }

  @Test(
    "places beyond any file's end lead nowhere",
    arguments: [Int.max, Int.max - 7, 1 << 62, 60]
  )
  func places(_ place: Int) {
    #expect(exif(big(exif: place, next: 0)) == nil)
    #expect(exif(big(exif: 0, next: place), page: 1) == nil)
    #expect(exif(big(exif: 0, next: 0, first: place)) == nil)
  }

  @Test("directories that lead to themselves end")
  func rings() {
    #expect(exif(big(exif: 16, next: 16)) == nil)
    #expect(exif(big(exif: 16, next: 16), page: 1000) == nil)
  }
}
