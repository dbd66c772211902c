import MinilabKit
import NaivePictures
import PictureMetadata
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Metadata of untouched pictures, whose pixels are copied", .vips)
struct MetadataCopyTests {
  private func profile(_ metadata: String) -> String {
    "[[output]]\nname = \"same\"\nmetadata = \(metadata)\n"
  }

  /// The parts of a file that make its pixels.
  private func pixels(of bytes: [UInt8], _ format: PictureFormat) -> [UInt8] {
    let mark: [UInt8] =
      switch format {
      case .jpeg: [0xff, 0xda]
      case .png: Array("IDAT".utf8)
      default: Array("VP8 ".utf8)
      }
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else {
      return []
    }
    let end =
      switch format {
      case .jpeg: bytes.indices.last { bytes[$0...].starts(with: [0xff, 0xd9]) }.map { $0 + 2 }
      case .png: bytes.indices.last { bytes[$0...].starts(with: Array("IEND".utf8)) }.map { $0 - 8 }
      default:
        start + 8 + bytes[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
      }
    return Array(bytes[start..<(end ?? bytes.count)])
  }

  @Test(
    "the place goes and every coded pixel stays (field report 23)",
    .exiftool,
    arguments: [PictureFormat.jpeg, .png, .webp]
  )
  func noLocation(format: PictureFormat) throws {
    let sample = try MetadataSample()
    let plain = try NaivePicture.synthetic(64, 48).encoded(format)
    let tags = (MetadataSample.others + MetadataSample.place).filter { !$0.contains("Orientation") }
    let file = try sample.file(plain, "a.\(format.fileExtension)", tags)
    let source = try contents(of: file)
    let outcome = try Workbench(profile("\"no-location\"")).process(file)
    let made = try outcome.bytes()
    #expect(outcome.noteCodes == [.copied])
    #expect(pixels(of: made, format) == pixels(of: source, format))
    #expect(!pixels(of: made, format).isEmpty)
    #expect(try sample.places(outcome.files[0]) == [])
    let found = try sample.tags(outcome.files[0])
    for line in ["[IFD0] Artist : José Ñandú", "[XMP-dc] Rights : © Ærø", "[IFD0] Model : Camera"] {
      #expect(found.contains(line), "\(line)")
    }
    #expect(
      try outcome.picture().greatestDifference(from: NaivePicture(stored(source, format))) == 0
    )
  }

  @Test(
    "a turned picture keeps the tag that turns it, or is turned where the tag must go",
    .exiftool
  )
  func orientation() throws {
    let sample = try MetadataSample()
    let plain = try NaivePicture.synthetic(64, 48).encoded(.jpeg)
    let file = try sample.file(plain, "a.jpg")
    let kept = try Workbench(profile("\"no-location\"")).process(file)
    _ = try kept.bytes()
    #expect(kept.noteCodes == [.copied])
    #expect(try sample.tags(kept.files[0], ["-exif:orientation"]) == ["[IFD0] Orientation : 6"])
    let turned = try Workbench(profile("\"copyright\"")).process(file)
    #expect(!turned.noteCodes.contains(.copied))
    #expect(try turned.picture().size == Size(width: 48, height: 64))
  }

  @Test("pictures behind the first have places of their own, and go")
  func trailer() throws {
    let plain = try NaivePicture.synthetic(32, 24).encoded(.jpeg, [.init("strip", .bool(true))])
    let second = try jpeg(.synthetic(16, 12), exif: exifBlock(orientation: 1, description: "Oslo"))
    let bytes = inserting(0xe2, Array("MPF\0".utf8) + [1, 2, 3], into: plain) + second
    let outcome = try Workbench(profile("\"no-location\"")).process(bytes, named: "a.jpg")
    #expect(try outcome.bytes() == plain)
    #expect(Set(outcome.noteCodes) == [.copied, .attachmentDropped])
    let all = try Workbench(profile("\"all\"")).process(bytes, named: "a.jpg")
    #expect(try all.bytes() == bytes)
    #expect(all.noteCodes == [.copied])
  }

