import Glibc
import MinilabKit
import PictureMetadata
import TestSupport
import Testing

@testable import MinilabHost

/// Files whose structure was made to do harm.
@Suite("Files of strangers")
struct HostileContainerTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func opened(_ bytes: [UInt8]) throws -> Descriptor {
    try Descriptor(opening: folder.write(bytes, to: "file"), O_RDWR)
  }

  private func bytes() throws -> [UInt8] { try contents(of: folder.path.appending("file")) }

  private func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private func box(_ name: String, _ data: [UInt8]) -> [UInt8] {
    big(data.count + 8, 4) + Array(name.utf8) + data
  }

  private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array(name.utf8) + big(data.count, 4).reversed() + data
      + [UInt8](repeating: 0, count: data.count % 2)
  }

  private func webp(_ chunks: [UInt8]...) -> [UInt8] {
    let body = Array("WEBP".utf8) + chunks.flatMap(\.self)
    return Array("RIFF".utf8) + big(body.count, 4).reversed() + body
  }

  @Test("pieces of no bytes, as many as one likes, take no memory")
  func emptyPieces() throws {
    // Version 0, all numbers of no bytes: a thousand items of 65 535 pieces each.
    var bytes = big(0, 6) + big(1000, 2)
    for item in 0..<1000 { bytes += big(item, 2) + big(0, 2) + big(0xffff, 2) }
    #expect(ItemLocations(bytes, at: 0, data: nil) == nil)
    // As many as pictures have are read.
    let item = big(5, 2) + big(0, 2) + big(2, 2)
    let few = big(0, 4) + big(0x4400, 2) + big(1, 2) + item
    let pieces = big(100, 4) + big(8, 4) + big(200, 4) + big(9, 4)
    let places = try #require(ItemLocations(few + pieces, at: 0, data: nil)).places[5]
    #expect(places?.map(\.range) == [100..<108, 200..<209])
  }

  @Test("a walk along boxes ends, whatever there are of them")
  func boxes() throws {
    let free = box("free", [])
    let many = Array(repeating: free, count: 100_000).flatMap(\.self)
    let file = try opened(many + box("meta", [1]))
    let reading = FileBytes(descriptor: file.number)
    #expect(try MetaBox.child("meta", reading, in: 0..<reading.count) == nil)
  }

  @Test("a WebP whose first chunk is too short to hold flags is left alone")
  func shortHead() throws {
    let file = try opened(webp(chunk("VP8X", []), chunk("VP8L", [1, 2, 3, 4, 5, 6])))
    #expect(try WebPChunks(file.number) == nil)
  }

  @Test("chunks of a WebP that are not the picture's go, and each of the others stays as it was")
  func strangeChunks() throws {
    let head = chunk("VP8X", [0, 0, 0, 0] + [3, 0, 0, 3, 0, 0])
    let frames = (0..<50).map { chunk("ANMF", [UInt8](repeating: UInt8($0), count: 20 + $0)) }
    let strange = (0..<50).map { chunk("ZZZ\($0 % 10)", [UInt8](repeating: 9, count: $0)) }
    let mixed = zip(frames, strange).flatMap { $0 + $1 }
    let file = try opened(webp(head, chunk("EXIF", [1, 2, 3]), chunk("ANIM", [1, 2]), mixed))
    try #require(try WebPChunks(file.number)).write(MetadataBlocks(), width: 4, height: 4)
    #expect(try bytes() == webp(head, chunk("ANIM", [1, 2]), frames.flatMap(\.self)))
  }

  @Test("a JPEG that ends where its scan should be is read, and cut to what it is")
  func withoutScan() throws {
    let table = [0xff, 0xdb, 0, 4, 1, 2] as [UInt8]
    let file = try opened([0xff, 0xd8] + table + [0xff, 0xd9, 1, 2, 3])
    let segments = try #require(try JPEGSegments(file.number))
    #expect(try segments.write(MetadataBlocks(), isEncoded: false).isEmpty)
    #expect(try bytes() == [0xff, 0xd8] + table + [0xff, 0xd9])
    #expect(try JPEGSegments(file.number)?.segments.map(\.marker) == [0xdb])
  }

  @Test("bytes between a JPEG's segments are passed over")
  func junk() throws {
    let junk = [UInt8](repeating: 7, count: 100_000)
    let scan = [0xff, 0xda, 0, 2, 1, 2, 0xff, 0xd9] as [UInt8]
    let file = try opened([0xff, 0xd8] + junk + [0xff, 0xff, 0xdb, 0, 4, 1, 2] + scan)
    let segments = try #require(try JPEGSegments(file.number))
    #expect(segments.segments.map(\.data) == [[1, 2]])
    let only = try opened([0xff, 0xd8] + junk)
    #expect(try JPEGSegments(only.number) == nil)
  }

  @Test("a TIFF whose directories lead back to each other is broken, and ends no loop")
  func ring() throws {
    // One directory without entries that says it is the next one, too.
    let ring: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0]
    let file = try opened(ring)
    #expect(throws: TIFFStructure.Broken.self) { try TIFFJoin(file.number) }
    let good: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let other = try Descriptor(opening: folder.write(good, to: "other"), O_RDWR)
    var join = try TIFFJoin(other.number)
    #expect(throws: TIFFStructure.Broken.self) { try join.append(file.number) }
  }

  @Test(
    "a source names files of its own folder, and no others",
    arguments: ["", ".", "..", "a/b", "../a", "/a", "a\0", String(repeating: "x", count: 256)]
  )
  func capturedNames(name: String) {
    func reply(_ name: String) -> SourceReply {
      .item(
        CapturedItem(
          name: Path(name),
          format: .jpeg,
          taken: WallClock(seconds: 0),
          facts: CaptureFacts(middle: 1, isRaw: false, notes: [])
        )
      )
    }
    #expect(!reply(name).makesSense)
    #expect(reply("cam-1.jpg").makesSense)
  }
}
