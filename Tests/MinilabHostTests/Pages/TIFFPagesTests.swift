import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Field report 17 to its end: pages of unlike size, kind, resolution and orientation.
@Suite("All pages of a TIFF (field report 17)", .vips)
struct TIFFPagesTests {
  private static let pages: [HandmadeTIFF.Page] = [
    .init(picture: .synthetic(40, 30, bands: 1), perInch: 300),
    .init(picture: .synthetic(21, 13, bands: 3), orientation: 6, perInch: 150),
    .init(picture: .synthetic(20, 60, bands: 3), perInch: 72),
  ]
  private static let upright: [Size] = [
    Size(width: 40, height: 30), Size(width: 13, height: 21), Size(width: 20, height: 60),
  ]

  private func loaded(_ index: Int, _ bytes: [UInt8]) throws -> Image {
    try load("tiffload_source", from: Source(bytes: bytes), [.init("page", .int(index))])
  }

  private func count(_ bytes: [UInt8]) throws -> Int {
    try TIFFStructure { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }.pages()
      .count
  }

  @Test(
    "Each goes through the steps by itself",
    arguments: [
      "op = \"orient\"", "op = \"crop\"\nrect = [\"10%\", \"20%\", \"50%\", \"50%\"]",
      "op = \"thumbnail-preview\"\nmax-side = 15", "op = \"shape-mask\"\nshape = \"ellipse\"",
      "op = \"blur\"\nsigma = 1.0",
    ],
    [4, 8]
  )
  func steps(_ step: String, _ width: Int) throws {
    let bench = try Workbench(
      AllFramesTests.all + "[[step]]\n\(step)\n[[output]]\nformat = \"tiff\"\n"
    )
    let file = HandmadeTIFF(pages: Self.pages, width: width)
    let outcome = try bench.process(file.bytes, named: "a.tif")
    let bytes = try outcome.bytes()
    #expect(outcome.result.outputs[0].pages == 3)
    #expect(try count(bytes) == 3)
    #expect(!outcome.noteCodes.contains(.pagesDropped))
    let alone = try Workbench("[[step]]\n\(step)\n[[output]]\nformat = \"tiff\"\n")
    for (index, page) in Self.pages.enumerated() {
      let single = HandmadeTIFF(pages: [page]).bytes
      let wanted = try alone.process(single, named: "b.tif").image()
      let own = try loaded(index, bytes)
      #expect(try NaivePicture(own).greatestDifference(from: NaivePicture(wanted)) == 0, "\(index)")
      #expect(abs(own.resolution.x * 25.4 - Double(page.perInch)) < 0.1)
      #expect(own.bands == wanted.bands)
    }
  }

  @Test("A smaller copy of a page is none, and a page that is half as large is one")
  func copies() throws {
    let large = NaivePicture.synthetic(40, 30, bands: 1)
    let half = NaivePicture.synthetic(20, 15, bands: 1)
    let last = NaivePicture.synthetic(8, 8, bands: 1)
    for (kind, pages) in [(1, [large, last]), (0, [large, half, last])] {
      let file = HandmadeTIFF(
        pages: [.init(picture: large), .init(picture: half, kind: kind), .init(picture: last)]
      )
      let bench = try Workbench(
        AllFramesTests.all + "[[output]]\ncolor = \"keep\"\ncompression = \"lzw\"\n"
      )
      let bytes = try bench.process(file.bytes, named: "a.tif").bytes()
      #expect(try count(bytes) == pages.count)
      for (index, page) in pages.enumerated() {
        let own = try NaivePicture(loaded(index, bytes))
        #expect(own.greatestDifference(from: try NaivePicture(page.image())) == 0, "\(index)")
      }
    }
  }

  @Test("A preview page that is no true half is none, and not counted (field report 17)")
  func previewPage() throws {
    let file = HandmadeTIFF(
      pages: [
        .init(picture: .synthetic(40, 30, bands: 1)),
        .init(picture: .synthetic(9, 7, bands: 1), kind: 1),
      ]
    )
    let outcome = try Workbench("[[output]]\n").process(file.bytes, named: "a.tif")
    #expect(outcome.noteCodes == [.copied])
  }

