import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

private let formats = ["jpeg", "png", "webp", "avif", "heif", "tiff", "jxl"]

@Suite("Metadata policies over inputs and outputs", .vips, .exiftool)
struct MetadataRunTests {
  private static func profile(_ metadata: String) -> String {
    "[input]\nformats = \"all\"\n[[step]]\nop = \"orient\"\n[[step]]\nop = \"crop\"\n"
      + "rect = [0, 0, 40, 30]\n"
      + formats.map {
        "[[output]]\nname = \"\($0)\"\nformat = \"\($0)\"\nmetadata = \(metadata)\n"
      }
      .joined()
  }

  private func plain(_ format: PictureFormat) throws -> [UInt8] {
    let codec = format == .avif ? [Argument("compression", .enumeration("av1"))] : []
    return try NaivePicture.synthetic(64, 48).encoded(format, codec)
  }

  /// Holds EXIF and XMP; IPTC only where the format has a place for it.
  private static func holdsIPTC(_ format: String) -> Bool { format == "jpeg" || format == "tiff" }

  @Test("all: every tag arrives, true of the pixels, with accents; what has no place is told")
  func all() throws {
    let sample = try MetadataSample()
    let file = try sample.file(plain(.jpeg), "a.jpg")
    let outcome = try Workbench(Self.profile("\"all\"")).process(file)
    _ = try outcome.bytes()
    for (index, format) in formats.enumerated() {
      let tags = try sample.tags(outcome.files[index])
      for line in [
        "[IFD0] Artist : José Ñandú", "[IFD0] Copyright : © Ærø", "[IFD0] Model : Camera",
        "[ExifIFD] DateTimeOriginal : 2020:01:02 03:04:05", "[ExifIFD] ExifImageWidth : 40",
        "[ExifIFD] ExifImageHeight : 30", "[IFD0] Orientation : 1", "[XMP-tiff] Orientation : 1",
        "[XMP-exif] ExifImageWidth : 40", "[XMP-dc] Rights : © Ærø",
        "[XMP-photoshop] City : Lieu1", "[GPS] GPSLatitudeRef : N",
      ] {
        #expect(tags.contains(line), "\(format): \(line)")
      }
      #expect(tags.contains("[IPTC] City : Lieu7") == Self.holdsIPTC(format), "\(format)")
      let told = outcome.result.notes.contains {
        $0.code == .metadataDropped
          && $0.text
            == "IPTC could not be written to \(outcome.result.outputs[index].format.shown)"
      }
      #expect(told == !Self.holdsIPTC(format), "\(format)")
      // Once each.
      for name in ["Artist", "Orientation", "Model"] {
        #expect(tags.filter { $0.hasPrefix("[IFD0] \(name) :") }.count == 1, "\(format): \(name)")
      }
    }
  }

