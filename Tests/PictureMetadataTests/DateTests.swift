import Testing

@testable import PictureMetadata

@Suite("When a picture was taken")
struct DateTests {
  private func exif(_ tag: Int, _ date: String) -> [UInt8]? {
    let value = Array(date.utf8) + [0]
    let field = ExifWriter.Field(tag: tag, type: 2, count: value.count, value: value)
    return ExifWriter(order: .big).block([.exposure: [field]])
  }

  private func dataSet(_ number: UInt8, _ text: String) -> [UInt8] {
    [0x1c, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  @Test("EXIF has the first word, then XMP, then IPTC")
  func order() {
    var blocks = MetadataBlocks(
      exif: exif(0x9003, "2020:01:02 03:04:05"),
      xmp: XMPPacketTests.packet(
        "<exif:DateTimeOriginal>2019-05-06T07:08:09.25+02:00</exif:DateTimeOriginal>"
          + "<photoshop:DateCreated>2018-05-06</photoshop:DateCreated>"
          + "<xmp:CreateDate>2017-05-06T07:08Z</xmp:CreateDate>"
      ),
      iptc: dataSet(55, "20160506") + dataSet(60, "070809+0200")
    )
    let others = [
      "2019:05:06 07:08:09", "2018:05:06 00:00:00", "2017:05:06 07:08:00", "2016:05:06 07:08:09",
    ]
    #expect(blocks.datesTaken == ["2020:01:02 03:04:05"] + others)
    blocks.exif = nil
    #expect(blocks.datesTaken == others)
    blocks.iptc = dataSet(55, "20160506")
    #expect(blocks.datesTaken.last == "2016:05:06 00:00:00")
  }

  @Test(
    "A year or a month alone is no day",
    arguments: ["2019", "2019-05", "yesterday", "", "T07"]
  )
  func parts(_ text: String) {
    let packet = XMPPacketTests.packet("<xmp:CreateDate>\(text)</xmp:CreateDate>")
    #expect(MetadataBlocks(xmp: packet).datesTaken == [])
  }
}
