import Drawing
import Glibc
import MinilabHost
import MinilabKit
import Testing

/// Where shapes lie on a frame of 200 × 100, and what their table refuses.
@Suite struct ShapeTests {
  private let frame = Size(width: 200, height: 100)

  private func shape(_ toml: String) throws -> Shape {
    let node = try TOMLReader.read(Array(toml.utf8), from: Path("shape.toml"))
    var problems: [Problem] = []
    guard let shape = Shape.decode(node, key: "shape", &problems) else { throw Problems(problems) }
    return shape
  }

  private func problems(_ toml: String) -> [Problem] {
    do {
      _ = try shape(toml)
      return []
    } catch {
      return (error as? Problems)?.all ?? []
    }
  }

  /// To a thousandth of a pixel: left, top, right, bottom.
  private func expect(
    _ toml: String,
    spans wanted: [Double],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bounds = try #require(try shape(toml).outline(in: frame).bounds)
    let found = [bounds.left, bounds.top, bounds.right, bounds.bottom]
    let isNear = zip(found, wanted).allSatisfy { abs($0 - $1) < 1e-3 }
    #expect(isNear, "\(toml): \(found)", sourceLocation: sourceLocation)
  }

  // MARK: Width, height, center, angle

  @Test(arguments: ["rectangle", "ellipse", "rounded-rectangle"])
  func withNeitherSideAShapeFillsTheFrame(kind: String) throws {
    try expect("shape = \"\(kind)\"", spans: [0, 0, 200, 100])
    try expect("shape = \"\(kind)\"\nwidth = 0\nheight = 0", spans: [0, 0, 200, 100])
  }

  @Test(arguments: ["rectangle", "ellipse", "rounded-rectangle"])
  func oneSideCountsForBoth(kind: String) throws {
    for sides in [
      "width = 40", "height = 40", "width = 40\nheight = 0", "width = 0\nheight = 40",
      "width = \"20%\"", "height = \"40%\"",
    ] {
      try expect("shape = \"\(kind)\"\n\(sides)", spans: [80, 30, 120, 70])
    }
  }

  @Test func bothSidesAreTaken() throws {
    try expect("shape = \"ellipse\"\nwidth = \"50%\"\nheight = 20", spans: [50, 40, 150, 60])
  }

  @Test func theCenterMoves() throws {
    try expect(
      "shape = \"rectangle\"\nwidth = 20\ncenter = [\"25%\", 33.5]",
      spans: [40, 23.5, 60, 43.5]
    )
  }

  @Test func theAngleIsClockwiseAboutTheCenter() throws {
    try expect(
      "shape = \"rectangle\"\nwidth = 60\nheight = 20\nangle = 90",
      spans: [90, 20, 110, 80]
    )
    // A corner: (30, −10) turned by 30° clockwise is (30·cos + 10·sin, 30·sin − 10·cos).
    let outline = try shape("shape = \"rectangle\"\nwidth = 60\nheight = 20\nangle = 30")
      .outline(in: frame)
    guard case .line(let corner) = outline.segments[1] else {
      Issue.record("a line was expected")
      return
    }
    let c = cos(Double.pi / 6)
    #expect(abs(corner.x - (100 + 30 * c + 5)) < 1e-9)
    #expect(abs(corner.y - (50 + 15 - 10 * c)) < 1e-9)
  }

  // MARK: Rounded rectangles