  @Test("no-location: no place in any container; date, camera and copyright stay (field report 23)")
  func noLocation() throws {
    let sample = try MetadataSample()
    let file = try sample.file(plain(.jpeg), "a.jpg")
    #expect(try sample.places(file).count > 12)
    let outcome = try Workbench(Self.profile("\"no-location\"")).process(file)
    _ = try outcome.bytes()
    for (index, format) in formats.enumerated() {
      #expect(try sample.places(outcome.files[index]) == [], "\(format)")
      let bytes = try outcome.bytes(index)
      #expect(
        !bytes.indices.contains { bytes[$0...].starts(with: Array("Lieu".utf8)) },
        "\(format)"
      )
      let tags = try sample.tags(outcome.files[index])
      for line in [
        "[IFD0] Artist : José Ñandú", "[IFD0] Copyright : © Ærø", "[IFD0] Make : Maker",
        "[ExifIFD] DateTimeOriginal : 2020:01:02 03:04:05", "[XMP-dc] Creator : José Ñandú",
        "[XMP-xmp] CreateDate : 2020:01:02 03:04:05",
      ] {
        #expect(tags.contains(line), "\(format): \(line)")
      }
      #expect(
        tags.contains("[IPTC] CopyrightNotice : Notice") == Self.holdsIPTC(format),
        "\(format)"
      )
    }
  }

  @Test("copyright: maker and owner, and nothing of camera, date or place")
  func copyright() throws {
    let sample = try MetadataSample()
    let file = try sample.file(plain(.jpeg), "a.jpg")
    let outcome = try Workbench(Self.profile("\"copyright\"")).process(file)
    _ = try outcome.bytes()
    for (index, format) in formats.enumerated() {
      let groups = ["-ifd0:all", "-exififd:all", "-gps:all", "-iptc:all", "-xmp:all"]
      let tags = Set(try sample.tags(outcome.files[index], groups))
      for line in [
        "[IFD0] Artist : José Ñandú", "[IFD0] Copyright : © Ærø", "[XMP-dc] Rights : © Ærø",
      ] {
        #expect(tags.contains(line), "\(format): \(line)")
      }
      for word in ["Maker", "Camera", "2020", "Lieu", "sea", "GPS"] {
        #expect(!tags.contains { $0.contains(word) }, "\(format): \(word)")
      }
    }
  }

  @Test("none and a list: nothing, and exactly what is named")
  func list() throws {
    let sample = try MetadataSample()
    let file = try sample.file(plain(.jpeg), "a.jpg")
    let none = try Workbench(Self.profile("\"none\"")).process(file)
    let named = try Workbench(
      Self.profile("[\"exif:Model\", \"xmp:dc:creator\", \"iptc:Keywords\"]")
    )
    .process(file)
    _ = (try none.bytes(), try named.bytes())
    for (index, format) in formats.enumerated() {
      let groups = [
        "-exif:artist", "-exif:model", "-exif:datetimeoriginal", "-iptc:all", "-xmp:all",
      ]
      #expect(try sample.tags(none.files[index], groups) == [], "\(format)")
      let tags = Set(try sample.tags(named.files[index], groups + ["-gps:all"]))
        .filter { !$0.contains("XMPToolkit") && !$0.contains("RecordVersion") }
      let iptc: Set = ["[IPTC] Keywords : sea"]
      #expect(
        tags.filter { !$0.contains("CodedCharacterSet") }
          == Set(["[IFD0] Model : Camera", "[XMP-dc] Creator : José Ñandú"])
          .union(Self.holdsIPTC(format) ? iptc : []),
        "\(format)"
      )
    }
  }

  @Test(
    "from every container that can hold it EXIF and XMP arrive in a JPEG",
    arguments: [PictureFormat.png, .webp, .avif, .heif, .tiff, .jxl]
  )
  func inputs(format: PictureFormat) throws {
    let sample = try MetadataSample()
    let tags = format == .webp || format == .png || format == .tiff
    // exiftool 12 writes no XMP into a bare JPEG XL: a file that we have made is taken.
    let first = try sample.file(plain(.jpeg), "a.jpg")
    let made = try Workbench("[[output]]\nformat = \"\(format.rawValue)\"\n").process(first)
    _ = try made.bytes()
    let name = "b.\(format.fileExtension)"
    let file =
      tags
      ? try sample.file(plain(format), name) : try sample.folder.write(made.bytes(), to: name)
    let outcome = try Workbench(
      "[input]\nformats = \"all\"\n[[output]]\nformat = \"jpeg\"\nmetadata = \"no-location\"\n"
    )
    .process(file)
    _ = try outcome.bytes()
    let found = try sample.tags(outcome.files[0])
    for line in [
      "[IFD0] Artist : José Ñandú", "[IFD0] Copyright : © Ærø", "[XMP-dc] Rights : © Ærø",
      "[ExifIFD] DateTimeOriginal : 2020:01:02 03:04:05",
    ] {
      #expect(found.contains(line), "\(line)")
    }
    #expect(try sample.places(outcome.files[0]) == [])
  }

  @Test(
    "maker notes keep every byte and their place; a TIFF moves them, with a note",
    .enabled(if: Corpus.isThere, "the corpus is not here")
  )
  func makerNotes() throws {
    let sample = try MetadataSample()
    let file = Corpus.path.appending("exif-gps/exif-samples/DSCN0010.jpg")
    let profile = ["jpeg", "webp", "avif"]
      .map {
        "[[output]]\nname = \"\($0)\"\nformat = \"\($0)\"\nmetadata = \"no-location\"\nquality = 50\n"
      }
      .joined()
    let outcome = try Workbench(profile).process(file)
    _ = try outcome.bytes()
    #expect(!outcome.noteCodes.contains(.makerNotesMoved))
    let before = try sample.tags(file, ["-nikon:all"])
    #expect(before.count > 5)
    for made in outcome.files { #expect(try sample.tags(made, ["-nikon:all"]) == before) }
    let tiff = try Workbench("[[output]]\nformat = \"tiff\"\n").process(file)
    #expect(tiff.noteCodes.contains(.makerNotesMoved))
  }

  @Test("a TIFF is dated by its EXIF")
  func dated() throws {
    let sample = try MetadataSample()
    let file = try sample.file(plain(.tiff), "a.tif")
    #expect(try Workbench("").probe(file).header?.taken == "2020:01:02 03:04:05")
  }
}
