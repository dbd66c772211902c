import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// What a header tells of a file before it is made, held against what making it tells.
@Suite("Notes that are told ahead", .vips)
struct ForeseenNotesTests {
  /// A profile and what it tells of the picture.
  struct Case: Sendable, CustomTestStringConvertible {
    let profile: String
    let codes: Set<Note.Code>
    let bytes: @Sendable () throws -> [UInt8]

    var testDescription: String { "\(codes.map(\.rawValue).sorted()) by \(profile)" }

    init(
      _ profile: String,
      _ codes: Set<Note.Code>,
      _ bytes: @escaping @Sendable () throws -> [UInt8]
    ) {
      (self.profile, self.codes, self.bytes) = (profile, codes, bytes)
    }
  }

  private static let same = "[[output]]\nname = \"same\"\n"
  private static let orient = "[[step]]\nop = \"orient\"\n"
  private static let crop = "[[step]]\nop = \"crop\"\nrect = [16, 16, 48, 32]\n"

  private static let plain: @Sendable () throws -> [UInt8] = {
    try NaivePicture.synthetic(96, 64).encoded(.jpeg)
  }

  private static let turned: @Sendable () throws -> [UInt8] = {
    try CoefficientFile.camera.bytes(96, 64, tag: 6)
  }

  private static let inks: @Sendable () throws -> [UInt8] = {
    try NaivePicture.synthetic(32, 24).image().colourspace(.cmyk).encoded(.jpeg)
  }

  private static let wide: @Sendable () throws -> [UInt8] = {
    inserting(
      0xe2,
      Array("ICC_PROFILE\0".utf8) + [1, 1] + matrixProfile(.displayP3, gamma: 2.2),
      into: try NaivePicture.synthetic(64, 48).encoded(.jpeg, [.init("strip", .bool(true))])
    )
  }

  static let cases: [Case] = [
    Case(same, [.copied], plain),
    Case(same + "metadata = \"none\"\n", [.copied], plain),
    // The tag has to go, and the turn cannot.
    Case(same + "metadata = \"none\"\n", [], turned),
    Case(same, [.copied], turned),
    Case(orient + same, [.lossless], turned),
    Case(crop + same, [.lossless], plain),
    Case(crop.replacing("[16", with: "[19") + same, [.encodedAgain], plain),
    Case(
      crop.replacing("[16", with: "[19") + "lossless = \"trim\"\n" + same,
      [.trimmed, .lossless],
      plain
    ),
    Case(same, [.colorConverted], inks),
    Case(same + "color = \"keep\"\n", [.copied], inks),
    Case(orient + same + "format = \"png\"\n", [.colorConverted], inks),
    Case(same, [.colorConverted], wide),
    Case(same + "color = \"keep\"\nformat = \"png\"\n", [], wide),
    Case(
      same + "color = \"keep\"\nformat = \"png\"\nembed-profile = false\n",
      [.profileDropped],
      wide
    ),
    Case("[[step]]\nop = \"blur\"\nsigma = 1\n" + same, [.colorConverted], inks),
  ]

  @Test("are those that are told when the picture is made", arguments: cases)
  func areThoseOfMaking(_ test: Case) throws {
    let bench = try Workbench(test.profile)
    let path = try bench.folder.write(test.bytes(), to: "in/a.jpg")
    let made = try bench.process(path)
    #expect(Set(made.noteCodes) == test.codes)
    let planned = try bench.probe(path)
    #expect(planned.error == nil)
    #expect(Set(planned.notes.map(\.text)) == Set(made.result.notes.map(\.text)))
    bench.processor.explains = true
    let explained = try bench.probe(path)
    #expect(Set(explained.notes.map(\.text)) == Set(made.result.notes.map(\.text)))
    let way = try #require(explained.account?.outputs.first?.way)
    #expect((way == .copy) == test.codes.contains(.copied))
    #expect((way == .lossless) == test.codes.contains(.lossless))
  }

  @Test("can be forbidden before anything is made", arguments: [Note.Code.copied, .lossless])
  func forbidden(_ code: Note.Code) throws {
    let toml = "[notes]\nforbid = [\"\(code.rawValue)\"]\n" + Self.orient + Self.same
    let bench = try Workbench(toml)
    let bytes = try code == .copied ? Self.plain() : Self.turned()
    let planned = try bench.probe(bench.folder.write(bytes, to: "in/a.jpg"))
    #expect(planned.error?.code == .noteForbidden)
    #expect(planned.error == (try bench.process(bytes, named: "a.jpg")).result.error)
  }

  @Test("say nothing of a picture that may be made of a preview in its file")
  func readyPreview() throws {
    let toml = """
      [[step]]
      op = "thumbnail-preview"
      max-side = 16
      use-existing = "embedded"

      """
    let bench = try Workbench(toml + Self.same)
    let path = try bench.folder.write(Self.inks(), to: "in/a.jpg")
    #expect(try bench.probe(path).notes == [])
    // It has none, and that is known where pixels may be looked at.
    bench.processor.explains = true
    let explained = try bench.probe(path).notes
    #expect(Set(explained.map(\.code)) == [.previewSource, .colorConverted])
    #expect(try Set(bench.process(path).result.notes.map(\.text)) == Set(explained.map(\.text)))
  }

  @Test("A copy whose file cannot take other metadata is encoded, and that is known ahead")
  func structure() throws {
    // No end marker of the chunks, and all of the pixels.
    let png = try NaivePicture.synthetic(40, 30).encoded(.png)
    let cut = Array(png.dropLast(12))
    let bench = try Workbench("[input]\ndamaged = \"warn\"\n" + Self.same + "metadata = \"none\"\n")
    let path = try bench.folder.write(cut, to: "in/a.png")
    bench.processor.explains = true
    let explained = try bench.probe(path)
    #expect(explained.account?.outputs.map(\.way) == [.encode])
    #expect(!explained.notes.map(\.code).contains(.copied))
    let made = try bench.process(path)
    #expect(!made.noteCodes.contains(.copied))
    #expect(try made.bytes() != cut)
  }
}
