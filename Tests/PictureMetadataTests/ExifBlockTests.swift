import Testing

@testable import PictureMetadata

@Suite("Editing an EXIF block")
struct ExifBlockTests {
  private var turned: MetadataTruth {
    var truth = MetadataTruth()
    truth.orientation = 1
    truth.width = 70_000
    truth.height = 300
    return truth
  }

  private func number(_ block: ExifBlock, _ kind: ExifDirectoryKind, _ tag: Int) -> Int? {
    block.directory(kind)?.entries.first { $0.tag == tag }.flatMap(block.number)
  }

  @Test(
    "orientation and sizes become true, in either byte order",
    arguments: [ByteOrder.big, .little]
  )
  func truth(order: ByteOrder) throws {
    var sample = ExifSample(order: order)
    let edited = try #require(MetadataBlocks(exif: sample.bytes()).edited(.all, turned).blocks.exif)
    let block = try #require(ExifBlock(edited))
    #expect(number(block, .picture, 0x112) == 1)
    // Larger than the two bytes that it had.
    #expect(number(block, .exposure, 0xa002) == 70_000)
    #expect(number(block, .exposure, 0xa003) == 300)
  }

  @Test(
    "a quarter turn exchanges the resolutions along rows and columns, in either byte order",
    arguments: [ByteOrder.big, .little]
  )
  func turnedResolution(order: ByteOrder) throws {
    func fraction(_ number: Int) -> [UInt8] {
      order.bytes(number, count: 4) + order.bytes(1, count: 4)
    }
    let source = try #require(
      ExifWriter(order: order).block([
        .picture: [
          .init(tag: 0x11a, type: 5, count: 1, value: fraction(204)),
          .init(tag: 0x11b, type: 5, count: 1, value: fraction(98)),
        ]
      ])
    )
    var truth = MetadataTruth()
    truth.swapsResolution = true
    func values(_ truth: MetadataTruth) throws -> [[UInt8]] {
      let edited = try #require(MetadataBlocks(exif: source).edited(.all, truth).blocks.exif)
      let entries = try #require(ExifBlock(edited)?.directory(.picture)?.entries)
      return try [0x11a, 0x11b].map { tag in
        Array(edited[try #require(entries.first { $0.tag == tag }?.value)])
      }
    }
    #expect(try values(truth) == [fraction(98), fraction(204)])
    // One that is asked for is that along both sides.
    truth.resolution = 300
    #expect(try values(truth) == [fraction(300), fraction(300)])
  }

  @Test("the color space becomes true where it is said")
  func colorSpace() throws {
    let writer = ExifWriter(order: .big)
    let entry = ExifWriter.Field(tag: 0xa001, type: 3, count: 1, value: [0, 1])
    let source = try #require(writer.block([.exposure: [entry]]))
    var truth = MetadataTruth()
    for wanted in [1, 65_535] {
      truth.colorSpace = wanted
      let edited = MetadataBlocks(exif: source).edited(.all, truth).blocks.exif
      let block = try #require(edited.flatMap(ExifBlock.init))
      #expect(number(block, .exposure, 0xa001) == wanted)
    }
  }

  @Test("the thumbnail goes, with its bytes and its directory (field report 3)")
  func thumbnail() throws {
    var sample = ExifSample()
    let (blocks, losses) = MetadataBlocks(exif: sample.bytes()).edited(.all, turned)
    let edited = try #require(blocks.exif)
    #expect(losses == [.thumbnail])
    #expect(ExifBlock(edited)?.directory(.thumbnail) == nil)
    #expect(!edited.holds(Array(sample.thumbnail.prefix(8))))
    // It stood at the end, so the block is shorter.
    #expect(edited.count < sample.bytes().count - sample.thumbnail.count)
  }

  @Test("where pixels are copied the thumbnail stays")
  func copied() throws {
    var sample = ExifSample()
    var truth = MetadataTruth()
    truth.isEncoded = false
    let (blocks, losses) = MetadataBlocks(exif: sample.bytes()).edited(.noLocation, truth)
    let edited = try #require(blocks.exif)
    #expect(losses == [])
    #expect(edited.holds(sample.thumbnail))
    #expect(ExifBlock(edited)?.directory(.thumbnail) != nil)
    #expect(!edited.holds(sample.latitude))
  }

  @Test("without the place everything else stays where it was, and no byte of the place is left")
  func noLocation() throws {
    var sample = ExifSample()
    let source = sample.bytes()
    let edited = try #require(MetadataBlocks(exif: source).edited(.noLocation).blocks.exif)
    let block = try #require(ExifBlock(edited))
    #expect(block.directory(.gps) == nil)
    #expect(!edited.holds(Array(sample.latitude.prefix(4))))
    #expect(block.text(0x13b) == "José Ñandú")
    let note = sample.noteOffset..<(sample.noteOffset + sample.note.count)
    #expect(Array(edited[note]) == sample.note)
    let entry = block.directory(.exposure)?.entries.first { $0.tag == 0x927c }
    #expect(entry?.value == note)
  }

  @Test("bytes that are no UTF-8 stay as they are")
  func invalidText() throws {
    var sample = ExifSample()
    sample.artist = [0x4a, 0xf1, 0xff, 0xfe, 0x80, 0]
    for policy in [MetadataPolicy.all, .noLocation, .copyright] {
      let edited = try #require(MetadataBlocks(exif: sample.bytes()).edited(policy).blocks.exif)
      #expect(edited.holds(sample.artist), "\(policy)")
    }
  }

  @Test("for its rights a block is written anew and small")
  func copyright() throws {
    var sample = ExifSample()
    let (blocks, losses) = MetadataBlocks(exif: sample.bytes()).edited(.copyright)
    let edited = try #require(blocks.exif)
    let block = try #require(ExifBlock(edited))
    #expect(block.directories.map(\.kind) == [.picture])
    #expect(block.directory(.picture)?.entries.map(\.tag) == [0x13b])
    #expect(block.text(0x13b) == "José Ñandú")
    #expect(edited.count < 48)
    #expect(losses == [])
  }

  @Test("tags that are named are kept, each in its directory; moved maker notes are told")
  func list() throws {
    var sample = ExifSample()
    let names = ["exif:MakerNote", "exif:GPSLatitude"].compactMap(MetadataName.init)
    let (blocks, losses) = MetadataBlocks(exif: sample.bytes()).edited(.only(names))
    let edited = try #require(blocks.exif)
    let block = try #require(ExifBlock(edited))
    #expect(block.directory(.picture)?.entries.map(\.tag) == [0x8769, 0x8825])
    #expect(block.directory(.exposure)?.entries.map(\.tag) == [0x927c])
    #expect(block.directory(.gps)?.entries.map(\.tag) == [2])
    #expect(edited.holds(sample.note) && edited.holds(sample.latitude))
    #expect(losses == [.makerNotesMoved])
  }

  @Test("nothing is left of a block that says nothing else")
  func empty() {
    var sample = ExifSample()
    let source = sample.bytes()
    #expect(MetadataBlocks(exif: source).edited(.none).blocks.isEmpty)
    let names = [MetadataName("exif:Copyright")].compactMap(\.self)
    #expect(MetadataBlocks(exif: source).edited(.only(names)).blocks.isEmpty)
  }

  @Test("a block without a first directory is told as unreadable")
  func unreadable() {
    let broken: [[UInt8]] = [[], [0x49, 0x49], Array("II*\0".utf8) + [255, 255, 255, 255]]
    for bytes in broken {
      let (blocks, losses) = MetadataBlocks(exif: bytes).edited(.all)
      #expect(blocks.isEmpty)
      #expect(losses == [.unreadable("EXIF")])
    }
  }

  @Test("directories that lead to each other in a ring are followed once")
  func ring() {
    let order = ByteOrder.little
    func short(_ value: Int) -> [UInt8] { order.bytes(value, count: 2) }
    func long(_ value: Int) -> [UInt8] { order.bytes(value, count: 4) }
    // The exposure's directory is the picture's own, and so is the next one.
    let bytes =
      order.mark + short(42) + long(8) + short(1) + short(0x8769) + short(4) + long(1) + long(8)
      + long(8)
    #expect(ExifBlock(bytes)?.directories.count == 1)
    #expect(MetadataBlocks(exif: bytes).edited(.all).blocks.isEmpty)
  }

  @Test("a place in a Panasonic's maker note is wiped out, and the rest of the note is kept")
  func makerNotePlace() throws {
    var sample = ExifSample()
    let order = sample.order
    func entry(_ tag: Int, _ text: String) -> [UInt8] {
      order.bytes(tag, count: 2) + order.bytes(2, count: 2) + order.bytes(4, count: 4)
        + Array(text.utf8)
    }
    sample.note =
      Array("Panasonic\0\0\0".utf8) + order.bytes(2, count: 2) + entry(0x25, "Seri")
      + entry(0x6d, "Oslo") + order.bytes(0, count: 4)
    let source = sample.bytes()
    #expect(source.holds(Array("Oslo".utf8)))
    let edited = try #require(MetadataBlocks(exif: source).edited(.noLocation).blocks.exif)
    #expect(!edited.holds(Array("Oslo".utf8)))
    #expect(edited.holds(Array("Seri".utf8)))
    let kept = try #require(MetadataBlocks(exif: source).edited(.all).blocks.exif)
    #expect(kept.holds(Array("Oslo".utf8)))
  }

  @Test("copies of other blocks, which nobody would edit here, are left out")
  func foreign() throws {
    let order = ByteOrder.little
    let writer = ExifWriter(order: order)
    let source = try #require(
      writer.block([
        .picture: [
          .init(tag: 0x10f, type: 2, count: 5, value: Array("Maker".utf8)),
          .init(tag: 0x2bc, type: 1, count: 6, value: Array("<Oslo>".utf8)),
        ]
      ])
    )
    let edited = try #require(MetadataBlocks(exif: source).edited(.all).blocks.exif)
    #expect(!edited.holds(Array("Oslo".utf8)))
    #expect(edited.holds(Array("Maker".utf8)))
  }