  @Test("a gain map goes with the XMP that tells of it, and with a note")
  func gainMap() throws {
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"/></rdf:RDF></x:xmpmeta>
      """
    let plain = try NaivePicture.synthetic(32, 24).encoded(.jpeg, [.init("strip", .bool(true))])
    let bytes = inserting(0xe1, Array("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8), into: plain)
    for (metadata, isCopied) in [("\"no-location\"", true), ("\"all\"\nquality = 80", false)] {
      let outcome = try Workbench(profile(metadata)).process(bytes, named: "a.jpg")
      let made = try outcome.bytes()
      #expect(!made.indices.contains { made[$0...].starts(with: Array("hdrgm".utf8)) })
      #expect(outcome.noteCodes.contains(.gainMapDropped))
      #expect(outcome.noteCodes.contains(.copied) == isCopied)
    }
  }

  @Test("comments of a JPEG stay with all, and go where nothing but rights is wanted")
  func comments() throws {
    let plain = try NaivePicture.synthetic(32, 24).encoded(.jpeg, [.init("strip", .bool(true))])
    let bytes = inserting(0xfe, Array("A remark".utf8), into: plain)
    func has(_ metadata: String) throws -> Bool {
      let made = try Workbench(profile(metadata)).process(bytes, named: "a.jpg").bytes()
      return made.indices.contains { made[$0...].starts(with: Array("A remark".utf8)) }
    }
    #expect(try has("\"all\"\nquality = 80"))
    #expect(try has("[\"comment\"]"))
    #expect(try !has("\"copyright\""))
    let png = try Workbench("[[output]]\nformat = \"png\"\n").process(bytes, named: "a.jpg")
    #expect(png.noteCodes == [.metadataDropped])
  }

  @Test("texts of a PNG: one with a place's name goes, the others stay")
  func texts() throws {
    func text(_ key: String, _ value: String) -> (name: String, data: [UInt8]) {
      ("tEXt", Array("\(key)\0\(value)".utf8))
    }
    let plain = try NaivePicture.synthetic(8, 6).encoded(.png)
    let chunks = png([text("Author", "Me"), text("GPSLatitude", "43"), text("Title", "Sea")])
    let bytes = Array(plain.prefix(33)) + chunks.dropFirst(8) + plain.dropFirst(33)
    for steps in ["", "[[step]]\nop = \"crop\"\nrect = [0, 0, 4, 4]\n"] {
      func made(_ metadata: String) throws -> String {
        let outcome = try Workbench(steps + profile(metadata)).process(bytes, named: "a.png")
        return String(decoding: try outcome.bytes(), as: UTF8.self)
      }
      let kept = try made("\"no-location\"")
      #expect(kept.contains("Author") && kept.contains("Title") && !kept.contains("GPSLatitude"))
      let rights = try made("\"copyright\"")
      #expect(rights.contains("Author") && !rights.contains("Title"))
      #expect(try made("\"all\"").contains("GPSLatitude"))
      #expect(try !made("\"none\"").contains("Author"))
    }
  }

  @Test("blocks that ImageMagick hides in a PNG's texts are read, and never left behind")
  func rawProfile() throws {
    let exif = exifBlock(orientation: 1, description: "A secret place")
    let digits = exif.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let text = "Raw profile type exif\0\nexif\n\(exif.count)\n\(digits)\n"
    let plain = try NaivePicture.synthetic(8, 6).encoded(.png)
    let chunk = png([("tEXt", Array(text.utf8))]).dropFirst(8)
    let bytes = Array(plain.prefix(33)) + chunk + plain.dropFirst(33)
    let kept = try Workbench("[[output]]\nformat = \"jpeg\"\n").process(bytes, named: "a.png")
    #expect(String(decoding: try kept.bytes(), as: UTF8.self).contains("A secret place"))
    for metadata in ["\"none\"", "\"copyright\""] {
      let made = try Workbench(profile(metadata)).process(bytes, named: "a.png").bytes()
      #expect(!String(decoding: made, as: UTF8.self).contains("Raw profile"))
    }
  }
}
