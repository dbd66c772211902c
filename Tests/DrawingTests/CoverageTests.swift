import Drawing
import Glibc
import Testing

/// Areas and edges of what the painter draws, against formulas.
@Suite struct CoverageTests {
  /// The covered area in pixels.
  private func area(
    _ outline: Outline,
    _ style: CoveragePainter.Style = .fill,
    width: Int,
    height: Int
  ) throws -> Double {
    let painter = CoveragePainter(outline, style, width: width, height: height)
    return try painter.pixels().reduce(0.0) { $0 + Double($1) } / 255
  }

  private func turned(_ outline: Outline, by degrees: Double, about center: Point) -> Outline {
    let angle = degrees * .pi / 180
    return outline.transformed(
      by: AffineMap(
        xx: cos(angle),
        xy: -sin(angle),
        x0: center.x - cos(angle) * center.x + sin(angle) * center.y,
        yx: sin(angle),
        yy: cos(angle),
        y0: center.y - sin(angle) * center.x - cos(angle) * center.y
      )
    )
  }

  /// Sizes from 20 pixels up, centers anywhere in a pixel, angles.
  static let places: [(size: Double, aspect: Double, dx: Double, dy: Double, angle: Double)] = [
    (20, 1, 0, 0, 0), (20, 1, 0.5, 0.5, 0), (20, 1, 0.33, 0.77, 17), (20.4, 1.3, 0.12, 0.9, 0),
    (21.7, 0.6, 0.61, 0.03, 45), (33.3, 1.1, 0.05, 0.47, 3), (50, 2, 0.25, 0.99, 90),
    (77.7, 1.7, 0.48, 0.52, 123.4), (200, 1, 0.7, 0.2, 30), (400.9, 0.8, 0.01, 0.66, 271),
  ]

