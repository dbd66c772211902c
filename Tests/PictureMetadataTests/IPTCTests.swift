import Testing

@testable import PictureMetadata

@Suite("Editing IPTC data sets")
struct IPTCTests {
  /// A data set of the application record.
  static func dataSet(_ number: UInt8, _ text: [UInt8], record: UInt8 = 2) -> [UInt8] {
    [0x1c, record, number, UInt8(text.count >> 8), UInt8(text.count & 255)] + text
  }

  static func resource(_ number: Int, _ data: [UInt8]) -> [UInt8] {
    Array("8BIM".utf8) + ByteOrder.big.bytes(number, count: 2) + [0, 0]
      + ByteOrder.big.bytes(data.count, count: 4) + data
      + [UInt8](repeating: 0, count: data.count % 2)
  }

  static let byline: [UInt8] = Array("José".utf8) + [0xff, 0xfe]

  static let list: [UInt8] =
    dataSet(90, [0x1b, 0x25, 0x47], record: 1) + dataSet(0, [0, 4]) + dataSet(80, byline)
    + dataSet(90, Array("Oslo".utf8)) + dataSet(92, Array("Frogner".utf8))
    + dataSet(95, Array("Viken".utf8)) + dataSet(100, Array("NOR".utf8))
    + dataSet(101, Array("Norway".utf8)) + dataSet(26, Array("NO".utf8))
    + dataSet(27, Array("Bygdøy".utf8)) + dataSet(116, Array("© Ærø".utf8))
    + dataSet(25, Array("sea".utf8)) + dataSet(25, Array("sun".utf8))

  static let resources: [UInt8] =
    resource(1028, list) + resource(1034, [1]) + resource(1036, Array("thumbnail".utf8))
    + resource(1061, Array("digest".utf8)) + resource(1060, Array("<Oslo/>".utf8))

  private func edited(_ policy: MetadataPolicy) -> [UInt8]? {
    MetadataBlocks(iptc: Self.resources).edited(policy).blocks.iptc
  }

  private func sets(_ bytes: [UInt8]?) -> [[UInt8]] {
    var rest = (bytes.flatMap(PhotoshopResources.init)?.iptc ?? [])[...]
    var sets: [[UInt8]] = []
    while rest.count >= 5 {
      let start = rest.startIndex
      let length = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
      sets.append(Array(rest.prefix(5 + length)))
      rest = rest.dropFirst(5 + length)
    }
    return sets
  }

  private func numbers(_ bytes: [UInt8]?) -> [Int] { sets(bytes).map { Int($0[2]) } }

  @Test("all: every data set stays; a thumbnail, a digest and copies of other blocks go")
  func all() throws {
    let (blocks, losses) = MetadataBlocks(iptc: Self.resources).edited(.all)
    #expect(blocks.iptc == Self.resource(1028, Self.list) + Self.resource(1034, [1]))
    #expect(losses == [.thumbnail])
  }

  @Test("no-location: the seven data sets of a place go, the others stay in their order")
  func places() {
    let bytes = edited(.noLocation)
    #expect(numbers(bytes) == [90, 0, 80, 116, 25, 25])
    #expect(sets(bytes).first?[1] == 1)
    #expect(bytes?.holds(Self.byline) == true)
    #expect(bytes?.holds(Array("Oslo".utf8)) == false)
    #expect(bytes?.holds(Self.resource(1034, [1])) == true)
  }

  @Test("copyright: by-line and notice, and what says how to read them")
  func rights() {
    #expect(numbers(edited(.copyright)) == [90, 0, 80, 116])
  }

  @Test("a list: what it names; nothing where that is not there")
  func names() {
    func policy(_ name: String) -> MetadataPolicy { .only([MetadataName(name)].compactMap(\.self)) }
    #expect(numbers(edited(policy("iptc:Keywords"))) == [90, 0, 25, 25])
    #expect(edited(policy("iptc:Headline")) == nil)
    #expect(numbers(edited(policy("iptc"))).count == 13)
    #expect(edited(policy("exif")) == nil)
  }

  @Test("a bare list, as TIFF has it, becomes a resource")
  func bare() {
    let edited = MetadataBlocks(iptc: Self.list).edited(.all).blocks.iptc
    #expect(edited == Self.resource(1028, Self.list))
  }

  @Test("what is no resource is told as unreadable")
  func unreadable() {
    let (blocks, losses) = MetadataBlocks(iptc: Array("nothing".utf8)).edited(.all)
    #expect(blocks.isEmpty)
    #expect(losses == [.unreadable("IPTC")])
  }

  @Test(
    "A length that does not fit: the list is told as unreadable, and costs nothing",
    arguments: [
      [0, 9], [0x80, 4, 0xff, 0xff, 0xff, 0xff], [0x80, 4, 0x7f, 0xff, 0xff, 0xff],
      [0x80, 8, 0, 0, 0, 1, 0, 0, 0, 1], [0x80, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x80, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1], [0xff, 0xff, 1],
    ] as [[UInt8]]
  )
  func lengths(_ length: [UInt8]) {
    let list = Self.dataSet(80, Self.byline) + [0x1c, 2, 116] + length + [0x41]
    let (_, losses) = MetadataBlocks(iptc: Self.resource(1028, list)).edited(.noLocation)
    #expect(losses == [.unreadable("IPTC")])
  }

  @Test("Lengths of more than two bytes are read", arguments: [1, 2, 4, 8])
  func longLengths(_ width: Int) throws {
    let order = ByteOrder.big
    let length = order.bytes(0x8000 | width, count: 2) + order.bytes(3, count: width)
    let list = [0x1c, 2, 116] + length + Array("sea".utf8)
    let (blocks, losses) = MetadataBlocks(iptc: Self.resource(1028, list)).edited(.noLocation)
    #expect(losses == [])
    let kept = try #require(blocks.iptc.flatMap(PhotoshopResources.init)?.iptc)
    #expect(kept.suffix(3) == Array("sea".utf8))
  }
}
