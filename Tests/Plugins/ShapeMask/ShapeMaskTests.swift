import Glibc
import MinilabHost
import MinilabKit
import ShapeMaskOperation
import TestSupport
import Testing
import Vips

@Suite(.vips) struct ShapeMaskTests {
  private let half = "shape = \"rectangle\"\nwidth = 10\nheight = 20\ncenter = [5, 10]\n"

  /// 20 × 20, of which `half` keeps the left half.
  private func flat(_ samples: [UInt8]) throws -> Image {
    try Sample.flat(samples, width: 20, height: 20)
  }

  // MARK: Areas

  @Test(arguments: [20.0, 33.5, 64, 250])
  func shapesCoverTheirArea(size: Double) throws {
    let side = Int(size * 1.5) + 4
    let image = try Sample.flat([80, 90, 100], width: side, height: side)
    let r = size / 2
    let cases: [(String, Double)] = [
      ("shape = \"ellipse\"\nwidth = \(size)", .pi * r * r),
      (
        "shape = \"ellipse\"\nwidth = \(size)\nheight = \(size * 0.6)\nangle = 23",
        0.6 * .pi * r * r
      ),
      (
        "shape = \"rounded-rectangle\"\nwidth = \(size)\nheight = \(size)\nradius = 5\nangle = 7",
        size * size - (4 - .pi) * 25
      ),
      ("shape = \"star\"\nwidth = \(size)\nangle = 100", 5 * r * r * 0.4 * sin(.pi / 5)),
    ]
    for (toml, area) in cases {
      for center in ["", "\ncenter = [\(Double(side) / 2 + 0.37), \(Double(side) / 2 - 0.81)]"] {
        let found = try Pixels(masked(toml + center, image)).area
        #expect(abs(found / area - 1) < 0.001, "\(toml)\(center): \(found) for \(area)")
      }
    }
  }

  @Test func pointsAndPathsAreOfTheFrameInPixelsOrPercent() throws {
    let image = try Sample.flat([80, 90, 100], width: 200, height: 100)
    let cases = [
      ("shape = \"polygon\"\npoints = [[0, 0], [100, 0], [0, 40]]", 2000.0),
      ("shape = \"polygon\"\npoints = [[0, 0], [\"50%\", 0], [0, \"40%\"]]", 2000),
      ("shape = \"path\"\npath = \"M0 0H50V20H0Z\"", 1000),
      ("shape = \"path\"\npath = \"M0 0H50V20H0Z\"\npath-unit = \"percent\"", 2000),
    ]
    for (toml, area) in cases {
      let found = try Pixels(masked(toml, image)).area
      #expect(abs(found / area - 1) < 0.001, "\(toml): \(found) for \(area)")
    }
  }

