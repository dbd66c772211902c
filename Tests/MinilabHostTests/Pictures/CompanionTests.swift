import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// What stands in a file beside the picture is kept with it or told as lost, and never told of a file
/// that has none.
@Suite("What stands in a file beside its picture", .vips)
struct CompanionTests {
  private static let lost: Set<Note.Code> = [
    .gainMapDropped, .attachmentDropped, .thumbnailDropped, .metadataDropped,
  ]

  private func plain() throws -> [UInt8] {
    try NaivePicture.synthetic(32, 24).encoded(.jpeg, [.init("strip", .bool(true))])
  }

  /// A JPEG followed by others, with the index of CIPA DC-007 before its tables.
  private func multiPicture(_ others: [(kind: Int, bytes: [UInt8])]) throws -> [UInt8] {
    func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
    let first = try plain()
    let count = others.count + 1
    let head =
      Array("MM".utf8) + [0, 42] + long(8) + [0, 1, 0xb0, 0x02, 0, 7] + long(16 * count) + long(26)
      + long(0)
    let indexLength = 4 + head.count + 16 * count
    // Offsets count from the index's byte order mark.
    var offset = first.count + 4 + indexLength - 10
    var list = long(0x3_0000) + long(first.count) + long(0) + long(0)
    for other in others {
      list += long(other.kind) + long(other.bytes.count) + long(offset) + long(0)
      offset += other.bytes.count
    }
    return inserting(0xe2, Array("MPF\0".utf8) + head + list, into: first)
      + others.flatMap(\.bytes)
  }

