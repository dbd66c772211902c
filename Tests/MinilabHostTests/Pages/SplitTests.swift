import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Scanner TIFFs: each page becomes a picture of its own.
@Suite("Pages in files of their own", .vips)
struct SplitTests {
  private static let pages: [NaivePicture] = [
    .synthetic(40, 30, bands: 1), .synthetic(20, 10, bands: 1), .synthetic(9, 31, bands: 1),
  ]

  private func process(_ bench: Workbench, _ bytes: [UInt8], names: [String]) throws -> UnitResult {
    let path = try bench.folder.write(bytes, to: "in/a")
    let format: PictureFormat = bytes.starts(with: Array("GIF".utf8)) ? .gif : .tiff
    return bench.processor.process(
      UnitRequest(id: 0, input: path, format: format, outputs: names.map { Path($0) })
    )
    .finish()
  }

  private func picture(
    _ bench: Workbench,
    _ name: String,
    _ format: PictureFormat
  ) throws -> NaivePicture {
    try page(0, of: contents(of: bench.outputRoot.appending(name)), format)
  }

  @Test(
    "are what single pictures of them would be, in any format",
    arguments: ["png", "tiff", "webp"]
  )
  func pages(_ format: String) throws {
    let bench = try Workbench(
      "[input]\npages = \"split\"\n[[step]]\nop = \"crop\"\nrect = [1, 1, \"50%\", \"50%\"]\n"
        + "[[output]]\nformat = \"\(format)\"\n" + (format == "webp" ? "lossless = true\n" : "")
        + "[[output]]\nname = \"b\"\nformat = \"png\"\n"
    )
    let result = try process(
      bench,
      tiff(pages: Self.pages),
      names: ["1", "1b", "2", "2b", "3", "3b"]
    )
    #expect(result.error == nil)
    #expect(result.outputs.map(\.path.shown) == ["1", "1b", "2", "2b", "3", "3b"])
    #expect(!result.notes.contains { $0.code == .pagesDropped })
    let alone = try Workbench(
      "[[step]]\nop = \"crop\"\nrect = [1, 1, \"50%\", \"50%\"]\n[[output]]\nformat = \"png\"\n"
    )
    for (index, page) in Self.pages.enumerated() {
      let wanted = try alone.process(page.encoded(.png), named: "a.png").picture()
      let known = try #require(PictureFormat(rawValue: format))
      let own = try picture(bench, "\(index + 1)", known)
      #expect(own.greatestVisibleDifference(from: wanted) == 0)
      #expect(try picture(bench, "\(index + 1)b", .png).greatestDifference(from: wanted) == 0)
    }
  }

  @Test("also those of an animation, frame by frame")
  func frames() throws {
    let film = HandmadeGIF.moving(Size(width: 30, height: 20), delays: [1, 2, 3, 4])
    let bench = try Workbench("[input]\npages = \"split\"\n[[output]]\nformat = \"png\"\n")
    let result = try process(bench, film.bytes, names: ["1", "2", "3", "4"])
    #expect(result.error == nil)
    for (index, shown) in film.shown.enumerated() {
      #expect(try picture(bench, "\(index + 1)", .png).greatestVisibleDifference(from: shown) == 0)
    }
  }

  @Test("are done all or not at all")
  func whole() throws {
    let bench = try Workbench(
      "[input]\npages = \"split\"\n[[step]]\nop = \"crop\"\nrect = [15, 5, 5, 5]\n[[output]]\nformat = \"png\"\n"
    )
    let result = try process(bench, tiff(pages: Self.pages), names: ["1", "2", "3"])
    #expect(result.error?.code == .cropOutside)
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
  }

  @Test("must be as many as were planned")
  func changed() throws {
    let bench = try Workbench("[input]\npages = \"split\"\n[[output]]\nformat = \"png\"\n")
    let result = try process(bench, tiff(pages: Self.pages), names: ["1", "2"])
    #expect(result.error?.code == .unreadable)
  }

  @Test("are told by the header with their sizes, and which of them are left out")
  func probed() throws {
    let bench = try Workbench(
      "[input]\npages = \"split\"\n[[step]]\nop = \"thumbnail-preview\"\nmax-side = 30\n"
        + "within-limit = \"skip\"\n[[output]]\nformat = \"png\"\n"
    )
    let path = try bench.folder.write(tiff(pages: Self.pages), to: "in/a.tif")
    let result = try bench.probe(path)
    #expect(result.header?.pages == 3)
    #expect(result.sizes.map { $0?.width } == [30, 20, 9])
    #expect(result.leftOut == [1])
  }
}
