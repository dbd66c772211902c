import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("A JPEG decoded in one go is what libvips decodes", .vips)
struct JPEGInMemoryTests {
  private func decoded(_ bytes: [UInt8], _ reduction: Int) throws -> Image? {
    let header = try stored(bytes, .jpeg)
    return try JPEGInMemory(bytes: bytes, header: header).pixels(reduction: reduction)
  }

  /// What libvips' own loader gives.
  private func wanted(_ bytes: [UInt8], _ reduction: Int) throws -> Image {
    try load(
      "jpegload_source",
      from: Source(bytes: bytes),
      [.init("shrink", .int(reduction)), .init("fail-on", .enumeration("truncated"))]
    )
  }

  @Test(
    "to the last bit, of every kind of coding and every remainder of a size",
    arguments: [
      [], [Argument("interlace", .bool(true))], [Argument("subsample-mode", .enumeration("off"))],
      [Argument("optimize-coding", .bool(true)), Argument("Q", .int(30))],
      [Argument("interlace", .bool(true)), Argument("subsample-mode", .enumeration("off"))],
    ]
  )
  func same(_ options: [Argument]) throws {
    for (width, height) in [(1, 1), (7, 3), (16, 16), (33, 17), (65, 8), (120, 91), (8, 200)] {
      for bands in [1, 3] {
        let bytes = try NaivePicture.synthetic(width, height, bands: bands).encoded(.jpeg, options)
        for reduction in [1, 2, 4, 8] where width >= reduction && height >= reduction {
          let made = try #require(try decoded(bytes, reduction))
          let wanted = try wanted(bytes, reduction)
          #expect((made.width, made.height) == (wanted.width, wanted.height))
          #expect(made.bands == wanted.bands && made.interpretation == wanted.interpretation)
          let isSame = try made.pixels() == wanted.pixels()
          #expect(isSame, "\(width) × \(height), \(bands) bands, \(reduction)")
        }
      }
    }
  }

  @Test("with the metadata of the file, and rows that can be read in any order")
  func metadata() throws {
    let plain = try NaivePicture.synthetic(64, 48).encoded(.jpeg, profile: ICCProfile.sRGB.bytes)
    let bytes = inserting(0xe1, exifBlock(orientation: 6), into: plain)
    let made = try #require(try decoded(bytes, 2))
    #expect(made.int("orientation") == 6)
    #expect(made.blob("icc-profile-data") == ICCProfile.sRGB.bytes)
    #expect(made.isInMemory)
    #expect(try made.rotate(quarterTurns: 1).pixels().count == 32 * 24 * 3)
  }

  @Test("what is unusual is left to libvips: inks, warnings, and files that end early")
  func unusual() throws {
    let bytes = try NaivePicture.synthetic(64, 48).encoded(.jpeg)
    #expect(try decoded(bytes, 1) != nil)
    #expect(try decoded(Array(bytes.dropLast(300)), 1) == nil)
    #expect(try decoded(Array(bytes.dropLast(2)), 1) == nil)
    var scratched = bytes
    for place in (bytes.count - 200)..<(bytes.count - 190) { scratched[place] = 0xd9 }
    #expect(try decoded(scratched, 1) == nil)
    let inks = try NaivePicture.synthetic(32, 32, bands: 4).image().copy(interpretation: .cmyk)
    #expect(try decoded(inks.encoded(.jpeg), 1) == nil)
  }

  @Test("the corpus: the same, or left to libvips", .enabled(if: Corpus.isThere))
  func corpus() throws {
    var compared = 0
    for line in try contents(of: Corpus.table).split(separator: UInt8(ascii: "\n")) {
      let name = Path(bytes: line.prefix { $0 != UInt8(ascii: "\t") })
      guard let file = try? contents(of: Corpus.path.appending(name)), file.count < 1 << 20,
        file.starts(with: [0xff, 0xd8, 0xff]), let header = try? stored(file, .jpeg)
      else { continue }
      for reduction in [1, 4] {
        let direct = JPEGInMemory(bytes: file, header: header)
        guard let made = try direct.pixels(reduction: reduction) else { continue }
        let wanted = try wanted(file, reduction)
        #expect(try made.pixels() == wanted.pixels(), "\(name.shown)")
        compared += 1
      }
    }
    #expect(compared > 100)
  }
}
