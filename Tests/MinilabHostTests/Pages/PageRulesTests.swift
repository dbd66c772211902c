import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("What is refused of pages, and how their files are called", .vips)
struct PageRulesTests {
  private func problems(_ toml: String) throws -> [Problem] {
    let folder = try ScratchFolder()
    let file = try folder.write("profile = 1\n" + toml, to: "profile.toml")
    do {
      _ = try ProfileLoader.load(file, operations: .builtin)
      return []
    } catch {
      return error.all
    }
  }

  @Test("A format that the profile names and that holds one page is an error there")
  func unheld() throws {
    for format in OutputFormat.allCases {
      let found = try problems(
        "[input]\npages = \"all\"\n[[output]]\nformat = \"\(format.rawValue)\"\n"
      )
      let holds = [.gif, .webp, .tiff].contains(format)
      #expect(found.count == (holds ? 0 : 1), "\(format)")
      if !holds {
        #expect(found.first?.place.line == 5)
        #expect(found.first?.key == "output.main.format")
        #expect(found.first?.expected.contains("gif") == true)
      }
      let first =
        "[input]\npages = \"all\"\n[[output]]\nformat = \"\(format.rawValue)\"\npages = \"first\"\n"
      #expect(try problems(first).isEmpty)
      #expect(
        try problems("[input]\npages = \"split\"\n[[output]]\nformat = \"\(format.rawValue)\"\n")
          .isEmpty
      )
    }
    #expect(
      try problems("[input]\npages = \"all\"\n[[output]]\nkind = \"sheet\"\nformat = \"png\"\n")
        .isEmpty
    )
  }

  @Test("Pages of their own are no group's, and {page} is theirs alone")
  func split() throws {
    let gathered = try problems(
      """
      [input]
      pages = "split"
      [gather]
      by = "all"
      [[step]]
      op = "compose"
      layout = "strip"
      """
    )
    #expect(gathered.map(\.key) == ["input.pages"])
    #expect(gathered.first?.place.line == 3)
    let path = "[[output]]\npath = \"{stem}-{page}.{ext}\"\n"
    #expect(try problems("[input]\npages = \"split\"\n" + path).isEmpty)
    #expect(try problems("[input]\npages = \"all\"\n" + path).first?.code == .conflict)
    #expect(try problems(path).first?.key == "output.main.path")
  }

  @Test(
    "More pages, or more pixels in all of them, than the profile allows are refused by the header"
  )
  func limits() throws {
    let film = HandmadeGIF.moving(Size(width: 10, height: 8), delays: .init(repeating: 1, count: 9))
    let document = tiff(pages: (0..<9).map { _ in .synthetic(10, 8, bands: 1) })
    for pages in ["all", "split"] {
      for (bytes, name) in [(film.bytes, "a.gif"), (document, "a.tif")] {
        for (limit, fails) in [
          ("max-pages = 8", true), ("max-pages = 9", false), ("max-total-pixels = 719", true),
          ("max-total-pixels = 720", false), ("max-pixels = 79", true), ("max-pixels = 80", false),
        ] {
          let bench = try Workbench(
            "[input]\npages = \"\(pages)\"\n\(limit)\n[[output]]\nformat = \"tiff\"\n"
          )
          let path = try bench.folder.write(bytes, to: "in/" + name)
          let error = try bench.probe(path).error
          #expect(error?.code == (fails ? .tooManyPixels : nil), "\(pages) \(name) \(limit)")
          if fails { #expect(try bench.process(path).result.error == error) }
        }
        // Of the first page alone the others are not counted.
        let first = try Workbench("[input]\nmax-pages = 2\nmax-total-pixels = 100\n[[output]]\n")
        #expect(try first.process(bytes, named: name).result.status == .done)
      }
    }
  }

  @Test("A page that is larger than allowed fails its file")
  func largePage() throws {
    let bytes = tiff(pages: [.synthetic(10, 8, bands: 1), .synthetic(40, 30, bands: 1)])
    for pages in ["all", "split"] {
      let bench = try Workbench(
        "[input]\npages = \"\(pages)\"\nmax-pixels = 100\n[[output]]\nformat = \"tiff\"\n"
      )
      let path = try bench.folder.write(bytes, to: "in/a.tif")
      #expect(try bench.probe(path).error?.code == .tooManyPixels)
    }
  }

  @Test(
    "Frames that no decoder here reads are counted, and their loss is a note, whatever was asked for"
  )
  func hidden() throws {
    var png = try NaivePicture.synthetic(20, 10).encoded(.png)
    // Behind the header: 8 bytes of signature, and 25 of IHDR.
    let control: [UInt8] = [0, 0, 0, 8] + Array("acTL".utf8) + [0, 0, 0, 7, 0, 0, 0, 0]
    png.insert(contentsOf: control + bigEndian(checksum(control.dropFirst(4))), at: 33)
    for pages in ["first", "all", "split"] {
      let bench = try Workbench(
        "[input]\npages = \"\(pages)\"\n[[output]]\nformat = \"webp\"\nquality = 80\n"
      )
      let outcome = try bench.process(png, named: "a.png")
      let note = outcome.result.notes.first { $0.code == .pagesDropped }
      #expect(note?.text.hasPrefix("the first of 7 pages was used") == true, "\(pages)")
      #expect(try outcome.picture().size == Size(width: 20, height: 10))
    }
    let refusing = try Workbench("[input]\npages = \"reject\"\n[[output]]\n")
    #expect(try refusing.process(png, named: "a.png").result.error?.code == .pagesRejected)
  }

  /// A red, a green and a blue frame of 8 × 6 pixels, as libjxl 0.7 writes them.
  private static let movingJXL: [UInt8] = [
    0xff, 0x0a, 0x28, 0x30, 0xc1, 0x00, 0x02, 0x8a, 0x4b, 0x02, 0x08, 0x02, 0x92, 0x09, 0x00, 0x00,
    0x54, 0x00, 0x4b, 0x18, 0x8b, 0x15, 0xc2, 0x49, 0x02, 0xe6, 0x05, 0x22, 0x00, 0x58, 0xff, 0xfc,
    0xcc, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x02, 0x92, 0x09, 0x00, 0x00, 0x50, 0x00, 0x4b,
    0x18, 0x8b, 0x15, 0xc2, 0x49, 0x41, 0x5e, 0x20, 0x02, 0x00, 0xf9, 0xef, 0x03, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x08, 0x02, 0x92, 0x05, 0x00, 0x4c, 0x00, 0x4b, 0x18, 0x8b, 0x15, 0xc2, 0x49,
    0x41, 0x5e, 0x20, 0x02, 0x00, 0xf2, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  ]

  @Test("The frames of a JPEG XL are counted, however much stands before them")
  func jxl() throws {
    func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
      bigEndian(UInt32(body.count + 8)) + Array(name.utf8) + body
    }
    let boxed =
      box("JXL ", [0x0d, 0x0a, 0x87, 0x0a]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
      + box("xml ", .init(repeating: 0x20, count: 100_000)) + box("jxlc", Self.movingJXL)
    for bytes in [Self.movingJXL, boxed] {
      let input = "[input]\nformats = \"all\"\n"
      let bench = try Workbench(input + "[[output]]\nformat = \"png\"\n")
      let outcome = try bench.process(bytes, named: "a.jxl")
      let note = outcome.result.notes.first { $0.code == .pagesDropped }
      #expect(note?.text == "the first of 3 pages was used")
      let refusing = try Workbench(input + "pages = \"reject\"\n[[output]]\nformat = \"png\"\n")
      let refused = try refusing.process(bytes, named: "a.jxl").result.error
      #expect(refused?.code == .pagesRejected)
    }
  }

  @Test("A JPEG XL that does not move, or that says nothing, has one frame")
  func stillJXL() throws {
    let folder = try ScratchFolder()
    func count(_ bytes: [UInt8]) throws -> Int {
      try HiddenFrames.count(in: PictureData(folder.write(bytes, to: "a.jxl")), .jxl)
    }
    #expect(try count(NaivePicture.synthetic(20, 10).encoded(.jxl)) == 1)
    #expect(try count([0xff, 0x0a]) == 1)
    #expect(try count(Array("no picture".utf8)) == 1)
    // The second frame begins at 39, and what is left of the third at 66 does not say that it is one.
    #expect(try count(Array(Self.movingJXL.prefix(70))) == 2)
  }

  @Test("The frames of a film in HEIF or AVIF are those of its longest track")
  func tracks() throws {
    func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
      bigEndian(UInt32(body.count + 8)) + Array(name.utf8) + body
    }
    func track(_ count: UInt32) -> [UInt8] {
      let sizes = box("stsz", bigEndian(0) + bigEndian(0) + bigEndian(count))
      return box("trak", box("mdia", box("minf", box("stbl", box("free", [1]) + sizes))))
    }
    let film =
      box("ftyp", Array("avis\0\0\0\0avifavismif1".utf8)) + box("meta", [0, 0, 0, 0])
      + box("moov", track(3) + track(12))
    let still = box("ftyp", Array("avif\0\0\0\0avifmif1".utf8)) + box("moov", track(12))
    let folder = try ScratchFolder()
    for (bytes, count) in [(film, 12), (still, 1), (Array(film.prefix(90)), 1)] {
      let data = try PictureData(folder.write(bytes, to: "a"))
      #expect(HiddenFrames.count(in: data, .avif) == count)
    }
  }

  private func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// CRC-32 as PNG has it (ISO/IEC 15948, annex D), bit by bit.
  private func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
      }
    }
  }
}
