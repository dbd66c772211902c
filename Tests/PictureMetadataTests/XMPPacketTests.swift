import Testing

@testable import PictureMetadata

@Suite("Editing an XMP packet")
struct XMPPacketTests {
  private static let namespaces = [
    "dc": XMPNamespace.dc, "tiff": XMPNamespace.tiff, "exif": XMPNamespace.exif,
    "photoshop": XMPNamespace.photoshop, "xmpRights": XMPNamespace.rights,
    "Iptc4xmpCore": XMPNamespace.iptcCore, "Iptc4xmpExt": XMPNamespace.iptcExtension,
    "xmpNote": XMPNamespace.note, "xmp": XMPNamespace.xmp,
    "hdrgm": "http://ns.adobe.com/hdr-gain-map/1.0/",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "drone": "http://www.dji.com/drone-dji/1.0/",
  ]

  /// A packet with these properties.
  static func packet(_ properties: String) -> String {
    let prefixes = namespaces.map { "xmlns:\($0.key)=\"\($0.value)\"" }.sorted()
    return """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      \(prefixes.joined(separator: " "))>\(properties)</rdf:Description></rdf:RDF></x:xmpmeta>
      """
  }

  private func edited(
    _ properties: String,
    _ policy: MetadataPolicy,
    _ truth: MetadataTruth = MetadataTruth()
  ) -> String? {
    MetadataBlocks(xmp: Self.packet(properties)).edited(policy, truth).blocks.xmp
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a packet in which nothing changes stays as it is, byte by byte")
  func untouched() {
    let properties = "<dc:format>image/jpeg</dc:format><photoshop:City>Oslo</photoshop:City>"
    #expect(edited(properties, .all) == Self.packet(properties))
  }

  @Test("a quarter turn exchanges the resolutions, where both are said")
  func turnedResolution() throws {
    var truth = MetadataTruth()
    truth.swapsResolution = true
    let across = "<tiff:XResolution>204/1</tiff:XResolution>"
    let text = try #require(
      edited(across + "<tiff:YResolution>98/1</tiff:YResolution>", .all, truth)
    )
    #expect(text.contains("tiff:XResolution=\"98/1\""), "\(text)")
    #expect(text.contains("tiff:YResolution=\"204/1\""), "\(text)")
    #expect(edited(across, .all, truth) == Self.packet(across))
  }

