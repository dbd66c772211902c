import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Metadata where one does not look for it: it is used, or told as left out.
@Suite("Metadata in odd places", .vips)
struct UnreadMetadataTests {
  private func xmp(_ property: String) -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      xmlns:dc="http://purl.org/dc/elements/1.1/" \
      xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \(property)/></rdf:RDF></x:xmpmeta>
      """.utf8
    )
  }

  private func jpeg() throws -> [UInt8] {
    try NaivePicture.synthetic(32, 24).encoded(.jpeg, [.init("strip", .bool(true))])
  }

  private func exif(_ description: String) -> [UInt8] {
    exifBlock(orientation: 1, description: description)
  }

  private func appXMP(_ packet: [UInt8], _ jpeg: [UInt8]) -> [UInt8] {
    inserting(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet, into: jpeg)
  }

  // MARK: PNG

  /// A PNG with chunks put in before its end.
  private func late(_ chunks: [(name: String, data: [UInt8])]) throws -> [UInt8] {
    let png = try NaivePicture.synthetic(32, 24).encoded(.png, [.init("strip", .bool(true))])
    return png.dropLast(12) + chunks.flatMap { PNGChunks.chunk($0.name, $0.data) }
      + png.suffix(12)
  }

  private func lateXMP(_ property: String) -> (name: String, data: [UInt8]) {
    ("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp(property))
  }

  @Test("behind a PNG's pixels: EXIF turns the picture and goes with it, as XMP and texts do")
  func latePNG() throws {
    let block = Array(exifBlock(orientation: 6).dropFirst(6))
    let bytes = try late([
      ("eXIf", block), lateXMP("dc:source=\"Quelle\" photoshop:City=\"Lieu\""),
      ("tEXt", Array("Author\0Somebody".utf8)), ("tEXt", Array("Comment\0Something".utf8)),
    ])
    let bench = try Workbench(
      """
      [[step]]
      op = "orient"
      [[output]]
      name = "png"
      format = "png"
      [[output]]
      name = "webp"
      format = "webp"
      metadata = "no-location"
      """
    )
    let outcome = try bench.process(bytes, named: "a.png")
    for index in 0...1 {
      let image = try outcome.image(index)
      #expect((image.width, image.height) == (24, 32))
      let block = try #require(image.blob("exif-data"))
      #expect(ExifReading(block).orientation == 1)
      let packet = String(decoding: try #require(image.blob("xmp-data")), as: UTF8.self)
      #expect(packet.contains("Quelle"))
      #expect(packet.contains("Lieu") == (index == 0))
    }
    let image = try outcome.image()
    let texts = image.fieldNames.filter { MetadataField.textKey($0) != nil }
    #expect(Set(texts.compactMap { image.string($0) }) == ["Somebody", "Something"])
    // WebP has no texts.
    #expect(outcome.noteCodes == [.metadataDropped])
    #expect(outcome.result.notes[0].text == "texts (Author, Comment) could not be written to WebP")
  }

  @Test("behind a PNG's pixels: a copy with less metadata keeps what is wanted")
  func lateCopy() throws {
    let bytes = try late([
      lateXMP("dc:source=\"Quelle\" photoshop:City=\"Lieu\""),
      ("tEXt", Array("Author\0Somebody".utf8)),
    ])
    let bench = try Workbench("[[output]]\nformat = \"png\"\nmetadata = \"no-location\"\n")
    let outcome = try bench.process(bytes, named: "a.png")
    #expect(outcome.noteCodes == [.copied])
    let text = String(decoding: try outcome.bytes(), as: Unicode.ASCII.self)
    #expect(text.contains("Quelle"))
    #expect(text.contains("Somebody"))
    #expect(!text.contains("Lieu"))
  }

  @Test("what stands before the pixels comes first")
  func earlyFirst() throws {
    let png = try NaivePicture.synthetic(32, 24).image().copy()
    png.set("xmp-data", blob: xmp("dc:source=\"early\""))
    let bytes = try png.encoded(.png)
    let both =
      bytes.dropLast(12) + PNGChunks.chunk("iTXt", lateXMP("dc:source=\"late\"").data)
      + bytes.suffix(12)
    let outcome = try Workbench("[[output]]\nformat = \"webp\"\n").process(
      Array(both),
      named: "a.png"
    )
    let packet = try #require(try outcome.image().blob("xmp-data"))
    #expect(String(decoding: packet, as: UTF8.self).contains("early"))
  }

  @Test("texts of a PNG that another format has no place for are told, as far as they are wanted")
  func texts() throws {
    let bytes = try late([
      ("tEXt", Array("Author\0Somebody".utf8)), ("tEXt", Array("Software\0Something".utf8)),
    ])
    func texts(_ policy: String, _ format: String) throws -> [String] {
      let bench = try Workbench("[[output]]\nformat = \"\(format)\"\nmetadata = \"\(policy)\"\n")
      return try bench.process(bytes, named: "a.png").result.notes
        .filter { $0.code == .metadataDropped }.map(\.text)
    }
    #expect(try texts("all", "webp") == ["texts (Author, Software) could not be written to WebP"])
    #expect(try texts("copyright", "tiff") == ["texts (Author) could not be written to TIFF"])
    #expect(try texts("none", "webp") == [])
    #expect(try texts("all", "png") == [])
  }

  // MARK: JPEG

  private static let more = "the file has"

  private func notes(_ bytes: [UInt8], _ output: String) throws -> [String] {
    let outcome = try Workbench("[[output]]\n\(output)\n").process(bytes, named: "a.jpg")
    _ = try outcome.bytes()
    return outcome.result.notes.filter { $0.code == .metadataDropped }.map(\.text)
  }

  @Test("a second EXIF or XMP block of a JPEG is told as left out where some of it may be wanted")
  func second() throws {
    let twoXMP = try appXMP(
      xmp("dc:source=\"one\""),
      appXMP(xmp("photoshop:City=\"two\""), jpeg())
    )
    let twoEXIF = try inserting(0xe1, exif("one"), into: inserting(0xe1, exif("two"), into: jpeg()))
    let xmpNote = ["the file has XMP more than once; the first was used"]
    let exifNote = ["the file has EXIF more than once; the first was used"]
    for output in ["format = \"webp\"", "format = \"jpeg\"\nmetadata = \"no-location\""] {
      #expect(try notes(twoXMP, output) == xmpNote)
      #expect(try notes(twoEXIF, output) == exifNote)
    }
    #expect(try notes(twoXMP, "format = \"webp\"\nmetadata = [\"exif\"]") == [])
    #expect(try notes(twoEXIF, "format = \"webp\"\nmetadata = \"none\"") == [])
    // The whole file.
    #expect(try notes(twoXMP, "format = \"jpeg\"") == [])
    #expect(try notes(appXMP(xmp("dc:source=\"one\""), jpeg()), "format = \"webp\"") == [])
  }

  @Test("extended XMP without the packet that it extends is told as left out")
  func orphan() throws {
    let name = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    let bytes = try inserting(0xe1, name + [UInt8](repeating: 65, count: 60), into: jpeg())
    #expect(try notes(bytes, "format = \"webp\"").count == 1)
  }

  @Test("EXIF that goes on in a second segment is read as one block")
  func longEXIF() throws {
    let text = String(repeating: "abcdefghij", count: 8000)
    let block = Array(exif(text).dropFirst(6))
    let prefix = Array("Exif\0\0".utf8)
    let half = 65_000
    let bytes = try inserting(
      0xe1,
      prefix + block.prefix(half),
      into: inserting(0xe1, prefix + block.dropFirst(half), into: jpeg())
    )
    let outcome = try Workbench("[[output]]\nformat = \"png\"\n").process(bytes, named: "a.jpg")
    #expect(outcome.noteCodes == [])
    let found = try #require(try outcome.image().blob("exif-data"))
    #expect(String(decoding: found, as: UTF8.self).contains(text))
    // A JPEG that is written has one segment.
    #expect(
      try notes(bytes, "format = \"jpeg\"\nquality = 90") == [
        "EXIF could not be written to JPEG"
      ]
    )
  }

  // MARK: GIF

  @Test("a GIF's comments and XMP go along, or are told as lost")
  func gif() throws {
    let plain = try NaivePicture.synthetic(32, 24).encoded(.gif)
    // Behind the head, the size and the table of colors.
    let table = 13 + (plain[10] & 0x80 == 0 ? 0 : 3 << (Int(plain[10] & 7) + 1))
    let comment = [0x21, 0xfe, 5] + Array("Hello".utf8) + [6] + Array(" world".utf8) + [0]
    let trailer = [1] + (0...255).reversed().map { UInt8($0) } + [0]
    let packet = xmp("dc:source=\"Quelle\" photoshop:City=\"Lieu\"")
    let block = [0x21, 0xff, 11] + Array("XMP DataXMP".utf8) + packet + trailer
    let bytes = Array(plain[..<table]) + comment + block + Array(plain[table...])
    let bench = try Workbench(
      ["jpeg", "webp", "gif"].map {
        "[[output]]\nname = \"\($0)\"\nformat = \"\($0)\"\nmetadata = \"no-location\"\n"
      }
      .joined()
    )
    let outcome = try bench.process(bytes, named: "a.gif")
    #expect(
      outcome.result.notes.map(\.text) == [
        "a comment could not be written to WebP", "XMP and a comment could not be written to GIF",
      ]
    )
    for index in 0...1 {
      let text = String(decoding: try outcome.bytes(index), as: Unicode.ASCII.self)
      #expect(text.contains("Quelle") && !text.contains("Lieu"))
      #expect(text.contains("Hello world") == (index == 0))
    }
    let copy = try Workbench("[[output]]\nformat = \"gif\"\n").process(bytes, named: "a.gif")
    #expect(copy.noteCodes == [.copied])
  }

  // MARK: JPEG XL

  @Test("compressed blocks of a JPEG XL are told as left out")
  func compressed() throws {
    func box(_ name: String, _ data: [UInt8]) -> [UInt8] {
      let length = data.count + 8
      return [24, 16, 8, 0].map { UInt8(length >> $0 & 255) } + Array(name.utf8) + data
    }
    let bare = try NaivePicture.synthetic(32, 24).encoded(.jxl, [.init("strip", .bool(true))])
    let bytes =
      [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]
      + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
      + box("brob", Array("Exif".utf8) + [0x3b, 1, 2])
      + box("jxlc", bare)
    let bench = try Workbench("[input]\nformats = \"all\"\n[[output]]\nformat = \"png\"\n")
    let outcome = try bench.process(bytes, named: "a.jxl")
    #expect(
      outcome.result.notes.map(\.text) == ["the embedded EXIF is compressed and was left out"]
    )
    #expect(try bench.process(bare, named: "b.jxl").noteCodes == [])
  }
}