  @Test func radiiArePixelsOrPartsOfTheShorterSide() throws {
    let base = "shape = \"rounded-rectangle\"\nwidth = 100\nheight = 40\n"
    #expect(
      try shape(base + "radius = \"25%\"").outline(in: frame)
        == shape(base + "radius = 10").outline(in: frame)
    )
    #expect(
      try shape(base).outline(in: frame) == shape(base + "radius = 4").outline(in: frame)
    )
    let four = try shape(base + "radius = [10, 5, 0, \"50%\"]").outline(in: frame)
    // Begins behind the first corner, ends its first line before the second.
    #expect(four.segments.first == .move(Point(x: 60, y: 30)))
    #expect(four.segments[1] == .line(Point(x: 145, y: 30)))
  }

  // MARK: Stars

  @Test func aStarHasItsSpikesAndNotches() throws {
    let outline = try shape("shape = \"star\"\nwidth = 80\nspikes = 6\ninner = 0.5")
      .outline(in: frame)
    let radii = outline.segments.compactMap { segment -> Double? in
      switch segment {
      case .move(let point), .line(let point): hypot(point.x - 100, point.y - 50)
      default: nil
      }
    }
    #expect(radii.count == 12)
    for (index, radius) in radii.enumerated() {
      #expect(abs(radius - (index.isMultiple(of: 2) ? 40 : 20)) < 1e-9)
    }
    #expect(outline.segments.first == .move(Point(x: 100, y: 10)))
    let five = try shape("shape = \"star\"").outline(in: frame)
    #expect(five.segments.count == 11)
    // 0.4 of the half height, at 36°.
    guard case .line(let notch) = five.segments[1] else { return }
    #expect(abs(notch.y - (50 - 0.4 * 50 * cos(.pi / 5))) < 1e-9)
  }

  // MARK: Polygons and paths

  private let triangle = "shape = \"polygon\"\npoints = [[20, 10], [\"30%\", 10], [20, \"50%\"]]\n"
  private let square = "shape = \"path\"\npath = \"M10 10h20v40h-20z\"\n"

  @Test func polygonsAndPathsStayWhereTheyWereDrawn() throws {
    try expect(triangle, spans: [20, 10, 60, 50])
    try expect(square, spans: [10, 10, 30, 50])
    try expect(square + "path-unit = \"percent\"", spans: [20, 10, 60, 50])
    try expect(square + "angle = 90", spans: [0, 20, 40, 40])
  }

  @Test func aCenterMovesThem() throws {
    try expect(triangle + "center = [100, 50]", spans: [80, 30, 120, 70])
  }

  @Test func bothSidesStretchThemOneFits() throws {
    try expect(square + "width = 100\nheight = 20", spans: [50, 40, 150, 60])
    try expect(square + "width = 80", spans: [80, 10, 120, 90])
    try expect(square + "height = 80", spans: [80, 10, 120, 90])
    try expect(
      square + "width = 10\nheight = 10\ncenter = [10, 10]\nangle = 45",
      spans: [10 - 7.0711, 10 - 7.0711, 10 + 7.0711, 10 + 7.0711]
    )
  }

  // MARK: Refused on a picture

  @Test func aShapeOffTheFrameIsAnErrorThatNamesBoth() throws {
    let error = #expect(throws: ItemError.self) {
      try shape("shape = \"ellipse\"\nwidth = 20\ncenter = [-10, 50]").outline(in: frame)
    }
    #expect(error?.code == .shapeOutside)
    #expect(error?.text.contains("[0, 0, 200, 100]") == true)
    #expect(error?.text.contains("[-20, 40, 20, 20]") == true)
    // One pixel of it is enough.
    #expect(
      try shape("shape = \"ellipse\"\nwidth = 20\ncenter = [-9, 50]").box(in: frame)
        == PixelRectangle(x: 0, y: 40, width: 1, height: 20)
    )
  }

  @Test(arguments: [
    "shape = \"polygon\"\npoints = [[0, 0], [10, 10], [20, 20]]",
    "shape = \"polygon\"\npoints = [[5, 5], [5, 5], [5, 5]]",
    "shape = \"path\"\npath = \"M0 0H50M0 9H50\"",
    "shape = \"path\"\npath = \"M0 0H50\"\nwidth = 10\nheight = 10",
    "shape = \"path\"\npath = \"M0 0H50\"\nwidth = 10",
    "shape = \"path\"\npath = \"M7 7\"",
  ])
  func aShapeWithoutAnAreaIsAnError(toml: String) throws {
    let error = #expect(throws: ItemError.self) { try shape(toml).outline(in: frame) }
    #expect(error?.code == .shapeOutside)
  }

  @Test func theBoxIsOfWholePixelsOnTheFrame() throws {
    #expect(
      try shape("shape = \"rectangle\"\nwidth = 20.5\nheight = 10\ncenter = [50, 50.2]")
        .box(in: frame) == PixelRectangle(x: 39, y: 45, width: 22, height: 11)
    )
    // A third of a side three times is the side, and not a pixel more.
    #expect(
      try shape(
        "shape = \"ellipse\"\nwidth = \"1/3\"\nheight = \"1/3\"\ncenter = [\"1/6\", \"1/6\"]"
      )
      .box(in: Size(width: 300, height: 99)) == PixelRectangle(x: 0, y: 0, width: 100, height: 33)
    )
    #expect(
      try shape("shape = \"rectangle\"\nwidth = 400\nheight = 10").box(in: frame)
        == PixelRectangle(x: 0, y: 45, width: 200, height: 10)
    )
  }

  // MARK: Refused in a profile

  @Test(arguments: [
    ("", "shape"),
    ("shape = \"circle\"", "shape"),
    ("shape = \"ellipse\"\nradius = 3", "radius"),
    ("shape = \"ellipse\"\npoints = [[0, 0], [1, 0], [0, 1]]", "points"),
    ("shape = \"polygon\"", "points"),
    ("shape = \"polygon\"\npoints = [[0, 0], [1, 0]]", "points"),
    ("shape = \"polygon\"\nspikes = 4\npoints = [[0, 0], [1, 0], [0, 1]]", "spikes"),
    ("shape = \"star\"\nspikes = 2", "spikes"),
    ("shape = \"star\"\ninner = 1.5", "inner"),
    ("shape = \"star\"\ninner = 0", "inner"),
    ("shape = \"ellipse\"\ninner = 0.5", "inner"),
    ("shape = \"path\"", "path"),
    ("shape = \"star\"\npath = \"M0 0h1v1z\"", "path"),
    ("shape = \"star\"\npath-unit = \"percent\"", "path-unit"),
    ("shape = \"image\"", "file"),
    ("shape = \"image\"\nfile = \"there-is-none.png\"", "file"),
    ("shape = \"rectangle\"\nwidth = -1", "width"),
    ("shape = \"rounded-rectangle\"\nradius = [1, 2, 3]", "radius"),
    ("shape = \"rounded-rectangle\"\nradius = -1", "radius"),
  ])
  func whatAShapeRefuses(toml: String, key: String) {
    let problems = problems(toml)
    #expect(problems.count == 1, "\(problems)")
    let text = problems.map(\.description).joined()
    #expect(text.contains(key), "\(text)")
  }

  @Test func aPathThatDoesNotParseSaysAtWhichCharacter() {
    let problems = problems("shape = \"path\"\npath = \"M 10 10 L 20 x\"")
    #expect(problems.map(\.key) == ["shape.path"])
    #expect(problems.first?.expected == "a number at character 14 of the path data")
    #expect(problems.first?.received == "\"x\"")
    #expect(problems.first?.place.line == 2)
    let empty = self.problems("shape = \"path\"\npath = \" \"")
    #expect(empty.first?.expected == "path data that draws something")
  }
}