  /// A block whose way to the place's directory has been changed, and its latitude.
  private func withWay(
    to offset: Int,
    hasNote: Bool,
    _ order: ByteOrder
  ) throws -> (block: [UInt8], latitude: [UInt8]) {
    var sample = ExifSample(order: order)
    var block = sample.bytes()
    let way = order.bytes(0x8825, count: 2)
    let entry = try #require(block.indices.first { block[$0...].starts(with: way) })
    block.replaceSubrange((entry + 8)..<(entry + 12), with: order.bytes(offset, count: 4))
    if !hasNote {
      let note = order.bytes(0x927c, count: 2)
      let entry = try #require(block.indices.first { block[$0...].starts(with: note) })
      block.replaceSubrange(entry..<(entry + 2), with: order.bytes(0x9286, count: 2))
    }
    return (block, Array(sample.latitude.prefix(4)))
  }

  @Test(
    "a place that no way leads to leaves no byte, and maker notes stay where they were",
    arguments: [ByteOrder.big, .little],
    [true, false]
  )
  func orphanedPlace(order: ByteOrder, hasNote: Bool) throws {
    // Out of the block; onto the picture's own directory.
    for offset in [60_000, 8] {
      let (source, latitude) = try withWay(to: offset, hasNote: hasNote, order)
      let edited = try #require(MetadataBlocks(exif: source).edited(.noLocation).blocks.exif)
      #expect(!edited.holds(latitude), "\(offset)")
      #expect(ExifBlock(edited)?.text(0x13b) == "José Ñandú")
      let sample = ExifSample()
      #expect(edited.holds(sample.note))
    }
  }