  private func expect(
    _ outline: (Box) -> Outline,
    covers exact: (_ width: Double, _ height: Double) -> Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for place in Self.places {
      let width = place.size * max(1, place.aspect)
      let height = place.size * max(1, 1 / place.aspect)
      let side = Int(hypot(width, height)) + 4
      let center = Point(x: Double(side / 2) + place.dx, y: Double(side / 2) + place.dy)
      let box = Box(
        left: center.x - width / 2,
        top: center.y - height / 2,
        right: center.x + width / 2,
        bottom: center.y + height / 2
      )
      let wanted = exact(width, height)
      let found = try area(
        turned(outline(box), by: place.angle, about: center),
        width: side,
        height: side
      )
      #expect(
        abs(found / wanted - 1) < 0.001,
        "\(place): \(found) in place of \(wanted)",
        sourceLocation: sourceLocation
      )
    }
  }

  @Test func ellipsesHaveTheirArea() throws {
    try expect(Outline.ellipse, covers: { .pi * $0 * $1 / 4 })
  }

  @Test func rectanglesHaveTheirArea() throws {
    try expect(Outline.rectangle, covers: { $0 * $1 })
  }

  @Test func roundedRectanglesHaveTheirArea() throws {
    let corners = Outline.Corners(topLeft: 2, topRight: 3.3, bottomRight: 0, bottomLeft: 7.1)
    let cut = (1 - Double.pi / 4) * (2 * 2 + 3.3 * 3.3 + 7.1 * 7.1)
    try expect(
      { Outline.roundedRectangle($0, corners: corners) },
      covers: { $0 * $1 - cut }
    )
  }

  @Test func starsHaveTheirArea() throws {
    try expect(
      { Outline.star($0, spikes: 5, inner: 0.4) },
      covers: { 5 * ($0 / 2) * ($1 / 2) * 0.4 * sin(.pi / 5) }
    )
    try expect(
      { Outline.star($0, spikes: 12, inner: 0.7) },
      covers: { 12 * ($0 / 2) * ($1 / 2) * 0.7 * sin(.pi / 12) }
    )
  }

  @Test func aTooLargeRadiusMakesAStadium() throws {
    let corners = Outline.Corners(topLeft: 99, topRight: 99, bottomRight: 99, bottomLeft: 99)
    let box = Box(left: 3, top: 3, right: 63, bottom: 23)
    let found = try area(.roundedRectangle(box, corners: corners), width: 70, height: 30)
    #expect(abs(found / (40 * 20 + .pi * 100) - 1) < 0.001)
  }

  @Test func radiiShrinkTogetherAsInCSS() throws {
    // 30 + 10 on a side of 20: both become half.
    let box = Box(left: 0, top: 0, right: 20, bottom: 40)
    let wide = Outline.Corners(topLeft: 30, topRight: 10, bottomRight: 0, bottomLeft: 4)
    let half = Outline.Corners(topLeft: 15, topRight: 5, bottomRight: 0, bottomLeft: 2)
    #expect(
      Outline.roundedRectangle(box, corners: wide) == Outline.roundedRectangle(box, corners: half)
    )
  }

  @Test func whatLiesInsideTwiceIsAHole() throws {
    var outline = Outline.rectangle(Box(left: 0, top: 0, right: 12, bottom: 12))
    outline.append(.rectangle(Box(left: 4, top: 4, right: 8, bottom: 8)))
    let pixels = try CoveragePainter(outline, width: 12, height: 12).pixels()
    for y in 0..<12 {
      for x in 0..<12 {
        let isHole = (4..<8).contains(x) && (4..<8).contains(y)
        #expect(pixels[y * 12 + x] == (isHole ? 0 : 255))
      }
    }
  }

  @Test func anEdgeCoversItsPartOfEachPixel() throws {
    // Exact fractions of a pixel, to the level.
    let box = Box(left: 1.25, top: 2.3, right: 6.5, bottom: 5.7)
    let pixels = try CoveragePainter(.rectangle(box), width: 8, height: 8).pixels()
    for y in 0..<8 {
      for x in 0..<8 {
        let across = max(0, min(6.5, Double(x + 1)) - max(1.25, Double(x)))
        let down = max(0, min(5.7, Double(y + 1)) - max(2.3, Double(y)))
        #expect(abs(Double(pixels[y * 8 + x]) - across * down * 255) <= 1.5, "\(x), \(y)")
      }
    }
  }

  @Test func aStrokeLiesHalfOnEitherSide() throws {
    let outline = Outline.rectangle(Box(left: 4, top: 4, right: 16, bottom: 16))
    let painter = CoveragePainter(outline, .stroke(width: 4, join: .miter), width: 20, height: 20)
    let pixels = try painter.pixels()
    for y in 0..<20 {
      for x in 0..<20 {
        let isOutside = !(2..<18).contains(x) || !(2..<18).contains(y)
        let isInside = (6..<14).contains(x) && (6..<14).contains(y)
        #expect(pixels[y * 20 + x] == (isOutside || isInside ? 0 : 255), "\(x), \(y)")
      }
    }
  }

  @Test func aStrokeAroundACircleHasTheAreaOfItsRing() throws {
    let box = Box(left: 5.3, top: 5.7, right: 65.3, bottom: 65.7)
    for width in [0.4, 1, 7.5] {
      let style = CoveragePainter.Style.stroke(width: width, join: .miter)
      let found = try area(.ellipse(box), style, width: 72, height: 72)
      #expect(abs(found / (.pi * 60 * width) - 1) < 0.005, "\(width)")
    }
  }

  @Test func joinsDifferAtCorners() throws {
    let outline = Outline.rectangle(Box(left: 10, top: 10, right: 30, bottom: 30))
    func area(_ join: Canvas.Join) throws -> Double {
      try self.area(outline, .stroke(width: 10, join: join), width: 40, height: 40)
    }
    #expect(try abs(area(.miter) - 800) < 1)
    #expect(try abs(area(.bevel) - (800 - 4 * 12.5)) < 1)
    #expect(try abs(area(.round) - (800 - 4 * 25 * (1 - .pi / 4))) < 1)
  }

  // MARK: Windows

  /// A star and a hole, turned, reaching over every edge of the plane.
  private func busy(_ width: Double, _ height: Double) -> Outline {
    var outline = Outline.star(
      Box(left: -0.1 * width, top: -0.2 * height, right: 1.05 * width, bottom: 1.1 * height),
      spikes: 7,
      inner: 0.55
    )
    outline.append(
      .ellipse(
        Box(left: 0.3 * width, top: 0.31 * height, right: 0.71 * width, bottom: 0.8 * height)
      )
    )
    return turned(outline, by: 11.3, about: Point(x: width / 2, y: height / 2))
  }

  @Test(arguments: [CoveragePainter.Style.fill, .stroke(width: 5.5, join: .miter)])
  func aPixelIsTheSameInEveryWindow(style: CoveragePainter.Style) throws {
    let width = 300
    let height = 170
    let outline = busy(300, 170)
    let whole = try CoveragePainter(outline, style, width: width, height: height).pixels()
    for (tileWidth, tileHeight) in [(300, 1), (7, 5), (128, 128), (300, 33), (1, 170)] {
      let painter = CoveragePainter(outline, style, width: width, height: height)
      var tiled = [UInt8](repeating: 77, count: width * height)
      try tiled.withUnsafeMutableBytes { buffer in
        // From the bottom up: no strip may depend on those drawn before.
        for top in stride(from: 0, to: height, by: tileHeight).reversed() {
          for left in stride(from: 0, to: width, by: tileWidth) {
            try painter.paint(
              left: left,
              top: top,
              width: min(tileWidth, width - left),
              height: min(tileHeight, height - top)
            ) { row in
              let start = (top + row) * width + left
              let end = min(start + tileWidth, (top + row + 1) * width)
              return UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end])
            }
          }
        }
      }
      #expect(tiled == whole, "\(tileWidth) × \(tileHeight)")
    }
  }

  @Test func aPlaneWiderThanACanvasHasNoSeam() throws {
    // A diagonal band over 40000 pixels.
    let outline = Outline.polygon([
      Point(x: 0, y: 0), Point(x: 40_000, y: 30), Point(x: 40_000, y: 40), Point(x: 0, y: 10),
    ])
    let pixels = try CoveragePainter(outline, width: 40_000, height: 40).pixels()
    for x in stride(from: 0, to: 40_000, by: 1) {
      let column = stride(from: x, to: pixels.count, by: 40_000).reduce(0.0) {
        $0 + Double(pixels[$1]) / 255
      }
      // Every column has 10 pixels of it.
      if abs(column - 10) > 0.02 { Issue.record("\(column) at \(x)") }
    }
  }

  @Test func whatReachesFarBeyondThePlaneIsCutNotWrapped() throws {
    // Cairo's numbers wrap at eight million.
    let huge = Outline.ellipse(Box(left: -9e8, top: -9e8, right: 9e8, bottom: 50))
    let pixels = try CoveragePainter(huge, width: 100, height: 100).pixels()
    for y in 0..<100 {
      #expect(pixels[y * 100 + 50] == (y < 50 ? 255 : 0), "\(y)")
    }
    let star = Outline.star(
      Box(left: -9e7, top: -9e7, right: 9e7 + 100, bottom: 9e7 + 100),
      spikes: 5,
      inner: 0.4
    )
    #expect(try area(star, width: 100, height: 100) == 10_000)
    // A line through the plane whose ends are far away, as a stroke.
    let line = Outline.polygon([Point(x: -5e8, y: 20), Point(x: 5e8, y: 20), Point(x: 0, y: 8e8)])
    let stroke = CoveragePainter(line, .stroke(width: 2, join: .miter), width: 9, height: 40)
    let pixelsOfLine = try stroke.pixels()
    for y in 0..<40 {
      let wanted: UInt8 = y == 19 || y == 20 ? 255 : 0
      #expect(pixelsOfLine[y * 9 + 4] == wanted, "\(y)")
    }
  }

  @Test func tallPlanesAreDrawnToTheirEnd() throws {
    // More rows than a canvas could count.
    let height = 1_500_000
    let outline = Outline.ellipse(Box(left: 0, top: 0, right: 4, bottom: Double(height)))
    let painter = CoveragePainter(outline, width: 4, height: height)
    for y in [0, 100_000, 131_071, 131_072, 749_999, 1_400_000, height - 1] {
      var row = [UInt8](repeating: 0, count: 4)
      try row.withUnsafeMutableBytes { bytes in
        try painter.paint(left: 0, top: y, width: 4, height: 1) { _ in bytes }
      }
      let fraction = (Double(y) + 0.5) / Double(height)
      let wanted = 4 * 2 * (fraction * (1 - fraction)).squareRoot()
      let found = row.reduce(0.0) { $0 + Double($1) } / 255
      #expect(abs(found - wanted) < 0.02, "\(y)")
    }
  }

  // MARK: Canvas

  @Test func aCanvasHoldsColorsWithStraightAlpha() throws {
    let canvas = try Canvas(.color, left: 10, top: 20, width: 4, height: 3)
    try canvas.fill(
      .rectangle(Box(left: 11, top: 20, right: 13, bottom: 22)),
      with: Ink(red: 1, green: 0.5, blue: 0, alpha: 0.5)
    )
    let pixels = canvas.pixels
    #expect(Array(pixels[0..<4]) == [0, 0, 0, 0])
    let inside = Array(pixels[4..<8])
    #expect(inside[0] == 255 && abs(Int(inside[1]) - 128) <= 1 && inside[2] == 0)
    #expect(abs(Int(inside[3]) - 128) <= 1)
    try canvas.clear()
    #expect(canvas.pixels.allSatisfy { $0 == 0 })
    try canvas.stroke(.rectangle(Box(left: 10, top: 21, right: 20, bottom: 30)), width: 2)
    #expect(Array(canvas.pixels[0..<4]) == [0, 0, 0, 255])
  }

  @Test func aCanvasThatIsTooLargeIsAnError() {
    #expect(throws: DrawingError.self) {
      try Canvas(.coverage, width: 40_000, height: 10)
    }
  }
}
