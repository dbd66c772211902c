import ComposeOperation
import Glibc
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite("Layers on the canvas", .vips) struct PlacementTests {
  /// Where a white layer lies on a black canvas of 40 × 30: its bounds.
  private func bounds(_ toml: String, width: Int = 10, height: Int = 6) throws -> [Int] {
    let result = try Pixels(
      composed(
        "canvas = [40, 30]\nbackground = \"black\"\n[[layer]]\nsource = \"frame\"\n" + toml,
        [Sample.flat([255], width: width, height: height)]
      )
    )
    var (left, top, right, bottom) = (99, 99, -1, -1)
    for y in 0..<30 {
      for x in 0..<40 where result[x, y] != [0] {
        (left, right) = (min(left, x), max(right, x + 1))
        (top, bottom) = (min(top, y), max(bottom, y + 1))
        #expect(result[x, y] == [255])
      }
    }
    return [left, top, right - left, bottom - top]
  }

  @Test(arguments: [
    ("", [15, 12, 10, 6]),
    ("center = [10, 8]", [5, 5, 10, 6]),
    ("center = [\"25%\", \"1/3\"]", [5, 7, 10, 6]),
    ("gravity = \"north-west\"", [0, 0, 10, 6]),
    ("gravity = \"south-east\"", [30, 24, 10, 6]),
    ("gravity = \"south-east\"\noffset = [-3, \"-10%\"]", [27, 21, 10, 6]),
    ("gravity = \"north-west\"\noffset = [3, 2]", [3, 2, 10, 6]),
    ("gravity = \"north\"\noffset = [3, 2]", [18, 2, 10, 6]),
    ("gravity = \"west\"\noffset = [3, 2]", [3, 14, 10, 6]),
    ("gravity = \"center\"\noffset = [-3, 2]", [12, 14, 10, 6]),
    ("width = 20", [10, 9, 20, 12]),
    ("height = 12", [10, 9, 20, 12]),
    ("width = \"50%\"", [10, 9, 20, 12]),
    ("height = \"100%\"", [0, 0, 40, 30]),
    ("width = 20\nheight = 20", [10, 9, 20, 12]),
    ("width = 20\nheight = 20\nfit = \"cover\"", [10, 5, 20, 20]),
    ("width = 20\nheight = 20\nfit = \"stretch\"", [10, 5, 20, 20]),
    ("zoom = 2", [10, 9, 20, 12]),
    ("zoom = 0.5", [17, 13, 5, 3]),
    ("angle = 90", [17, 10, 6, 10]),
    ("angle = 270\ngravity = \"north-east\"", [34, 0, 6, 10]),
    ("width = 20\nangle = 90", [14, 5, 12, 20]),
    ("width = 0.2\nheight = 0.2\nfit = \"stretch\"", [20, 15, 1, 1]),
  ])
  func areWhereTheKeysSay(toml: String, wanted: [Int]) throws {
    #expect(try bounds(toml) == wanted)
  }

  /// An odd pixel goes to the right and to the bottom, as with gravities everywhere.
  @Test func anOddPixelGoesRight() throws {
    #expect(try bounds("", width: 11, height: 7) == [14, 11, 11, 7])
  }

  @Test func theirOwnSizeKeepsTheirPixels() throws {
    let picture = try noise(11, 7)
    let result = try composed(
      "canvas = [40, 30]\nbackground = \"black\"\n[[layer]]\nsource = \"frame\"\ncenter = [20.3, 9.9]",
      [picture]
    )
    let part = try result.extractArea(left: 15, top: 6, width: 11, height: 7)
    #expect(try part.pixels() == picture.pixels())
  }

  @Test(arguments: [0, 90, 180, 270, 360, -90])
  func quarterTurnsKeepTheirPixels(angle: Int) throws {
    let picture = try noise(11, 7)
    let turned = try picture.rotate(quarterTurns: (angle / 90 + 4) % 4)
    let result = try composed(
      "canvas = \"fit\"\n[[layer]]\nsource = \"frame\"\nangle = \(angle)",
      [picture]
    )
    #expect(result.width == turned.width)
    #expect(try result.pixels() == turned.pixels())
  }

  /// A mark in the layer lands where arithmetic says, at ten random places, zooms and angles.
  @Test(arguments: 0..<10)
  func aMarkLandsWhereArithmeticSays(seed: Int) throws {
    var dice = Dice(UInt32(seed))
    var pixels = [UInt8](repeating: 0, count: 120 * 80)
    let mark = (x: dice.next(20...90), y: dice.next(20...50))
    for y in 0..<8 {
      for x in 0..<8 { pixels[(mark.y + y) * 120 + mark.x + x] = 255 }
    }
    let zoom = 0.4 + 2 * dice.fraction()
    let angle = 360 * dice.fraction() - 180
    let center = (x: 250 + 20 * dice.fraction(), y: 240 + 20 * dice.fraction())
    let result = try composed(
      """
      canvas = [500, 500]
      background = "black"
      [[layer]]
      source = "frame"
      zoom = \(zoom)
      angle = \(angle)
      center = [\(center.x), \(center.y)]
      """,
      [Image(pixels: pixels, width: 120, height: 80, bands: 1)]
    )
    // From the layer's middle to the mark's, zoomed, and turned clockwise as y grows downwards.
    let (dx, dy) = ((Double(mark.x) + 4 - 60) * zoom, (Double(mark.y) + 4 - 40) * zoom)
    let radians = angle * .pi / 180
    let wanted = Point(
      x: center.x + dx * cos(radians) - dy * sin(radians),
      y: center.y + dx * sin(radians) + dy * cos(radians)
    )
    let found = try Pixels(result).centroid
    #expect(hypot(found.x - wanted.x, found.y - wanted.y) < 0.1)
  }

  /// The same for upright layers, whose edges are rounded to whole pixels.
  @Test(arguments: 0..<10)
  func anUprightMarkIsWithinHalfAPixel(seed: Int) throws {
    var dice = Dice(UInt32(seed + 50))
    var pixels = [UInt8](repeating: 0, count: 120 * 80)
    for y in 40..<48 {
      for x in 70..<78 { pixels[y * 120 + x] = 255 }
    }
    let zoom = 0.4 + 2 * dice.fraction()
    let center = (x: 150 + 20 * dice.fraction(), y: 140 + 20 * dice.fraction())
    let result = try composed(
      """
      canvas = [300, 300]
      background = "black"
      [[layer]]
      source = "frame"
      zoom = \(zoom)
      center = [\(center.x), \(center.y)]
      """,
      [Image(pixels: pixels, width: 120, height: 80, bands: 1)]
    )
    let found = try Pixels(result).centroid
    #expect(abs(found.x - (center.x + (74 - 60) * zoom)) <= 0.5)
    #expect(abs(found.y - (center.y + (44 - 40) * zoom)) <= 0.5)
  }

  /// `cover` cuts the middle out, upright and turned alike.
  @Test(arguments: [0.0, 0.001])
  func coverShowsTheMiddle(angle: Double) throws {
    // Three thirds: red, green, blue.
    let pixels = (0..<20).flatMap { _ in
      (0..<60).flatMap { x -> [UInt8] in
        x < 20 ? [255, 0, 0] : x < 40 ? [0, 255, 0] : [0, 0, 255]
      }
    }
    let result = try Pixels(
      composed(
        """
        canvas = [40, 40]
        background = "black"
        [[layer]]
        source = "frame"
        width = 20
        height = 20
        fit = "cover"
        angle = \(angle)
        """,
        [Image(pixels: pixels, width: 60, height: 20, bands: 3)]
      )
    )
    for x in 0..<40 {
      let isLayer = (10..<30).contains(x)
      // Turned by a hair an edge pixel mixes.
      if angle != 0, [9, 10, 29, 30].contains(x) { continue }
      #expect(result[x, 20] == (isLayer ? [0, 255, 0] : [0, 0, 0]))
    }
  }

  /// Cut after a reduction to a third, the middle would be half a pixel beside it.
  @Test func coverIsCenteredToAPartOfAPixel() throws {
    // As bright as it is far from the middle.
    let pixels = (0..<300).flatMap { _ in (0..<400).map { x in UInt8(abs(2 * x - 399) / 2) } }
    let result = try Pixels(
      composed(
        """
        canvas = [100, 100]
        [[layer]]
        source = "frame"
        width = 100
        height = 100
        fit = "cover"
        """,
        [Image(pixels: pixels, width: 400, height: 300, bands: 1)]
      )
    )
    for x in 2..<50 { #expect(abs(Int(result[x, 50][0]) - Int(result[99 - x, 50][0])) <= 1) }
  }

  /// Field report 13's kind: no pixel at the edge of a turned layer is brighter or darker than the two
  /// it lies between, and the corners are exactly the background.
  @Test(arguments: [10.0, 33, 45, 100, 251])
  func turnedEdgesHaveNoHalo(angle: Double) throws {
    for (layer, below) in [(200, 60), (60, 200)] {
      let result = try Pixels(
        composed(
          """
          canvas = [80, 80]
          background = [\(below), \(below), \(below)]
          [[layer]]
          source = "frame"
          angle = \(angle)
          """,
          [Sample.flat([UInt8(layer)], width: 40, height: 30)]
        )
      )
      #expect(result.bands == 1)
      #expect(result.samples.allSatisfy { (60...200).contains($0) })
      #expect(result.samples.contains { (100...160).contains($0) })
      for (x, y) in [(0, 0), (79, 0), (0, 79), (79, 79)] { #expect(result[x, y] == [UInt8(below)]) }
      #expect(result[40, 40] == [UInt8(layer)])
    }
  }

  /// Transparent pixels of a layer lend no color, whatever lies under their transparency.
  @Test(arguments: [[UInt8(0), 0, 0], [255, 255, 255]])
  func aShrunkDiscHasNoHalo(outside: [UInt8]) throws {
    let disc = try Sample.disc([255, 0, 0], outside: outside, side: 64)
    let result = try Pixels(
      composed("canvas = [16, 16]\n[[layer]]\nsource = \"frame\"\nwidth = \"100%\"", [disc])
    )
    for y in 0..<16 {
      for x in 0..<16 where result[x, y][3] > 8 {
        #expect(zip(result[x, y], [255, 0, 0]).allSatisfy { abs(Int($0) - $1) <= 1 })
      }
    }
  }

  // MARK: Shapes

  /// The box of the shape is the layer's as it lies there, and turns with it.
  @Test func aShapeCutsTheLayerOut() throws {
    let picture = try Sample.flat([200], width: 40, height: 20)
    let toml = """
      canvas = [100, 100]
      background = "black"
      [[layer]]
      source = "frame"
      width = 80
      """
    let whole = try Pixels(composed(toml, [picture]))
    let round = try Pixels(composed(toml + "\nshape = { shape = \"ellipse\" }", [picture]))
    #expect(whole[11, 31] == [200] && round[11, 31] == [0] && round[50, 50] == [200])
    #expect(round.samples.allSatisfy { $0 <= 200 })
    // An ellipse of 80 × 40.
    let area = round.samples.reduce(0) { $0 + Double($1) / 200 }
    #expect(abs(area - .pi * 40 * 20) < 3)
    let left = "\nshape = { shape = \"rectangle\", width = 20, height = 40, center = [10, 20] }"
    let cut = try Pixels(composed(toml + left, [picture]))
    #expect(cut[10, 50] == [200] && cut[29, 50] == [200] && cut[30, 50] == [0])
    let turned = try Pixels(composed(toml + "\nangle = 90" + left, [picture]))
    // What was on the left is now above.
    #expect(turned[50, 10] == [200] && turned[50, 29] == [200] && turned[50, 30] == [0])
    let tilted = try Pixels(composed(toml + "\nangle = 30" + left, [picture]))
    let middle = Point(x: 50 - 30 * cos(Double.pi / 6), y: 50 - 30 * sin(Double.pi / 6))
    #expect(abs(tilted.centroid.x - middle.x) < 0.2 && abs(tilted.centroid.y - middle.y) < 0.2)
    let doubled = try Pixels(composed("scale = 2\n" + toml + left, [picture]))
    #expect(doubled[20, 100] == [200] && doubled[59, 100] == [200] && doubled[60, 100] == [0])
  }

  @Test func aShapeMakesTheResultTransparentAndMultipliesAlpha() throws {
    let picture = try Sample.flat([200, 100, 50, 128], width: 20, height: 20)
    let result = try Pixels(
      composed("[[layer]]\nsource = \"frame\"\nshape = { shape = \"ellipse\" }", [picture])
    )
    #expect(result[0, 0][3] == 0 && result[10, 10] == [200, 100, 50, 128])
    for y in 0..<20 {
      for x in 0..<20 where result[x, y][3] > 8 {
        #expect(zip(result[x, y], [200, 100, 50]).allSatisfy { abs(Int($0) - $1) <= 1 })
      }
    }
    let error = #expect(throws: ItemError.self) {
      try trial(
        "[[layer]]\nsource = \"frame\"\n[layer.shape]\nshape = \"ellipse\"\ncenter = [900, 900]\nwidth = 3",
        [picture]
      )
    }
    #expect(error?.code == .shapeOutside && error?.step == "compose")
  }

  @Test func aHugeZoomShowsAPartOfAPixel() throws {
    let picture = try Image(pixels: [10, 20, 30, 40], width: 2, height: 2, bands: 1)
    let trial = try trial(
      "canvas = [8, 8]\n[[layer]]\nsource = \"frame\"\nzoom = 10000\ncenter = [5000, 5000]",
      [picture]
    )
    // The canvas is the corner of the first pixel's last quarter.
    #expect(trial.frame.notes.map(\.code) == [.enlarged])
    let pixels = try trial.image().pixels()
    #expect(pixels.allSatisfy { (8...16).contains($0) })
  }

  @Test func whatIsOutsideIsNotedAndWhatSticksOutIsCut() throws {
    let toml = """
      canvas = [20, 20]
      background = "black"
      [[layer]]
      source = "frame"
      center = [0, 0]
      [[layer]]
      source = "frame:2"
      center = [-30, 10]
      """
    let picture = try noise(8, 6)
    let trial = try trial(toml, [picture, Sample.flat([255, 0, 0], width: 8, height: 6)])
    #expect(trial.frame.notes.map(\.code) == [.layerOutside])
    let result = try trial.image()
    let part = try result.extractArea(left: 0, top: 0, width: 4, height: 3)
    let wanted = try picture.extractArea(left: 4, top: 3, width: 4, height: 3)
    #expect(try part.pixels() == wanted.pixels())
    #expect(try result.samples(x: 4, y: 0) == [0, 0, 0])
  }

  @Test func requireInsideLeavesOutWhatSticksOut() throws {
    func toml(_ keys: String) -> String {
      """
      canvas = [20, 20]
      background = "black"
      \(keys)
      [[layer]]
      source = "frame"
      [[layer]]
      source = "frame"
      center = [1, 1]
      [[layer]]
      source = "frame"
      width = 16
      angle = 45
      center = [10, 10]
      """
    }
    let picture = try Sample.flat([255], width: 20, height: 20)
    let strict = try trial(toml("require-inside = true"), [picture])
    #expect(strict.frame.notes.map(\.code) == [.layerLeftOut])
    // The whole canvas is one that is inside.
    #expect(try strict.image().pixels().allSatisfy { $0 == 255 })
    let loose = try trial(toml(""), [picture])
    #expect(loose.frame.notes.isEmpty)
    let small = try Sample.flat([255], width: 4, height: 4)
    #expect(try composed(toml("require-inside = true"), [small]).samples(x: 0, y: 0) == [0])
    #expect(try composed(toml(""), [small]).samples(x: 0, y: 0) == [255])
  }

  @Test func enlargedLayersAreNoted() throws {
    let picture = try Sample.flat([255], width: 10, height: 10)
    let toml = "canvas = [40, 40]\n[[layer]]\nsource = \"frame\"\nwidth = "
    #expect(try trial(toml + "10", [picture]).frame.notes.isEmpty)
    #expect(try trial(toml + "20", [picture]).frame.notes.map(\.code) == [.enlarged])
  }

  @Test func boxesAreShown() throws {
    let frame = try trial(
      "canvas = [40, 30]\n[[layer]]\nsource = \"frame\"\nangle = 90\ncenter = [20, 10]",
      [noise(10, 6)]
    ).frame
    guard case .boxes(let boxes)? = frame.guides.first else {
      Issue.record("no boxes")
      return
    }
    let wanted = [(23.0, 5.0), (23, 15), (17, 15), (17, 5)]
    for (corner, point) in zip(boxes[0].corners, wanted) {
      #expect(abs(corner.x - point.0) < 1e-9 && abs(corner.y - point.1) < 1e-9)
    }
    #expect(boxes[0].label == "frame")
  }
}