  @Test("a place that a width had led to leaves no byte once the width is stated anew")
  func placeOfWidth() throws {
    var sample = ExifSample()
    var source = sample.bytes()
    let place = try #require(source.firstRange(of: sample.latitude)?.lowerBound)
    let width: [UInt8] = [0xa0, 2, 0, 3, 0, 0, 0, 1]
    let entry = try #require(source.indices.first { source[$0...].starts(with: width) })
    let rational = [0xa0, 2, 0, 5, 0, 0, 0, 3] + ByteOrder.big.bytes(place, count: 4)
    source.replaceSubrange(entry..<(entry + 12), with: rational)
    var truth = MetadataTruth()
    truth.width = 320
    let (blocks, losses) = MetadataBlocks(exif: source).edited(.noLocation, truth)
    let edited = try #require(blocks.exif)
    #expect(losses == [.thumbnail])
    #expect(!edited.holds(Array(sample.latitude.prefix(4))))
    let stated = ExifBlock(edited)?.directory(.exposure)?.entries.first { $0.tag == 0xa002 }
    #expect(stated.flatMap { ExifBlock(edited)?.number($0) } == 320)
  }

  @Test(
    "a block whose directory says more entries than there are is left out"
  )
  func overlongDirectory() {
    var sample = ExifSample()
    var source = sample.bytes()
    source.replaceSubrange(8..<10, with: [0, 200])
    let (blocks, losses) = MetadataBlocks(exif: source).edited(.noLocation)
    #expect(blocks.isEmpty)
    #expect(losses == [.unreadable("EXIF")])
  }
}
