import Drawing
import Glibc
import Testing

/// Path data against points worked out by hand.
@Suite struct SVGPathTests {
  private typealias Segment = Outline.Segment

  private func segments(_ text: String) throws -> [Outline.Segment] {
    try Outline(svgPath: text).segments
  }

  private func point(_ x: Double, _ y: Double) -> Point { Point(x: x, y: y) }

  @Test func movesAndLines() throws {
    let wanted: [Outline.Segment] = [
      .move(point(1, 2)), .line(point(3, 4)), .line(point(3, 6)), .line(point(8, 6)), .close,
    ]
    #expect(try segments("M1 2L3 4V6H8Z") == wanted)
    #expect(try segments("m1 2l2 2v2h5z") == wanted)
    #expect(try segments(" M 1,2 \n L 3 , 4 V 6 H 8 z ") == wanted)
  }

  @Test func repeatedParametersRepeatTheCommand() throws {
    let wanted: [Outline.Segment] = [
      .move(point(1, 1)), .line(point(2, 3)), .line(point(5, 5)), .line(point(7, 5)),
      .line(point(9, 5)),
    ]
    #expect(try segments("M1 1 2 3 5 5 H7 9") == wanted)
    #expect(try segments("m1 1 1 2 3 2 h2 2") == wanted)
  }

  @Test func cubicCurves() throws {
    let wanted: [Outline.Segment] = [
      .move(point(0, 0)), .curve(point(1, 2), point(3, 4), point(5, 6)),
      // The first control point mirrors the one before: 2·(5, 6) − (3, 4).
      .curve(point(7, 8), point(9, 9), point(10, 6)),
    ]
    #expect(try segments("M0 0C1 2 3 4 5 6S9 9 10 6") == wanted)
    #expect(try segments("M0 0c1 2 3 4 5 6s4 3 5 0") == wanted)
  }

  @Test func aSmoothCurveWithoutOneBeforeBeginsStraight() throws {
    let wanted: [Outline.Segment] = [
      .move(point(2, 2)), .curve(point(2, 2), point(4, 4), point(6, 2)),
    ]
    #expect(try segments("M2 2S4 4 6 2") == wanted)
    // A quadratic curve before it does not count.
    let after = try segments("M0 0Q1 1 2 2S4 4 6 2")
    #expect(after.last == wanted.last)
  }

  @Test func quadraticCurves() throws {
    var wanted = Outline()
    wanted.move(to: point(0, 0))
    wanted.quadratic(point(3, 6), to: point(6, 0))
    wanted.quadratic(point(9, -6), to: point(12, 0))
    wanted.quadratic(point(15, 6), to: point(18, 0))
    #expect(try Outline(svgPath: "M0 0Q3 6 6 0T12 0 18 0") == wanted)
    #expect(try Outline(svgPath: "M0 0q3 6 6 0t6 0 6 0") == wanted)
    // A cubic's control points lie two thirds of the way to the quadratic's.
    #expect(wanted.segments[1] == .curve(point(2, 4), point(4, 4), point(6, 0)))
  }

  @Test func numbersNeedNoSpaceWhereTheyCanBeTold() throws {
    let wanted: [Outline.Segment] = [.move(point(0.5, 0.5)), .line(point(-1, -2))]
    #expect(try segments("M.5.5L-1-2") == wanted)
    #expect(try segments("M+5e-1,.05E1L-1.-2.0") == wanted)
    #expect(try segments("M 0.5 0.5 L -10e-1 -.2e+1") == wanted)
  }

  @Test func everyKindOfWhiteSpace() throws {
    #expect(try segments("M\t1\n2\r\u{c}L 3 4").count == 2)
  }

  // MARK: Arcs

  /// The end of each curve of an outline, from its start on.
  private func ends(_ outline: Outline) -> [Point] {
    outline.segments.compactMap {
      switch $0 {
      case .move(let point), .line(let point), .curve(_, _, let point): point
      case .close: nil
      }
    }
  }