  @Test("Pages that nothing changes are copied; one that must be turned is written anew, with all")
  func copied() throws {
    let same = HandmadeTIFF(pages: [Self.pages[0], Self.pages[2]])
    let bench = try Workbench(AllFramesTests.all + "[[step]]\nop = \"orient\"\n[[output]]\n")
    let outcome = try bench.process(same.bytes, named: "a.tif")
    #expect(try outcome.bytes() == same.bytes)
    let turned = HandmadeTIFF(pages: Self.pages)
    let other = try bench.process(turned.bytes, named: "b.tif")
    #expect(!other.noteCodes.contains(.copied))
    let second = try loaded(1, other.bytes())
    #expect(Size(width: second.width, height: second.height) == Self.upright[1])
  }

  @Test(
    "Many pages with every compression stay what they were",
    arguments: ["none", "deflate", "lzw", "zstd"]
  )
  func many(_ compression: String) throws {
    let pictures = (1...40).map {
      NaivePicture.synthetic(10 + $0, 300 - 5 * $0, bands: $0 % 2 * 2 + 1)
    }
    let file = HandmadeTIFF(pages: pictures.map { .init(picture: $0) })
    let bench = try Workbench(
      AllFramesTests.all + "[[output]]\nformat = \"tiff\"\ncompression = \"\(compression)\"\n"
    )
    let bytes = try bench.process(file.bytes, named: "a.tif").bytes()
    #expect(try count(bytes) == 40)
    for index in [0, 1, 20, 39] {
      let own = try NaivePicture(loaded(index, bytes))
      #expect(own.greatestDifference(from: try NaivePicture(pictures[index].image())) == 0)
    }
  }

  @Test("Pages of one size become frames of an animation; others are told before pixels are read")
  func frames() throws {
    let bench = try Workbench(
      AllFramesTests.all + "[[output]]\nformat = \"webp\"\nlossless = true\n"
    )
    let alike = HandmadeTIFF(
      pages: [
        .init(picture: .synthetic(20, 10, bands: 1)), .init(picture: .synthetic(20, 10, bands: 3)),
      ]
    )
    let bytes = try bench.process(alike.bytes, named: "a.tif").bytes()
    #expect(try Film(bytes) == Film(delays: [100, 100], plays: 0))
    for index in 0..<2 {
      let own = try page(index, of: bytes, .webp)
      let wanted = try NaivePicture(alike.pages[index].picture.image())
      #expect(own.greatestVisibleDifference(from: wanted) == 0)
    }
    let path = try bench.folder.write(HandmadeTIFF(pages: Self.pages).bytes, to: "in/b.tif")
    #expect(try bench.probe(path).error?.code == .formatLimit)
    #expect(try bench.process(path).result.error?.code == .formatLimit)
  }

  @Test("An animation becomes pages of a TIFF; that its times are lost is a note")
  func film() throws {
    let film = HandmadeGIF.moving(Size(width: 30, height: 20), delays: [1, 2, 3])
    let bench = try Workbench(AllFramesTests.all + "[[output]]\nformat = \"tiff\"\n")
    let outcome = try bench.process(film.bytes, named: "a.gif")
    #expect(outcome.noteCodes == [.timingChanged])
    let bytes = try outcome.bytes()
    #expect(try count(bytes) == 3)
    for index in 0..<3 {
      let own = try NaivePicture(loaded(index, bytes))
      #expect(own.greatestVisibleDifference(from: film.shown[index]) == 0)
    }
  }

  @Test("A format whose pages cannot be written is copied, or an error told by the header")
  func unheld() throws {
    let strip = try NaivePicture.synthetic(64, 128).image().copy()
    strip.set("page-height", int: 64)
    let bytes = try strip.encoded(.heif)
    let copying = try Workbench(AllFramesTests.all + "[[output]]\n")
    let copied = try copying.process(bytes, named: "a.heic")
    #expect(try copied.bytes() == bytes)
    #expect(copied.result.outputs[0].pages == 2)
    let bench = try Workbench(
      AllFramesTests.all + "[[step]]\nop = \"crop\"\nrect = [0, 0, 32, 32]\n[[output]]\n"
    )
    let path = try bench.folder.write(bytes, to: "in/a.heic")
    let error = try bench.probe(path).error
    #expect(error?.code == .formatLimit)
    #expect(error?.expected.contains("2 pages") == true)
    #expect(try bench.process(path).result.error == error)
  }
}