  private func withXMP(_ properties: String, _ jpeg: [UInt8]) -> [UInt8] {
    let packet = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" \
      xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" \
      xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/" \(properties)/></rdf:RDF></x:xmpmeta>
      """
    return inserting(0xe1, Array("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8), into: jpeg)
  }

  private func codes(_ bytes: [UInt8], _ output: String) throws -> Set<Note.Code> {
    let bench = try Workbench("[[output]]\n\(output)\n")
    let outcome = try bench.process(bytes, named: "a.jpg")
    _ = try outcome.bytes()
    return Self.lost.intersection(outcome.noteCodes)
  }

  private enum Kind: String, CaseIterable {
    case appleGainMap, isoGainMap, isoGainMapBehind, view, preview, film, depth, credentials
  }

  private func bytes(_ kind: Kind) throws -> [UInt8] {
    switch kind {
    case .appleGainMap:
      try multiPicture([(0, withXMP("HDRGainMap:HDRGainMapVersion=\"65536\"", plain()))])
    case .isoGainMap:
      try inserting(0xe2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + [0, 0], into: plain())
    case .isoGainMapBehind:
      try multiPicture([
        (0, inserting(0xe2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + [0], into: plain()))
      ])
    case .view: try multiPicture([(0x2_0002, plain())])
    case .preview: try multiPicture([(0x1_0001, plain())])
    case .film: try withXMP("GCamera:MotionPhoto=\"1\"", plain()) + Array("ftypmp42".utf8)
    case .depth: try withXMP("GDepth:Format=\"RangeInverse\"", plain())
    case .credentials:
      try inserting(0xeb, Array("JP\0\u{1}\0\0\0\u{1}\0\0\0\u{40}jumbc2pa".utf8), into: plain())
    }
  }

  private func expected(_ kind: Kind) -> Note.Code {
    switch kind {
    case .appleGainMap, .isoGainMap, .isoGainMapBehind: .gainMapDropped
    case .view, .film, .depth: .attachmentDropped
    case .preview: .thumbnailDropped
    case .credentials: .metadataDropped
    }
  }

  @Test(
    "is lost where the picture is encoded, kept in a copy, and lost in a copy with less metadata"
  )
  func losses() throws {
    for kind in Kind.allCases {
      let bytes = try bytes(kind)
      #expect(try codes(bytes, "format = \"png\"") == [expected(kind)], "\(kind)")
      #expect(try codes(bytes, "format = \"jpeg\"") == [], "\(kind)")
      #expect(
        try codes(bytes, "format = \"jpeg\"\nmetadata = \"no-location\"") == [expected(kind)],
        "\(kind)"
      )
    }
    #expect(try codes(plain(), "format = \"png\"") == [])
    #expect(try codes(multiPicture([]), "format = \"png\"") == [])
  }

  private func sayings(_ behind: [UInt8]) throws -> [String] {
    let bench = try Workbench("[[output]]\nformat = \"png\"\n")
    let outcome = try bench.process(plain() + behind, named: "a.jpg")
    _ = try outcome.bytes()
    return outcome.result.notes.filter { $0.code == .attachmentDropped }.map(\.text)
  }

  private static let film =
    [0, 0, 0, 0x1c] + Array("ftypisom".utf8) + [UInt8](repeating: 7, count: 99)

  /// Blocks and their directory as Samsung's phones write them.
  private func trailer(_ blocks: [(name: String, data: [UInt8])]) -> [UInt8] {
    func long(_ value: Int) -> [UInt8] { [0, 8, 16, 24].map { UInt8(value >> $0 & 255) } }
    let written = blocks.map { [0, 0, 1, 10] + long($0.name.utf8.count) + $0.name.utf8 + $0.data }
    var directory = Array("SEFH".utf8) + long(107) + long(blocks.count)
    for (index, block) in written.enumerated() {
      let back = written[index...].reduce(0) { $0 + $1.count }
      directory += [0, 0, 1, 10] + long(back) + long(block.count)
    }
    return written.flatMap(\.self) + directory + long(directory.count) + "SEFT".utf8
  }

  @Test("what stands behind a picture is told by its own bytes")
  func behind() throws {
    let left = "in the file was left out"
    #expect(try sayings(Self.film) == ["the film of a motion photo \(left)"])
    #expect(try sayings([0, 0, 0, 0, 0] + Self.film) == ["the film of a motion photo \(left)"])
    #expect(try sayings(plain()) == ["a second picture \(left)"])
    #expect(
      try sayings([0, 0] + plain() + plain() + Self.film)
        == ["2 further pictures and the film of a motion photo \(left)"]
    )
    #expect(
      try sayings(trailer([("Image_UTC_Data", [1, 2]), ("MotionPhoto_Data", Self.film)]))
        == ["the film of a motion photo \(left)"]
    )
    let noise = (0..<2000).map { UInt8(truncatingIfNeeded: $0 * 37 | 1) }
    #expect(try sayings(noise) == ["2000 bytes behind the picture \(left)"])
  }

  @Test("filling, a few bytes left over and a phone's values are no attachment")
  func nothingBehind() throws {
    for bytes in [
      [UInt8](repeating: 0, count: 200_000), [UInt8](repeating: 0xff, count: 3000), [1, 2, 3, 4],
      Array("\r\n".utf8), trailer([("Image_UTC_Data", Array("1600000000000".utf8))]),
    ] {
      #expect(try sayings(bytes) == [])
    }
  }

  @Test("a signature is metadata: where none is wanted, none is lost")
  func credentials() throws {
    #expect(try codes(bytes(.credentials), "format = \"png\"\nmetadata = \"none\"") == [])
  }

  @Test("a broken index of pictures is no index")
  func broken() throws {
    let bytes = try multiPicture([(0, plain())])
    for place in 0..<60 {
      var broken = bytes
      broken[6 + place] ^= 0xff
      _ = try? codes(broken, "format = \"png\"")
    }
  }

  @Test("a copy with less metadata ends with its picture")
  func cut() throws {
    let bench = try Workbench("[[output]]\nformat = \"jpeg\"\nmetadata = \"none\"\n")
    let outcome = try bench.process(bytes(.view), named: "a.jpg")
    #expect(outcome.noteCodes == [.attachmentDropped, .copied])
    #expect(try outcome.bytes().count == plain().count)
  }

  @Test(
    "of the corpus: gain maps in JPEG and AVIF, and a stereo pair",
    .enabled(if: Corpus.isThere, "there is no corpus of pictures beside the package"),
    arguments: [
      ("hdr-gainmap/libvips/ultra-hdr.jpg", Note.Code.gainMapDropped),
      ("hdr-gainmap/libavif/apple_gainmap_new.jpg", .gainMapDropped),
      ("hdr-gainmap/libavif/seine_sdr_gainmap_srgb.jpg", .gainMapDropped),
      ("avif/libavif/colors_hdr_srgb.avif", .gainMapDropped),
      ("mpo-motion/pillow/frozenpond.mpo", .attachmentDropped),
      ("avif/libavif/colors_sdr_srgb.avif", nil),
      ("photo/deb-wallpapers/Wine_by_Jakkub_Mede.jpg", nil),
    ] as [(String, Note.Code?)]
  )
  func corpus(_ file: String, _ code: Note.Code?) throws {
    let bench = try Workbench(
      "[input]\nformats = \"all\"\n[[step]]\nop = \"thumbnail-preview\"\nmax-side = 32\n"
        + "[[output]]\nformat = \"webp\"\n"
    )
    let outcome = try bench.process(Corpus.path.appending(file))
    _ = try outcome.bytes()
    let found = Set(outcome.noteCodes).intersection([.gainMapDropped, .attachmentDropped])
    #expect(found == (code.map { [$0] } ?? []))
  }
}
