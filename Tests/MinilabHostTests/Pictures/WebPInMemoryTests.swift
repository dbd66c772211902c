import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("A WebP decoded in one go is what libvips decodes", .vips)
struct WebPInMemoryTests {
  private func decoded(_ bytes: [UInt8], _ reduction: Int) throws -> Image? {
    let header = try stored(bytes, .webp)
    return try WebPInMemory(bytes: bytes, header: header).pixels(reduction: reduction)
  }

  /// What libvips' own loader gives.
  private func wanted(_ bytes: [UInt8], _ reduction: Int) throws -> Image {
    let scale = Argument("scale", .double(1 / Double(reduction)))
    return try load(
      "webpload_source",
      from: Source(bytes: bytes),
      (reduction == 1 ? [] : [scale]) + [.init("fail-on", .enumeration("truncated"))]
    )
  }

  @Test(
    "to the last bit, of every kind of coding and every remainder of a size",
    arguments: [
      [], [Argument("Q", .int(20))], [Argument("lossless", .bool(true))],
      [Argument("smart-subsample", .bool(true)), Argument("Q", .int(95))],
    ]
  )
  func same(_ options: [Argument]) throws {
    for (width, height) in [(1, 1), (7, 3), (16, 16), (33, 17), (65, 8), (120, 91), (8, 200)] {
      let bytes = try NaivePicture.synthetic(width, height).encoded(.webp, options)
      for reduction in [1, 2, 3, 4, 5, 8, 16] where min(width, height) >= reduction {
        let made = try #require(try decoded(bytes, reduction))
        let wanted = try wanted(bytes, reduction)
        #expect((made.width, made.height) == (wanted.width, wanted.height), "\(reduction)")
        #expect(made.bands == wanted.bands && made.interpretation == wanted.interpretation)
        let isSame = try made.pixels() == wanted.pixels()
        #expect(isSame, "\(width) × \(height), \(reduction)")
      }
    }
  }

  @Test("with the metadata of the file, and rows that can be read in any order")
  func metadata() throws {
    let bytes = try NaivePicture.synthetic(64, 48).encoded(
      .webp,
      orientation: 6,
      profile: ICCProfile.sRGB.bytes
    )
    let made = try #require(try decoded(bytes, 2))
    #expect(made.int("orientation") == 6)
    #expect(made.blob("icc-profile-data") == ICCProfile.sRGB.bytes)
    #expect(made.isInMemory)
    #expect(try made.rotate(quarterTurns: 1).pixels().count == 32 * 24 * 3)
  }

  @Test("what is unusual is left to libvips: transparency, animations, and files that end early")
  func unusual() throws {
    let bytes = try NaivePicture.synthetic(64, 48).encoded(.webp)
    #expect(try decoded(bytes, 1) != nil)
    let header = try stored(bytes, .webp)
    for missing in [2, 300, bytes.count - 40] {
      let short = WebPInMemory(bytes: Array(bytes.dropLast(missing)), header: header)
      #expect(try short.pixels(reduction: 1) == nil, "\(missing)")
    }
    #expect(try decoded(NaivePicture.synthetic(32, 32, bands: 4).encoded(.webp), 1) == nil)
    let film = try NaivePicture.synthetic(32, 64).image().copy()
    film.set("page-height", int: 32)
    #expect(try decoded(film.encoded(.webp), 1) == nil)
  }

  @Test("the corpus: the same, or left to libvips", .enabled(if: Corpus.isThere))
  func corpus() throws {
    var compared = 0
    for line in try contents(of: Corpus.table).split(separator: UInt8(ascii: "\n")) {
      let name = Path(bytes: line.prefix { $0 != UInt8(ascii: "\t") })
      guard let file = try? contents(of: Corpus.path.appending(name)), file.count < 1 << 20,
        file.starts(with: Array("RIFF".utf8)), let header = try? stored(file, .webp)
      else { continue }
      // libvips makes nothing that is less than a pixel wide or high.
      for reduction in [1, 3] where min(header.width, header.height) >= reduction {
        let direct = WebPInMemory(bytes: file, header: header)
        guard let made = try direct.pixels(reduction: reduction) else { continue }
        let wanted = try wanted(file, reduction)
        #expect(try made.pixels() == wanted.pixels(), "\(name.shown)")
        compared += 1
      }
    }
    #expect(compared > 5)
  }

  @Test("a reader takes it, and what libvips must decode is decoded")
  func reader() throws {
    let folder = try ScratchFolder()
    for (bands, isDirect) in [(3, true), (4, false)] {
      let bytes = try NaivePicture.synthetic(40, 30, bands: bands).encoded(.webp)
      let path = try folder.write(bytes, to: "\(bands).webp")
      let picture = try OpenedPicture(path, format: .webp, policy: InputPolicy())
      let pixels = try picture.pixels(reduction: 1).image
      #expect(pixels.isInMemory == isDirect)
      #expect(try pixels.pixels() == wanted(bytes, 1).pixels())
    }
  }
}
