import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Promise 5: nothing changes silently, and a profile may refuse each of these changes.
@Suite("Notes that a profile forbids", .vips)
struct ForbiddenNoteTests {
  /// One loss: what provokes it.
  struct Loss: Sendable, CustomTestStringConvertible {
    let code: Note.Code
    let profile: String
    let name: String
    /// Headers tell of it.
    var isPlanned = true
    let bytes: @Sendable () throws -> [UInt8]

    var testDescription: String { "\(code.rawValue) of \(name)" }
  }

  static let losses: [Loss] = [
    Loss(code: .depthReduced, profile: "[[output]]\nformat = \"jpeg\"\n", name: "a.png") {
      try NaivePicture.synthetic(24, 16).encoded(.png, deep: true)
    },
    Loss(
      code: .alphaFlattened,
      profile: "[[output]]\nformat = \"jpeg\"\n",
      name: "a.png",
      isPlanned: false
    ) {
      try NaivePicture.synthetic(24, 16, bands: 4).encoded(.png)
    },
    Loss(
      code: .alphaReduced,
      profile: "[[output]]\nformat = \"gif\"\n",
      name: "a.png",
      isPlanned: false
    ) {
      try NaivePicture(width: 24, height: 16, bands: 4) { x, _, band in
        band == 3 ? Double(x * 10) : 90
      }
      .encoded(.png)
    },
    Loss(code: .pagesDropped, profile: "[[output]]\nformat = \"png\"\n", name: "pages.tif") {
      tiff(pages: [.synthetic(20, 10, bands: 1), .synthetic(20, 10, bands: 1)])
    },
    Loss(code: .pagesDropped, profile: "[[output]]\nformat = \"png\"\n", name: "moving.gif") {
      let frames = NaivePicture.synthetic(20, 30)
      let image = try frames.image().copy()
      image.set("page-height", int: 10)
      return try image.encoded(.gif)
    },
    Loss(
      code: .pagesDropped,
      profile: "[input]\npages = \"all\"\n[[output]]\nformat = \"png\"\npages = \"first\"\n",
      name: "poster.gif"
    ) {
      let image = try NaivePicture.synthetic(20, 30).image().copy()
      image.set("page-height", int: 10)
      return try image.encoded(.gif)
    },
    Loss(code: .gainMapDropped, profile: "[[output]]\nformat = \"png\"\n", name: "a.jpg") {
      let xmp = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
        xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"/></rdf:RDF>\
        </x:xmpmeta>
        """
      let plain = try NaivePicture.synthetic(32, 24).encoded(.jpeg, [.init("strip", .bool(true))])
      return inserting(0xe1, Array("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8), into: plain)
    },
    Loss(
      code: .profileDropped,
      profile: "[[output]]\nformat = \"png\"\n",
      name: "a.jpg"
    ) {
      let plain = try NaivePicture.synthetic(32, 24).encoded(.jpeg, [.init("strip", .bool(true))])
      let broken = (0..<3000).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
      return inserting(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + broken, into: plain)
    },
    Loss(
      code: .enlarged,
      profile:
        "[[step]]\nop = \"resize\"\nwidth = 64\nenlarge = true\n[[output]]\nformat = \"png\"\n",
      name: "a.png"
    ) {
      try NaivePicture.synthetic(24, 16).encoded(.png)
    },
  ]

  @Test("each loss is a note, and forbidden it is a failure that leaves no file", arguments: losses)
  func forbidden(_ loss: Loss) throws {
    let bytes = try loss.bytes()
    let told = try Workbench(loss.profile).process(bytes, named: loss.name)
    #expect(told.result.status == .done)
    let note = try #require(told.result.notes.first { $0.code == loss.code })
    let bench = try Workbench("[notes]\nforbid = [\"\(loss.code.rawValue)\"]\n" + loss.profile)
    let path = try bench.folder.write(bytes, to: "in/" + loss.name)
    let refused = try bench.process(path)
    #expect(refused.result.status == .failed)
    let error = try #require(refused.result.error)
    #expect(error.code == .noteForbidden)
    #expect(error.expected == "no note of \(loss.code.rawValue) (notes.forbid)")
    #expect(error.received == note.text)
    // The report tells it all the same.
    #expect(refused.noteCodes.contains(loss.code))
    #expect(refused.result.outputs.isEmpty)
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
    // And a plan, as far as headers tell.
    let planned = try bench.probe(path)
    #expect((planned.error?.code == .noteForbidden) == loss.isPlanned)
    if loss.isPlanned {
      #expect(planned.notes.contains(note))
      #expect(planned.error == error)
    }
  }

  @Test("other notes, and pictures without one, pass")
  func others() throws {
    let profile =
      "[notes]\nforbid = [\"enlarged\", \"depth-reduced\"]\n[[output]]\nformat = \"jpeg\"\n"
    let alpha = try Workbench(profile)
      .process(NaivePicture.synthetic(24, 16, bands: 4).encoded(.png), named: "a.png")
    #expect(alpha.result.status == .done)
    #expect(alpha.noteCodes == [.alphaFlattened])
  }

  @Test("transparency that GIF can hold is no loss")
  func hardAlpha() throws {
    let picture = NaivePicture(width: 24, height: 16, bands: 4) { x, _, band in
      band == 3 ? (x < 12 ? 0 : 255) : 90
    }
    let bench = try Workbench("[[output]]\nformat = \"gif\"\n")
    let outcome = try bench.process(picture.encoded(.png), named: "a.png")
    #expect(outcome.noteCodes == [])
    #expect(try outcome.picture()[20, 5, 3] == 255)
    #expect(try outcome.picture()[2, 5, 3] == 0)
  }

  @Test("transparency of which nothing is seen is no loss", arguments: [false, true])
  func opaque(_ isDeep: Bool) throws {
    let white = isDeep ? 65_535.0 : 255
    let bench = try Workbench(
      "[[output]]\nformat = \"jpeg\"\nquality = 100\nbackground = \"red\"\n"
    )
    func codes(_ last: Double) throws -> [Note.Code] {
      let picture = NaivePicture(width: 24, height: 16, bands: 4) { x, y, band in
        band == 3 ? ((x, y) == (23, 15) ? last : white) : white / 3
      }
      let outcome = try bench.process(picture.encoded(.png, deep: isDeep), named: "a.png")
      #expect(try outcome.picture().pixel(3, 3).allSatisfy { abs($0 - 85) <= 1 })
      return outcome.noteCodes.filter { $0 != .depthReduced }
    }
    #expect(try codes(white) == [])
    #expect(try codes(white - 1) == [.alphaFlattened])
  }

  @Test("several forbidden notes are all told")
  func several() throws {
    let bench = try Workbench(
      "[notes]\nforbid = [\"alpha-flattened\", \"depth-reduced\"]\n[[output]]\nformat = \"jpeg\"\n"
    )
    let outcome = try bench.process(
      NaivePicture.synthetic(24, 16, bands: 4).encoded(.png, deep: true),
      named: "a.png"
    )
    let error = try #require(outcome.result.error)
    #expect(error.expected == "no note of alpha-flattened, depth-reduced (notes.forbid)")
    #expect(error.received.contains("shows through; 16 bit became 8 bit"))
  }

  @Test("in a group a note of one picture fails the whole, with its name")
  func group() throws {
    let profile = """
      [gather]
      by = "all"
      [[step]]
      op = "compose"
      layout = "strip"
      [[output]]
      format = "png"

      """
    let bench = try Workbench("[notes]\nforbid = [\"pages-dropped\"]\n" + profile)
    let single = try bench.folder.write(NaivePicture.synthetic(9, 9).encoded(.png), to: "in/a.png")
    let pages = try bench.folder.write(
      tiff(pages: [.synthetic(20, 10, bands: 1), .synthetic(20, 10, bands: 1)]),
      to: "in/b.tif"
    )
    #expect(try bench.process(group: [single]).result.status == .done)
    let outcome = try bench.process(group: [single, pages])
    #expect(outcome.result.error?.code == .noteForbidden)
    #expect(outcome.result.error?.received.contains("b.tif") == true)
    #expect(try bench.probe(group: [single, pages]).error?.code == .noteForbidden)
  }

  @Test("a copy loses nothing, so nothing is forbidden")
  func copies() throws {
    let bench = try Workbench("[notes]\nforbid = [\"depth-reduced\"]\n[[output]]\n")
    let bytes = try NaivePicture.synthetic(24, 16).encoded(.png, deep: true)
    #expect(try bench.process(bytes, named: "a.png").bytes() == bytes)
    let never = try Workbench("[notes]\nforbid = [\"copied\"]\n[[output]]\n")
    #expect(try never.process(bytes, named: "a.png").result.error?.code == .noteForbidden)
  }

  @Test("a code that is none is an error of the profile, with the nearest")
  func unknown() {
    let problems = #expect(throws: Problems.self) {
      try Workbench("[notes]\nforbid = [\"depth-reduce\", 3]\n")
    }
    let all = problems?.all ?? []
    #expect(all.count == 2)
    #expect(all.first?.expected == "the code of a note (did you mean \"depth-reduced\"?)")
    #expect(all.first?.key == "notes.forbid[0]")
    #expect(all.first?.place.line == 3)
    let key = #expect(throws: Problems.self) { try Workbench("[notes]\nforbit = []\n") }
    #expect(key?.all.first?.expected == "a known key (did you mean \"forbid\"?)")
  }

  @Test("the command line may forbid, and a child's list is in place of its parent's")
  func assignments() throws {
    let folder = try ScratchFolder()
    _ = try folder.write(
      "profile = 1\n[notes]\nforbid = [\"enlarged\", \"copied\"]\n",
      to: "base.toml"
    )
    let file = try folder.write(
      "profile = 1\nextends = \"./base.toml\"\n[notes]\nforbid = [\"enlarged\"]\n",
      to: "child.toml"
    )
    #expect(try ProfileLoader.load(file, operations: []).notes.forbid == [.enlarged])
    let set = try ProfileLoader.load(
      file,
      set: ["notes.forbid=[\"depth-reduced\"]"],
      operations: []
    )
    #expect(set.notes.forbid == [.depthReduced])
  }
}
