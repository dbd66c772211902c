import Glibc
import MinilabKit
import NaivePictures
import PictureMetadata
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Putting metadata into files", .vips)
struct ContainerTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func opened(_ bytes: [UInt8]) throws -> Descriptor {
    try Descriptor(opening: folder.write(bytes, to: "file"), O_RDWR)
  }

  private func bytes() throws -> [UInt8] { try contents(of: folder.path.appending("file")) }

  private var blocks: MetadataBlocks {
    var blocks = MetadataBlocks()
    blocks.exif = Array(exifBlock(orientation: 1, description: "Words").dropFirst(6))
    blocks.xmp = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
    return blocks
  }

  @Test("a WebP that says nothing of itself gets the chunk that tells what it has")
  func simpleWebP() throws {
    let picture = NaivePicture.synthetic(33, 21)
    let whole = try picture.encoded(.webp)
    // The picture's own chunk alone.
    let start = try #require(whole.indices.first { whole[$0...].starts(with: Array("VP8 ".utf8)) })
    let length = whole[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
    let chunk = Array(whole[start..<(start + 8 + length + length % 2)])
    let size = (0..<4).map { UInt8(truncatingIfNeeded: (chunk.count + 4) >> ($0 * 8)) }
    let simple = Array("RIFF".utf8) + size + Array("WEBP".utf8) + chunk
    let before = try NaivePicture(stored(simple, .webp))
    let file = try opened(simple)
    try #require(try WebPChunks(file.number)).write(blocks, width: 33, height: 21)
    let made = try bytes()
    #expect(made.count - 8 == made[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) })
    let image = try stored(made, .webp)
    #expect(image.blob("xmp-data") == blocks.xmp)
    #expect(try NaivePicture(image).greatestDifference(from: before) == 0)
    // And taken off again.
    try #require(try WebPChunks(file.number)).write(MetadataBlocks(), width: 33, height: 21)
    #expect(try bytes().count < simple.count + 24)
    #expect(try stored(bytes(), .webp).blob("xmp-data") == nil)
  }

  @Test("a PNG has one chunk of EXIF and one of XMP, before its pixels")
  func png() throws {
    let outcome = try Workbench("[[output]]\nformat = \"png\"\n")
      .process(
        jpeg(.synthetic(20, 10), exif: exifBlock(orientation: 1, description: "Words")),
        named: "a.jpg"
      )
    let made = try outcome.bytes()
    let places = made.indices.filter { made[$0...].starts(with: Array("eXIf".utf8)) }
    let pixels = try #require(made.indices.first { made[$0...].starts(with: Array("IDAT".utf8)) })
    #expect(places.count == 1)
    #expect(places.allSatisfy { $0 < pixels })
  }

  @Test("what is too long for a JPEG's segment is left out, with a note")
  func tooLong() throws {
    let long = exifBlock(orientation: 1, description: String(repeating: "x", count: 70_000))
    let source = try inserting(exif: long, intoPNG: NaivePicture.synthetic(20, 10).encoded(.png))
    let outcome = try Workbench("[[output]]\nformat = \"jpeg\"\n").process(source, named: "a.png")
    _ = try outcome.bytes()
    #expect(outcome.noteCodes == [.metadataDropped])
    let kept = try Workbench("[[output]]\nformat = \"webp\"\n").process(source, named: "a.png")
    #expect(kept.noteCodes == [])
  }

  @Test("a range is replaced by more or fewer bytes, however long the rest is")
  func replaced() throws {
    let rest = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    for (range, added) in [(0..<0, 1_700_000), (5..<1_600_005, 3), (10..<20, 10), (7..<9, 0)] {
      let opened = try opened(rest)
      let new = [UInt8](repeating: 0xee, count: added)
      try FileBytes(descriptor: opened.number).replace(range, with: new)
      var wanted = rest
      wanted.replaceSubrange(range, with: new)
      #expect(try bytes() == wanted, "\(range)")
    }
  }

  @Test("the resolution that is asked for stands in a WebP's EXIF")
  func resolution() throws {
    let outcome = try Workbench("[[output]]\nformat = \"webp\"\nresolution = 300\n")
      .process(NaivePicture.synthetic(20, 10).encoded(.png), named: "a.png")
    let image = try outcome.image()
    #expect(image.has("exif-data"))
  }

  @Test(
    "files with bytes changed at random end in a result or a refusal",
    arguments: [PictureFormat.jpeg, .png, .webp, .avif, .jxl, .tiff]
  )
  func hostile(format: PictureFormat) throws {
    let source = try Workbench("[[output]]\nformat = \"\(format.rawValue)\"\n")
      .process(
        jpeg(.synthetic(20, 10), exif: exifBlock(orientation: 1, description: "Words")),
        named: "a.jpg"
      )
      .bytes()
    var dice = Dice(UInt32(format.rawValue.utf8.count))
    for _ in 0..<200 {
      var changed = source
      for _ in 0..<dice.next(1...4) {
        // Where structures are, mostly.
        let most = dice.next(0...1) == 0 ? min(200, changed.count) : changed.count
        changed[dice.next(0...(most - 1))] = UInt8(dice.next(0...255))
      }
      let file = try opened(changed)
      switch format {
      case .jpeg: _ = try JPEGSegments(file.number)?.write(blocks, isEncoded: false)
      case .png: try PNGChunks(file.number)?.write(blocks, .noLocation)
      case .webp: try WebPChunks(file.number)?.write(blocks, width: 20, height: 10)
      case .avif:
        let items = try HEIFItems(file.number)
        _ = try items?.blocks()
        _ = try items?.replaceEXIF(blocks.exif ?? [])
      case .jxl:
        let boxes = try JXLBoxes(file.number)
        _ = try boxes?.blocks()
        try boxes?.write(blocks)
      default:
        let bytes = FileBytes(descriptor: file.number)
        _ = TIFFMetadata { (try? bytes.read(at: $0, count: $1)) ?? [] }?.exif()
      }
      #expect(try self.bytes().count < source.count + 4096)
    }
  }
}