  @Test(arguments: [
    ("0 0", 1.0, 0.0), ("0 1", 0.0, 1.0), ("1 0", 1.0, 0.0), ("1 1", 0.0, 1.0),
  ])
  func theFourArcsBetweenTwoPoints(flags: String, x: Double, y: Double) throws {
    // From (1, 0)·10 to (0, 1)·10 with radius 10: centers at (0, 0) and (10, 10).
    let outline = try Outline(svgPath: "M10 0A10 10 0 \(flags) 0 10")
    let isLarge = flags.hasPrefix("1")
    // The small clockwise arc has the origin in its middle, and so has the large other one.
    let isAboutOrigin = flags == "0 1" || flags == "1 0"
    let center = isAboutOrigin ? point(0, 0) : point(10, 10)
    let ends = ends(outline)
    for end in ends { #expect(abs(hypot(end.x - center.x, end.y - center.y) - 10) < 1e-9) }
    #expect(ends.last == point(0, 10))
    let bounds = try #require(outline.bounds)
    #expect(abs(bounds.width - (isLarge ? 20 : 10)) < 1e-3)
  }

  @Test func flagsMayBeGluedToWhatFollows() throws {
    let plain = try Outline(svgPath: "M0 0a1 1 0 0 1 10 10")
    #expect(try Outline(svgPath: "M0 0a1 1 0 0110 10") == plain)
    #expect(try Outline(svgPath: "M0 0a1,1 0 01,10,10") == plain)
    let twice = try Outline(svgPath: "M0 0a1 1 0 0110 10 1 1 0 1010-10")
    #expect(try twice == Outline(svgPath: "M0 0a1 1 0 0 1 10 10a1 1 0 1 0 10 -10"))
  }

  @Test func radiiThatAreTooSmallAreScaledUp() throws {
    // Half a circle of radius 5 about (5, 0), clockwise: through (5, −5).
    let bounds = try #require(Outline(svgPath: "M0 0A1 1 0 0 1 10 0").bounds)
    #expect(abs(bounds.top + 5) < 1e-3 && abs(bounds.bottom) < 1e-3)
    // Signs do not count.
    #expect(
      try Outline(svgPath: "M0 0A-7 -8 0 0 1 10 0") == Outline(svgPath: "M0 0A7 8 0 0 1 10 0")
    )
  }

  @Test func anArcWithoutARadiusIsALine() throws {
    #expect(try segments("M0 0A0 5 0 0 1 10 0") == [.move(point(0, 0)), .line(point(10, 0))])
    #expect(try segments("M3 3A5 5 0 0 1 3 3") == [.move(point(3, 3))])
  }

  @Test func anArcOfATurnedEllipseLiesOnIt() throws {
    let outline = try Outline(svgPath: "M0 0A20 8 30 1 1 6 10")
    let angle = 30 * Double.pi / 180
    // The center, from two points of the ellipse, is not needed: every point of it must satisfy one
    // equation about one center, found here from three of the ends.
    let local = ends(outline).map { end -> Point in
      let x = cos(angle) * end.x + sin(angle) * end.y
      let y = cos(angle) * end.y - sin(angle) * end.x
      return point(x / 20, y / 8)
    }
    // On a circle of radius 1 now, whose center is that of any three of them.
    let (a, b, c) = (local[0], local[1], local[2])
    let sides = [
      point(b.x - c.x, b.y - c.y), point(c.x - a.x, c.y - a.y), point(a.x - b.x, a.y - b.y),
    ]
    let squares = [a, b, c].map { $0.x * $0.x + $0.y * $0.y }
    let area: Double = 2 * (a.x * sides[0].y + b.x * sides[1].y + c.x * sides[2].y)
    let x = zip(squares, sides).reduce(0) { $0 + $1.0 * $1.1.y } / area
    let y = zip(squares, sides).reduce(0) { $0 - $1.0 * $1.1.x } / area
    for end in local { #expect(abs(hypot(end.x - x, end.y - y) - 1) < 1e-9) }
    // The large arc goes more than half the way around.
    #expect(local.count > 5)
  }

  // MARK: Parts

  @Test func aPartBehindACloseBeginsWhereThatOneBegan() throws {
    let wanted: [Outline.Segment] = [
      .move(point(1, 1)), .line(point(3, 1)), .line(point(3, 3)), .close, .move(point(1, 1)),
      .line(point(0, 0)),
    ]
    #expect(try segments("M1 1H3V3ZL0 0") == wanted)
    #expect(try segments("M1 1H3V3zl-1-1") == wanted)
    #expect(try segments("M1 1H3V3zm4 4h1").suffix(2) == [.move(point(5, 5)), .line(point(6, 5))])
  }

  @Test func emptyDataIsAnEmptyOutline() throws {
    #expect(try segments("").isEmpty)
    #expect(try segments("  \n").isEmpty)
  }

  // MARK: Faults

  @Test(arguments: [
    ("L1 2", 0), ("1 2", 0), ("M1", 2), ("M1 x", 3), ("M1 2 L", 7 - 1), ("M1 2 X3", 5),
    ("M,1 2", 1), ("M1 2,", 5), ("M1 2 L 3,,4", 9), ("M0 0A1 1 0 2 1 3 3", 11), ("M1 2 Z 3", 7),
    ("M1 2 L3 4.5.", 12), ("M1 2 L3 -", 9), ("M1 1e400", 3), ("M1 2 3", 6), ("M0 0é", 4),
  ])
  func aFaultSaysWhereItIs(text: String, offset: Int) {
    let error = #expect(throws: SVGPathError.self) { try Outline(svgPath: text) }
    #expect(error?.offset == offset, "\(text): \(error.map(String.init(describing:)) ?? "")")
  }

  @Test func aFaultSaysWhatWasExpected() {
    let error = #expect(throws: SVGPathError.self) { try Outline(svgPath: "M 10 20 L 30 y") }
    #expect(error?.description == "expected a number at byte 13, found \"y\"")
  }
}
