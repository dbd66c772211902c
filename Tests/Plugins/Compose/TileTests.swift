import ComposeOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite("Strips and grids", .vips) struct TileTests {
  /// Flat pictures of different colors and sizes.
  private func pictures(_ count: Int) throws -> [Image] {
    try (0..<count).map {
      try Sample.flat([UInt8(10 + 20 * $0), UInt8(200 - 10 * $0), 7], width: 20 + $0, height: 30)
    }
  }

  /// Every pixel of a sheet of flat pictures, told tile by tile.
  private func check(
    _ toml: String,
    count: Int,
    size: [Int],
    tile: (width: Int, height: Int),
    places: [(x: Int, y: Int)]
  ) throws {
    let images = try pictures(count)
    let result = try Pixels(composed(toml, images))
    #expect([result.width, result.height] == size)
    var wanted = [[UInt8]](repeating: [255, 255, 255], count: result.width * result.height)
    for (image, place) in zip(images, places) {
      let color = try image.samples(x: 0, y: 0)
      for y in place.y..<(place.y + tile.height) {
        for x in place.x..<(place.x + tile.width) { wanted[y * result.width + x] = color }
      }
    }
    #expect(result.samples == wanted.flatMap { $0 })
  }

  @Test func aStripIsARowOfTilesOfEighty() throws {
    try check(
      "layout = \"strip\"",
      count: 3,
      size: [240, 80],
      tile: (80, 80),
      places: [(0, 0), (80, 0), (160, 0)]
    )
  }

  @Test func gapsAreAroundAndBetween() throws {
    try check(
      "layout = \"strip\"\ntile = [10, 6]\ngap = 3",
      count: 3,
      size: [42, 12],
      tile: (10, 6),
      places: [(3, 3), (16, 3), (29, 3)]
    )
  }

  @Test func aGridBeginsEachRowAtTheLeft() throws {
    try check(
      "layout = \"grid\"\ntile = [10, 6]\ngap = 2\ncolumns = 3",
      count: 5,
      size: [38, 18],
      tile: (10, 6),
      places: [(2, 2), (14, 2), (26, 2), (2, 10), (14, 10)]
    )
  }

  @Test func columnsStayWhereThereAreFewerPictures() throws {
    try check(
      "layout = \"grid\"\ntile = [10, 6]\ncolumns = 3",
      count: 2,
      size: [30, 6],
      tile: (10, 6),
      places: [(0, 0), (10, 0)]
    )
  }

  @Test(arguments: [(1, 80, 80), (2, 160, 80), (4, 160, 160), (5, 240, 160), (10, 320, 240)])
  func aGridIsNearlySquareByDefault(count: Int, width: Int, height: Int) throws {
    // Neither layers nor a layout: a grid.
    let frame = try trial("", pictures(count)).frame
    #expect(frame.size == Size(width: width, height: height))
  }

  @Test func fitFillsTheTile() throws {
    // Left half red, right half blue, twice as wide as high.
    let pixels = (0..<20).flatMap { _ in
      (0..<40).flatMap { x -> [UInt8] in x < 20 ? [255, 0, 0] : [0, 0, 255] }
    }
    let picture = try Image(pixels: pixels, width: 40, height: 20, bands: 3)
    func tile(_ fit: String) throws -> Pixels {
      try Pixels(composed("layout = \"strip\"\ntile = [20, 20]\n\(fit)", [picture]))
    }
    for fit in ["", "fit = \"cover\""] {
      let cover = try tile(fit)
      #expect(cover[0, 0] == [255, 0, 0] && cover[19, 19] == [0, 0, 255])
    }
    let contain = try tile("fit = \"contain\"")
    #expect(contain[10, 4] == [255, 255, 255] && contain[10, 15] == [255, 255, 255])
    #expect(contain[2, 5] == [255, 0, 0] && contain[17, 14] == [0, 0, 255])
    let stretch = try tile("fit = \"stretch\"")
    #expect(stretch[2, 0] == [255, 0, 0] && stretch[17, 19] == [0, 0, 255])
  }

  @Test func theSheetLiesInTheMiddleOfACanvasThatIsSaid() throws {
    try check(
      "layout = \"grid\"\ncanvas = [31, 21]\ntile = [10, 6]\ncolumns = 2",
      count: 3,
      size: [31, 21],
      tile: (10, 6),
      places: [(5, 4), (15, 4), (5, 10)]
    )
  }

  @Test func scaledTilesRoundTheirEdges() throws {
    // 1.5 times 3, 13, 16, 26 …
    try check(
      "layout = \"strip\"\ntile = [10, 6]\ngap = 3\nscale = 1.5",
      count: 2,
      size: [44, 18],
      tile: (15, 9),
      places: [(4, 4), (24, 4)]
    )
  }

  @Test func layersLieAboveTiles() throws {
    let result = try composed(
      "layout = \"strip\"\ntile = [10, 6]\n[[layer]]\nsource = \"frame:2\"\nwidth = 4\nheight = 4\nfit = \"cover\"",
      [Sample.flat([9], width: 10, height: 10), Sample.flat([99], width: 10, height: 10)]
    )
    #expect([result.width, result.height] == [20, 6])
    #expect(try result.samples(x: 9, y: 3) == [99] && result.samples(x: 7, y: 3) == [9])
  }

  // MARK: Captions

  private let captioned = "layout = \"grid\"\ncolumns = 2\ntile = [60, 20]\ngap = 4\n"

  @Test func captionsHaveRoomBelowTheirTiles() throws {
    let images = [
      try Sample.flat([255], width: 60, height: 20), try Sample.flat([255], width: 60, height: 20),
    ]
    let result = try Pixels(composed(captioned + "caption = \"Ax{{\"\n", images))
    // Half as high again as the letters' 12 pixels.
    #expect([result.width, result.height] == [132, 46])
    let dark = (0..<46).filter { y in (0..<132).contains { result[$0, y][0] < 128 } }
    #expect((dark.min() ?? 0) >= 24 && (dark.max() ?? 99) < 42)
    // Both tiles have the same line, in the middle of its room.
    for y in 24..<42 {
      for x in 4..<64 { #expect(result[x, y] == result[x + 64, y]) }
    }
    let ink = (4..<64).filter { x in (24..<42).contains { result[x, $0][0] < 255 } }
    #expect(abs(((ink.min() ?? 0) - 4) - (63 - (ink.max() ?? 0))) <= 1)
  }

  @Test func captionColorSizeAndFontCount() throws {
    let images = [try Sample.flat([255, 255, 255], width: 60, height: 20)]
    let plain = try Pixels(
      composed("layout = \"strip\"\ntile = [60, 20]\ncaption = \"Hxg\"", images)
    )
    let red = try Pixels(
      composed(
        "layout = \"strip\"\ntile = [60, 20]\ncaption = \"Hxg\"\ncaption-color = \"red\"",
        images
      )
    )
    for (a, b) in zip(plain.samples.chunks(of: 3), red.samples.chunks(of: 3)) {
      #expect(b[0] == 255 && b[1] == a[1])
    }
    let large = try Pixels(
      composed("layout = \"strip\"\ntile = [60, 20]\ncaption = \"Hxg\"\ncaption-size = 20", images)
    )
    #expect(plain.height == 38 && large.height == 50)
    let mono = try Pixels(
      composed(
        "layout = \"strip\"\ntile = [60, 20]\ncaption = \"iii\"\ncaption-font = \"DejaVu Sans Mono\"",
        images
      )
    )
    let sans = try Pixels(
      composed("layout = \"strip\"\ntile = [60, 20]\ncaption = \"iii\"", images)
    )
    #expect(mono.samples != sans.samples)
  }

  /// Markup is text, and what is too long ends in an ellipsis inside the room.
  @Test func captionsArePlainAndCutShort() throws {
    let images = [try Sample.flat([255], width: 60, height: 20)]
    func sheet(_ caption: String) throws -> Pixels {
      try Pixels(
        composed("layout = \"strip\"\ngap = 5\ntile = [60, 20]\ncaption = \"\(caption)\"", images)
      )
    }
    #expect(try sheet("<b>a</b>&amp;").samples != sheet("a&").samples)
    let long = try sheet(String(repeating: "wide ", count: 50))
    for y in 0..<long.height {
      for x in [0, 1, 2, 3, 4, 65, 66, 67, 68, 69] { #expect(long[x, y] == [255]) }
    }
    #expect(long.samples.contains { $0 < 100 })
    #expect(try sheet("wide wide wide wide wide").samples != sheet("wide wide").samples)
    // Nothing to be seen, and too narrow for a single letter.
    #expect(try sheet("{exif:Model}").samples.allSatisfy { $0 == 255 })
    let narrow = try composed("layout = \"strip\"\ntile = [2, 2]\ncaption = \"WWW\"", images)
    #expect(try narrow.pixels().allSatisfy { $0 == 255 })
  }

  @Test func captionsGrowWithTheScale() throws {
    let images = [try Sample.flat([255], width: 60, height: 20)]
    let toml = "layout = \"strip\"\ntile = [60, 20]\ncaption = \"Hxg\"\n"
    let one = try Pixels(composed(toml, images))
    let two = try Pixels(composed(toml + "scale = 2", images))
    func ink(_ pixels: Pixels) -> Double {
      pixels.samples.reduce(0) { $0 + Double(255 - $1) / 255 }
    }
    #expect(two.height == 2 * one.height)
    #expect(abs(ink(two) / ink(one) - 4) < 0.6)
  }
}

extension Array {
  fileprivate func chunks(of count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}
