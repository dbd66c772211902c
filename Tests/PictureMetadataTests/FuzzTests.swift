import Testing

@testable import PictureMetadata

/// Blocks as an attacker would write them: nothing may crash, hang, or grow.
@Suite("Metadata with bytes changed at random")
struct FuzzTests {
  /// A linear congruential generator (Knuth, MMIX): the same changes on every run.
  private struct Dice {
    var state: UInt64

    mutating func next(_ range: Range<Int>) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + Int(state >> 33) % range.count
    }
  }

  private static let interesting: [UInt8] = [0, 1, 2, 4, 0x7f, 0x80, 0xfe, 0xff]

  private func mutated(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<dice.next(1..<8) {
      let place = dice.next(0..<bytes.count)
      switch dice.next(0..<4) {
      case 0: bytes[place] = UInt8(dice.next(0..<256))
      case 1: bytes[place] = Self.interesting[dice.next(0..<Self.interesting.count)]
      case 2:
        // Another part of it, or a part of it missing.
        let from = dice.next(0..<bytes.count)
        let piece = Array(bytes[from..<min(bytes.count, from + 12)])
        bytes.replaceSubrange(place..<min(bytes.count, place + piece.count), with: piece)
      default: bytes.removeLast(min(bytes.count - 4, dice.next(0..<8)))
      }
    }
    return bytes
  }

  private static let policies: [MetadataPolicy] = [
    .all, .copyright, .noLocation,
    .only(
      ["exif:MakerNote", "exif:GPSLatitude", "xmp:dc:*", "iptc:Byline"]
        .compactMap(MetadataName.init)
    ),
  ]

  private var truth: MetadataTruth {
    var truth = MetadataTruth()
    truth.orientation = 1
    truth.width = 70_000
    truth.height = 100
    truth.resolution = 300
    truth.colorSpace = 65_535
    return truth
  }

  @Test("2000 EXIF blocks", arguments: [ByteOrder.big, .little])
  func exif(order: ByteOrder) {
    var sample = ExifSample(order: order)
    sample.note = Array("Nikon\0\u{2}\0\0\0".utf8) + sample.bytes()
    let source = sample.bytes()
    var dice = Dice(state: order == .big ? 1 : 2)
    for _ in 0..<1000 {
      let bytes = mutated(source, &dice)
      for policy in Self.policies {
        let edited = MetadataBlocks(exif: bytes).edited(policy, truth).blocks.exif ?? []
        #expect(edited.count <= bytes.count + 64)
        // What was edited can be edited again.
        if !edited.isEmpty { #expect(ExifBlock(edited) != nil) }
      }
    }
  }

  @Test("2000 IPTC lists and resources")
  func iptc() {
    var dice = Dice(state: 3)
    for round in 0..<2000 {
      let bytes = mutated(round % 2 == 0 ? IPTCTests.resources : IPTCTests.list, &dice)
      for policy in Self.policies {
        let edited = MetadataBlocks(iptc: bytes).edited(policy, truth).blocks.iptc ?? []
        #expect(edited.count <= bytes.count + 64)
      }
    }
  }

  @Test("2000 XMP packets")
  func xmp() {
    let source = Array(
      XMPPacketTests.packet(
        """
        <tiff:Orientation>6</tiff:Orientation><photoshop:City>Oslo</photoshop:City>
        <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© Ærø</rdf:li></rdf:Alt></dc:rights>
        <Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li rdf:parseType="Resource">
        <Iptc4xmpExt:City>Rome</Iptc4xmpExt:City></rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>
        """
      )
      .utf8
    )
    var dice = Dice(state: 4)
    for round in 0..<2000 {
      var blocks = MetadataBlocks()
      let bytes = mutated(source, &dice)
      blocks.xmp = bytes
      let policy = Self.policies[round % Self.policies.count]
      let edited = blocks.edited(policy, truth).blocks.xmp ?? []
      #expect(edited.count <= bytes.count * 8 + 1024)
    }
  }

  @Test("2000 TIFF files, read and written to", arguments: [ByteOrder.big, .little])
  func tiff(order: ByteOrder) {
    var sample = ExifSample(order: order)
    let source = sample.bytes()
    var dice = Dice(state: order == .big ? 5 : 6)
    for _ in 0..<1000 {
      let bytes = mutated(source, &dice)
      let tiff = TIFFMetadata { offset, count in
        guard offset >= 0, offset < bytes.count, count > 0 else { return [] }
        return Array(bytes[offset..<min(bytes.count, offset + count)])
      }
      let read = tiff?.exif()?.block ?? []
      #expect(read.count <= bytes.count * 4)
      let added = tiff?.adding(MetadataBlocks(exif: source, iptc: IPTCTests.resources), at: 4096)
      #expect(added?.bytes.count ?? 0 <= 8 * source.count + 4096)
    }
  }

  @Test("a block whose entries all have the same large value does not grow by that")
  func amplified() {
    let order = ByteOrder.little
    let count = 2000
    var bytes = order.mark + order.bytes(42, count: 2) + order.bytes(8, count: 4)
    bytes += order.bytes(count, count: 2)
    for tag in 0..<count {
      bytes += order.bytes(tag, count: 2) + order.bytes(7, count: 2)
      bytes += order.bytes(60_000, count: 4) + order.bytes(8, count: 4)
    }
    bytes += [UInt8](repeating: 0, count: 40_000)
    let names = ExifTag.all.map { MetadataName.exif($0) }
    let (blocks, losses) = MetadataBlocks(exif: bytes).edited(.only(names))
    #expect(blocks.exif == nil)
    #expect(losses == [.unreadable("EXIF")])
  }
}