  @Test("orientation and sizes become true where they are said, as attribute or element")
  func truth() throws {
    var truth = MetadataTruth()
    truth.orientation = 1
    truth.width = 300
    truth.height = 200
    let text = try #require(
      edited(
        "<tiff:Orientation>6</tiff:Orientation><exif:PixelXDimension>640</exif:PixelXDimension>",
        .all,
        truth
      )
    )
    #expect(text.contains("tiff:Orientation=\"1\""))
    #expect(text.contains("exif:PixelXDimension=\"300\""))
    #expect(!text.contains("PixelYDimension"))
    #expect(text.hasPrefix("<?xpacket begin=\"\u{feff}\""))
    #expect(text.hasSuffix("<?xpacket end=\"w\"?>"))
  }

  @Test("every place goes, in whatever namespace; a creator's address is no place")
  func places() throws {
    let text = try #require(
      edited(
        """
        <photoshop:City>Place1</photoshop:City><photoshop:State>Place2</photoshop:State>
        <photoshop:Country>Place3</photoshop:Country>
        <Iptc4xmpCore:Location>Place4</Iptc4xmpCore:Location>
        <Iptc4xmpCore:CountryCode>Place5</Iptc4xmpCore:CountryCode>
        <exif:GPSLatitude>43,28.1N</exif:GPSLatitude><exif:GPSAltitude>100/1</exif:GPSAltitude>
        <drone:GpsLatitude>43.28</drone:GpsLatitude>
        <Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li rdf:parseType="Resource">
        <Iptc4xmpExt:City>Place6</Iptc4xmpExt:City></rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>
        <Iptc4xmpExt:LocationCreated><rdf:Bag><rdf:li rdf:parseType="Resource">
        <Iptc4xmpExt:City>Place7</Iptc4xmpExt:City></rdf:li></rdf:Bag></Iptc4xmpExt:LocationCreated>
        <Iptc4xmpExt:ArtworkOrObject><rdf:Bag><rdf:li rdf:parseType="Resource">
        <Iptc4xmpExt:AOTitle>Statue</Iptc4xmpExt:AOTitle><Iptc4xmpExt:City>Place8</Iptc4xmpExt:City>
        </rdf:li></rdf:Bag></Iptc4xmpExt:ArtworkOrObject>
        <Iptc4xmpCore:CreatorContactInfo rdf:parseType="Resource">
        <Iptc4xmpCore:CiAdrCity>Address</Iptc4xmpCore:CiAdrCity></Iptc4xmpCore:CreatorContactInfo>
        <geo:lat>Place9</geo:lat><geo:long>PlaceA</geo:long><geo:location>PlaceB</geo:location>
        <geo:floor>PlaceC</geo:floor><drone:lat>PlaceD</drone:lat>
        <xmp:CreateDate>2020-01-02</xmp:CreateDate>
        <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© Ærø</rdf:li></rdf:Alt></dc:rights>
        """,
        .noLocation
      )
    )
    #expect(!text.contains("Place"))
    #expect(!text.lowercased().contains("gps"))
    for kept in ["Address", "2020-01-02", "© Ærø", "Statue"] {
      #expect(text.contains(kept), "\(kept)")
    }
  }

  @Test("for rights: creator, rights, credit and licenses, and nothing else")
  func rights() throws {
    let text = try #require(
      edited(
        """
        <dc:creator><rdf:Seq><rdf:li>José</rdf:li></rdf:Seq></dc:creator>
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Title</rdf:li></rdf:Alt></dc:title>
        <xmpRights:WebStatement>https://example.org/license</xmpRights:WebStatement>
        <photoshop:Credit>Agency</photoshop:Credit><photoshop:City>Oslo</photoshop:City>
        """,
        .copyright
      )
    )
    for kept in ["José", "https://example.org/license", "Agency"] { #expect(text.contains(kept)) }
    for gone in ["Title", "Oslo"] { #expect(!text.contains(gone)) }
  }

  @Test("of a list the named properties are kept, and with a star the namespace")
  func list() {
    let properties = """
      <xmpRights:WebStatement>statement</xmpRights:WebStatement>
      <xmpRights:Owner><rdf:Bag><rdf:li>owner</rdf:li></rdf:Bag></xmpRights:Owner>
      <photoshop:Credit>credit</photoshop:Credit>
      """
    func kept(_ name: String) -> [String] {
      let text = edited(properties, .only([MetadataName(name)].compactMap(\.self))) ?? ""
      return ["statement", "owner", "credit"].filter(text.contains)
    }
    #expect(kept("xmp:xmpRights:WebStatement") == ["statement"])
    #expect(kept("xmp:xmpRights:*") == ["statement", "owner"])
    #expect(kept("xmp:dc:rights") == [])
    #expect(kept("xmp") == ["statement", "owner", "credit"])
  }

  @Test("what a gain map says of itself goes, and with it the word of more XMP elsewhere")
  func gainMap() {
    let (blocks, losses) = MetadataBlocks(
      xmp: Self.packet(
        """
        <hdrgm:Version>1.0</hdrgm:Version><xmpNote:HasExtendedXMP>0123</xmpNote:HasExtendedXMP>
        """
      )
    )
    .edited(.all)
    #expect(blocks.xmp == nil)
    #expect(losses == [.extendedXMP])
  }

  @Test("Latin-1 where UTF-8 should be is read as Latin-1")
  func latin() throws {
    var bytes = Array(Self.packet("<photoshop:Credit>Jos#</photoshop:Credit>").utf8)
    let name = Array("Jos#".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    bytes[place + 3] = 0xe9
    var blocks = MetadataBlocks()
    blocks.xmp = bytes
    // As it is where nothing changes, and as UTF-8 where it is written anew.
    #expect(blocks.edited(.all).blocks.xmp == bytes)
    let names = [MetadataName("xmp:photoshop:Credit")].compactMap(\.self)
    let kept = try #require(blocks.edited(.only(names)).blocks.xmp)
    #expect(kept == bytes || kept.holds(Array("José".utf8)))
  }

  @Test("what could hurt a parser is not given to one, and told")
  func hostile() {
    let deep = String(repeating: "<a>", count: 100_000)
    let entities = "<!DOCTYPE a [<!ENTITY b \"b\">]>" + Self.packet("")
    for text in [deep, entities, "no packet", Self.packet("<dc:format>"), "a\0b"] {
      let (blocks, losses) = MetadataBlocks(xmp: text).edited(.all)
      #expect(blocks.xmp == nil)
      #expect(losses == [.unreadable("XMP")])
    }
  }

  @Test("a packet is written the same whatever was read before it")
  func sameBytes() {
    var truth = MetadataTruth()
    truth.orientation = 1
    let own = "<tiff:Orientation>6</tiff:Orientation><drone:Model>M</drone:Model>"
    let first = edited(own, .all, truth)
    // Another namespace under the same prefix.
    let other = Self.packet(own).replacing("dji.com", with: "example.org")
    _ = MetadataBlocks(xmp: other).edited(.all, truth)
    #expect(edited(own, .all, truth) == first)
  }
}
