import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Ready-made reductions", .vips)
struct PyramidTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Smooth enough that its reductions say the same as the picture itself.
  private func picture() throws -> Image {
    try Sample.gradient(width: 640, height: 384)
  }

  private func opened(
    _ format: PictureFormat,
    _ arguments: [Argument]
  ) throws -> OpenedPicture {
    let bytes = try picture().encoded(format, arguments)
    let path = try folder.write(bytes, to: "in/\(format.rawValue)-\(arguments.count)")
    return try OpenedPicture(path, format: format, policy: InputPolicy())
  }

  private let pyramid: [Argument] = [
    .init("pyramid", .bool(true)), .init("tile", .bool(true)), .init("tile-width", .int(64)),
    .init("tile-height", .int(64)),
  ]

  /// Each reduction shows the same place at the same point.
  private func expectSamePlaces(_ opened: OpenedPicture) throws {
    for reduction in opened.reductions where reduction <= 8 {
      let pixels = try opened.pixels(reduction: reduction)
      let image = try pixels.image.inMemory()
      let width = image.width
      for x in [width / 4, width / 2, width * 3 / 4] {
        let sample = try image.samples(x: x, y: image.height / 2)
        let place = (Double(x) + 0.5 - pixels.shift) * pixels.factorX
        let wanted = (place - 0.5) * 255 / 639
        #expect(abs(Double(sample[0]) - wanted) < 2.5, "reduction \(reduction) at \(x)")
      }
    }
  }

  @Test("A TIFF pyramid's levels are reductions and no pages")
  func pages() throws {
    let opened = try opened(.tiff, pyramid)
    #expect(opened.reductions.prefix(3) == [1, 2, 4])
    #expect(opened.origin.pages == 1)
    #expect(opened.notes.isEmpty)
    try expectSamePlaces(opened)
  }

  @Test("So are levels in sub-IFDs")
  func subIFDs() throws {
    let opened = try opened(.tiff, pyramid + [.init("subifd", .bool(true))])
    #expect(opened.reductions.prefix(3) == [1, 2, 4])
    #expect(opened.origin.pages == 1)
    try expectSamePlaces(opened)
  }

  @Test("JPEG 2000's resolutions are reductions and no pages")
  func resolutions() throws {
    let opened = try opened(.jp2k, [.init("lossless", .bool(true))])
    #expect(opened.reductions.first == 1)
    #expect(opened.origin.pages == 1)
    try expectSamePlaces(opened)
  }

  @Test("A second page of another size is a page")
  func otherPages() throws {
    // Two pages of the same size, one below the other as libvips holds them.
    let two = try Sample.gradient(width: 64, height: 96)
    let bytes = try two.encoded(.tiff, [.init("page-height", .int(48))])
    let path = try folder.write(bytes, to: "in/two.tif")
    let opened = try OpenedPicture(path, format: .tiff, policy: InputPolicy())
    #expect(opened.reductions == [1])
    #expect(opened.origin.pages == 2)
    #expect(opened.notes.map(\.code) == [.pagesDropped])
  }

  @Test("A preview of a pyramid is the preview of the picture")
  func sameResult() throws {
    let bench = try Workbench(
      """
      [[step]]
      op = "thumbnail-preview"
      max-side = 100
      [[output]]
      format = "png"
      """
    )
    let plain = try bench.process(picture().encoded(.tiff), named: "plain.tif").image().pixels()
    for (name, arguments) in [("a.tif", pyramid)] {
      let result = try bench.process(picture().encoded(.tiff, arguments), named: name).image()
      let difference = zip(try result.pixels(), plain).map { abs(Int($0) - Int($1)) }
      #expect(try #require(difference.max()) <= 2)
    }
    let wavelet = try bench.process(
      picture().encoded(.jp2k, [.init("lossless", .bool(true))]),
      named: "a.jp2"
    )
    let difference = zip(try wavelet.image().pixels(), plain).map { abs(Int($0) - Int($1)) }
    #expect(difference.reduce(0, +) <= difference.count)
  }
}