  @Test func cornersFullyOutsideAreExactlyTheBackground() throws {
    let image = try Sample.gradient(width: 60, height: 40)
    for (outside, wanted) in [("[12, 34, 56]", [12, 34, 56]), ("\"red\"", [255, 0, 0])] {
      let made = try Pixels(masked("shape = \"ellipse\"\noutside = \(outside)", image))
      #expect(made.bands == 3, "an opaque color adds no alpha")
      for (x, y) in [(0, 0), (59, 0), (0, 39), (59, 39), (3, 3)] { #expect(made[x, y] == wanted) }
      #expect(made[30, 20] == (try Pixels(image)[30, 20]))
    }
    let clear = try Pixels(masked("shape = \"ellipse\"", image))
    #expect(clear.bands == 4)
    for (x, y) in [(0, 0), (59, 0), (0, 39), (59, 39)] { #expect(clear[x, y][3] == 0) }
    #expect(clear[30, 20][3] == 255)
  }

  // MARK: No halo

  /// Field report 13: an antialiased edge is never brighter or darker than what meets there.
  @Test(arguments: [("\"black\"", 0), ("\"white\"", 255), ("[90, 90, 90]", 90)])
  func noPixelIsBeyondItsTwoSources(outside: String, level: Int) throws {
    let gray = try Sample.flat([128, 128, 128], width: 70, height: 70)
    for soft in ["", "\nfeather = 3", "\nfeather = 40"] {
      let toml = "shape = \"ellipse\"\nwidth = 50.3\noutside = \(outside)\(soft)"
      let made = try Pixels(masked(toml, gray))
      let range = min(level, 128)...max(level, 128)
      #expect(made.samples.allSatisfy(range.contains))
      #expect(Set(made.samples).count >= 5, "the edge is antialiased")
    }
  }

  @Test func colorsStayUnderTheCutSoThatResizingShowsNoHalo() throws {
    let red = try Sample.flat([250, 20, 30], width: 80, height: 80)
    for soft in ["", "\nfeather = 5"] {
      let cut = try masked("shape = \"star\"\(soft)", red)
      let pixels = try Pixels(cut)
      for y in 0..<80 {
        for x in 0..<80 { #expect(Array(pixels[x, y].prefix(3)) == [250, 20, 30]) }
      }
      // Even where the alpha is not multiplied in.
      let small = try Pixels(cut.extractBands(0, count: 3).shrink(4, 4))
      #expect(small[10, 10] == [250, 20, 30])
    }
  }

  // MARK: Alpha

  @Test func existingAlphaIsMultiplied() throws {
    let image = try flat([10, 20, 30, 100])
    let made = try Pixels(
      masked("shape = \"rectangle\"\nwidth = 9.5\nheight = 20\ncenter = [4.75, 10]", image)
    )
    #expect(made[2, 5] == [10, 20, 30, 100])
    #expect(made[15, 5] == [10, 20, 30, 0])
    // Half covered.
    #expect(abs(made[9, 5][3] - 50) <= 1)
  }

  @Test func transparentPixelsInsideKeepTheirColors() throws {
    let image = try flat([10, 20, 30, 0])
    let made = try Pixels(masked(half + "outside = \"red\"", image))
    #expect(made[2, 2] == [10, 20, 30, 0])
    #expect(made[15, 2] == [255, 0, 0, 255])
  }

  @Test func aTranslucentPictureMixesWithTheColorOutside() throws {
    // At half coverage: alpha (100 + 255) / 2, color weighted by alpha.
    let image = try flat([0, 200, 0, 100])
    let toml =
      "shape = \"rectangle\"\nwidth = 9.5\nheight = 20\ncenter = [4.75, 10]\noutside = \"red\""
    let edge = try Pixels(masked(toml, image))[9, 5]
    let m = 0.5
    let alpha = 100 * m + 255 * (1 - m)
    let wanted = [255 * 255 * (1 - m) / alpha, 200 * 100 * m / alpha, 0, alpha]
    for (found, wanted) in zip(edge, wanted) { #expect(abs(Double(found) - wanted) < 1.5) }
  }

  @Test func aTranslucentColorReplacesWhatIsOutside() throws {
    let made = try Pixels(masked(half + "outside = [0, 0, 255, 0.5]", flat([200, 200, 200])))
    #expect(made[2, 2] == [200, 200, 200, 255])
    #expect(made[15, 2] == [0, 0, 255, 128])
  }

  // MARK: Gray and 16 bit

  @Test func grayStaysGrayUnlessTheColorIsNone() throws {
    let gray = try flat([77])
    #expect(try Pixels(masked(half, gray))[2, 2] == [77, 255])
    #expect(try Pixels(masked(half, gray))[15, 2] == [77, 0])
    #expect(try Pixels(masked(half + "outside = \"silver\"", gray))[15, 2] == [192])
    let colored = try Pixels(masked(half + "outside = \"blue\"", gray))
    #expect(colored[2, 2] == [77, 77, 77])
    #expect(colored[15, 2] == [0, 0, 255])
    let stroked = try Pixels(masked(half + "stroke = \"red\"\nstroke-width = 2", gray))
    #expect(stroked[9, 10] == [255, 0, 0, 255])
  }

  @Test func grayWithAlphaIsMultiplied() throws {
    let made = try Pixels(masked(half, flat([77, 90])))
    #expect(made[2, 2] == [77, 90] && made[15, 2] == [77, 0])
  }

  @Test func sixteenBitKeepsItsDepth() throws {
    let toml = "shape = \"rectangle\"\nwidth = 9.5\nheight = 20\ncenter = [4.75, 10]\n"
    let samples = (0..<400).flatMap { _ in [1001, 40_001, 65_535] as [UInt16] }
    let image = try Image(pixels16: samples, width: 20, height: 20, bands: 3)
    let clear = try Pixels(masked(toml, image))
    #expect(clear[2, 2] == [1001, 40_001, 65_535, 65_535] && clear[15, 2][3] == 0)
    #expect(abs(clear[9, 2][3] - 32_768) < 200)
    let red = try Pixels(masked(toml + "outside = \"red\"", image))
    #expect(red[2, 2] == [1001, 40_001, 65_535] && red[15, 2] == [65_535, 0, 0])
    #expect(abs(red[9, 2][0] - (1001 + 65_535) / 2) < 200)
    let dim = try Pixels(masked(toml + "outside = \"dim\"\nstroke-width = 0", image))
    #expect(dim[15, 2] == [400, 16_000, 26_214])
    let clearer = (0..<400).flatMap { _ in [1001, 40_001, 65_535, 30_003] as [UInt16] }
    let translucent = try Image(pixels16: clearer, width: 20, height: 20, bands: 4)
    let both = try Pixels(masked(toml, translucent))
    #expect(both[2, 2] == [1001, 40_001, 65_535, 30_003] && both[15, 2][3] == 0)
    #expect(abs(both[9, 2][3] - 15_002) < 100)
    let onRed = try Pixels(masked(toml + "outside = \"red\"", translucent))
    #expect(onRed[2, 2] == [1001, 40_001, 65_535, 30_003])
    #expect(onRed[15, 2] == [65_535, 0, 0, 65_535])
  }

  @Test func colorsAreThoseOfThePicturesProfile() throws {
    let plain = try flat([200, 100, 50])
    let profiled = try plain.call(
      "icc_transform",
      [.init("output-profile", .string("p3")), .init("input-profile", .string("srgb"))]
    )
    guard profiled.has("icc-profile-data") else {
      Issue.record("libvips has its own Display P3")
      return
    }
    let toml = half + "outside = [255, 0, 0]\nstroke = \"lime\"\nstroke-width = 2"
    let made = try Pixels(masked(toml, profiled))
    // sRGB's red and green lie well inside Display P3.
    let red = made[18, 2]
    let green = made[9, 2]
    #expect((228...240).contains(red[0]) && (40...60).contains(red[1]), "\(red)")
    #expect((100...125).contains(green[0]) && (245...255).contains(green[1]), "\(green)")
  }

  // MARK: Parameters

  @Test func invertKeepsTheRest() throws {
    let made = try Pixels(masked(half + "invert = true", flat([9, 9, 9])))
    #expect(made[2, 2][3] == 0 && made[15, 2][3] == 255)
    let plain = try Pixels(masked("shape = \"star\"", flat([9, 9, 9])))
    let other = try Pixels(masked("shape = \"star\"\ninvert = true", flat([9, 9, 9])))
    for y in 0..<20 {
      for x in 0..<20 { #expect(plain[x, y][3] + other[x, y][3] == 255) }
    }
  }

  @Test func holesAreHoles() throws {
    let toml = "shape = \"path\"\npath = \"M2 2H18V18H2ZM6 6H14V14H6Z\""
    let made = try Pixels(masked(toml, flat([9, 9, 9])))
    #expect(made[10, 10][3] == 0 && made[4, 4][3] == 255 && made[0, 0][3] == 0)
  }

  @Test func dimDarkensAndDrawsAWhiteLine() throws {
    let image = try flat([200, 100, 50])
    let made = try Pixels(masked(half + "outside = \"dim\"", image))
    // Black at 0.6.
    #expect(made[15, 2] == [80, 40, 20] && made[2, 2] == [200, 100, 50])
    // The line of 1 pixel lies half on either side of x = 10.
    #expect(made[9, 10] == [228, 178, 153] || made[9, 10] == [227, 177, 152])
    #expect(abs(made[10, 10][0] - 168) <= 1)
    let darker = try Pixels(masked(half + "outside = \"dim\"\ndim-opacity = 0.9", image))
    #expect(darker[15, 2] == [20, 10, 5])
    let none = try Pixels(masked(half + "outside = \"dim\"\nstroke-width = 0", image))
    #expect(none[9, 10] == [200, 100, 50] && none[10, 10] == [80, 40, 20])
  }

  @Test func dimLeavesTransparencyAlone() throws {
    let made = try Pixels(
      masked(half + "outside = \"dim\"\nstroke-width = 0", flat([200, 100, 50, 60]))
    )
    #expect(made[15, 2] == [80, 40, 20, 60])
  }

  @Test func aStrokeLiesHalfInsideAndHalfOutside() throws {
    let toml = "shape = \"rectangle\"\nwidth = 8\nheight = 8\noutside = \"black\"\n"
    let image = try flat([9, 9, 9])
    let made = try Pixels(masked(toml + "stroke = \"red\"\nstroke-width = 4", image))
    for x in 0..<20 {
      // The edges lie at 6 and 14.
      let wanted =
        switch x {
        case 4..<8, 12..<16: [255, 0, 0]
        case 8..<12: [9, 9, 9]
        default: [0, 0, 0]
        }
      #expect(made[x, 10] == wanted, "\(x)")
    }
    // A percentage is of the shorter side, and a line of 1 pixel is what there is without a width.
    let tenth = try Pixels(masked(toml + "stroke = \"red\"\nstroke-width = \"10%\"", image))
    #expect(
      tenth[5, 10] == [255, 0, 0] && tenth[6, 10] == [255, 0, 0] && tenth[4, 10] == [0, 0, 0]
    )
    let one = try Pixels(masked(toml + "stroke = \"red\"", image))
    #expect((100...160).contains(one[5, 10][0]) && one[4, 10] == [0, 0, 0])
  }

  @Test func aStrokeIsDrawnOnWhatIsTransparentToo() throws {
    let toml =
      "shape = \"rectangle\"\nwidth = 8\nheight = 8\nstroke = [0, 255, 0, 0.5]\nstroke-width = 4"
    let made = try Pixels(masked(toml, flat([100, 0, 0])))
    #expect(Array(made[5, 10][0...2]) == [0, 255, 0] && abs(made[5, 10][3] - 128) <= 1)
    #expect(made[0, 0][3] == 0)
    let mixed = made[6, 10]
    #expect(abs(mixed[0] - 50) <= 1 && abs(mixed[1] - 128) <= 1 && mixed[3] == 255)
  }

  @Test func trimCropsToTheBoxOutwardsAndInsideThePicture() throws {
    let image = try Sample.gradient(width: 200, height: 100)
    let toml = "shape = \"ellipse\"\nwidth = 40.5\nheight = 20\ncenter = [50, 50]\n"
    let whole = try Pixels(masked(toml, image))
    let trial = try Trial(Trial.operation(ShapeMask.self, toml + "trim = true"), on: image)
    #expect(trial.frame.size == Size(width: 42, height: 20))
    let cut = try Pixels(trial.image())
    for y in 0..<20 {
      for x in 0..<42 { #expect(cut[x, y] == whole[x + 29, y + 40], "\(x), \(y)") }
    }
    let over = "shape = \"ellipse\"\nwidth = 40\ncenter = [195, 5]\ntrim = true"
    #expect(
      try Trial(Trial.operation(ShapeMask.self, over), on: image).frame.size
        == Size(width: 25, height: 25)
    )
    // The box is that of the turned shape.
    let turned = "shape = \"rectangle\"\nwidth = 40\nheight = 20\nangle = 90\ntrim = true"
    #expect(
      try Trial(Trial.operation(ShapeMask.self, turned), on: image).frame.size
        == Size(width: 20, height: 40)
    )
  }

  @Test func trimmedRectanglesArePlainCrops() throws {
    let image = try Sample.gradient(width: 200, height: 100)
    let toml = "shape = \"rectangle\"\nwidth = 40\nheight = 20\ntrim = true"
    let made = try masked(toml, image)
    #expect(made.bands == 3)
    let wanted = try image.extractArea(left: 80, top: 40, width: 40, height: 20)
    #expect(try made.pixels() == wanted.pixels())
  }

  @Test func aRectangleThatIsAllOfThePictureDoesNothing() throws {
    let image = try flat([1, 2, 3])
    func frame(_ toml: String) throws -> Frame {
      try Trial(Trial.operation(ShapeMask.self, toml), on: image).frame
    }
    #expect(try !frame("shape = \"rectangle\"").isTouched)
    #expect(try !frame("shape = \"rectangle\"").hasAlpha)
    #expect(try !frame("shape = \"rectangle\"\nwidth = 90\noutside = \"red\"").isTouched)
    #expect(try frame("shape = \"rectangle\"\nfeather = 1").isTouched)
    #expect(try frame("shape = \"rectangle\"\ninvert = true").isTouched)
    #expect(try frame("shape = \"rectangle\"\nangle = 1").isTouched)
    #expect(try frame("shape = \"rectangle\"\nstroke = \"red\"").isTouched)
    #expect(try frame("shape = \"ellipse\"").isTouched)
  }

  @Test func coordinatesAreUpright() throws {
    // Stored turned, seen 40 × 20.
    let image = try Sample.flat([5, 5, 5], width: 20, height: 40)
    let operation = try Trial.operation(
      ShapeMask.self,
      "shape = \"rectangle\"\nwidth = 20\nheight = 10\ncenter = [10, 5]"
    )
    let made = try Pixels(Trial(operation, on: image, orientation: .right).image())
    #expect(made.width == 40 && made.height == 20)
    #expect(made[19, 9][3] == 255 && made[20, 9][3] == 0 && made[19, 10][3] == 0)
  }

  // MARK: What is shown and refused

  @Test func theOutlineIsAGuideForPreviews() throws {
    let frame = try Trial(
      Trial.operation(ShapeMask.self, "shape = \"ellipse\"\nwidth = 10\ntrim = true"),
      on: flat([1])
    ).frame
    guard case .outline(let outline)? = frame.guides.first else {
      Issue.record("an outline was expected")
      return
    }
    #expect(outline == .ellipse(Box(left: 5, top: 5, right: 15, bottom: 15)))
  }

  @Test func aShapeOffThePictureIsAnErrorOfTheStep() throws {
    let error = #expect(throws: ItemError.self) {
      try masked("shape = \"ellipse\"\nwidth = 5\ncenter = [50, 5]", flat([1]))
    }
    #expect(error?.code == .shapeOutside && error?.step == "shape-mask")
  }

  @Test(arguments: [
    "dim-opacity = 0.5", "outside = \"red\"\ndim-opacity = 0.5", "stroke-width = 3",
    "outside = \"transparant\"", "outside = \"dimm\"", "outside = 3", "feather = -1",
  ])
  func whatAStepRefuses(toml: String) {
    let error = #expect(throws: Problems.self) {
      try Trial.operation(ShapeMask.self, "shape = \"ellipse\"\n" + toml)
    }
    #expect(error?.all.count == 1)
  }

  @Test func everyProblemIsToldAtOnce() {
    let error = #expect(throws: Problems.self) {
      try Trial.operation(
        ShapeMask.self,
        "shape = \"star\"\nradius = 3\npoints = []\npath-unit = \"percent\"\nstroke-width = 1"
      )
    }
    #expect(error?.all.map(\.code) == [.conflict, .conflict, .conflict, .conflict, .conflict])
  }
}
