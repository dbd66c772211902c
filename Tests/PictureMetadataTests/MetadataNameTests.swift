import Testing

@testable import PictureMetadata

@Suite("Names of metadata in a profile")
struct MetadataNameTests {
  @Test(
    "a name is read as it is written",
    arguments: [
      "exif", "xmp", "iptc", "comment", "exif:Artist", "exif:DateTimeOriginal", "exif:GPSLatitude",
      "exif:MakerNote", "iptc:Byline", "iptc:Keywords", "xmp:dc:rights", "xmp:xmpRights:*",
      "xmp:crs:Exposure2012",
    ]
  )
  func known(text: String) {
    #expect(MetadataName(text)?.text == text)
  }

  @Test(
    "any other is none",
    arguments: [
      "", "icc", "exif:", "exif:Artis", "exif:artist", "iptc:Author", "xmp:dc", "xmp:dc:right",
      "xmp:nope:a", "xmp:dc:rights:x", "exif:ExifIfdPointer", "exif:XMLPacket",
    ]
  )
  func unknown(text: String) {
    #expect(MetadataName(text) == nil)
  }

  @Test("every name that is proposed can be written")
  func candidates() {
    for text in ["e", "exif:a", "iptc:a", "xmp:dc:a", "xmp:photoshop:a"] {
      let names = MetadataName.candidates(for: text)
      #expect(!names.isEmpty)
      #expect(names.allSatisfy { MetadataName($0) != nil }, "\(text)")
    }
    #expect(MetadataName.candidates(for: "xmp:dcc:rights").contains("xmp:dc:rights"))
  }
}
