import Drawing
import Glibc
import Testing

@Suite struct OutlineTests {
  @Test func boundsGoAsFarAsACurveDoes() throws {
    var outline = Outline()
    outline.move(to: Point(x: 0, y: 0))
    outline.curve(Point(x: 0, y: 4), Point(x: 10, y: 4), to: Point(x: 10, y: 0))
    // Highest in the middle: ¾ of the control points' height.
    #expect(outline.bounds == Box(left: 0, top: 0, right: 10, bottom: 3))
  }

  @Test func boundsOfACurveThatTurnsBack() throws {
    var outline = Outline()
    outline.move(to: Point(x: 0, y: 0))
    outline.curve(Point(x: 9, y: 1), Point(x: -6, y: 2), to: Point(x: 3, y: 3))
    let bounds = try #require(outline.bounds)
    // By trying ten thousand points.
    let xs = (0...10_000).map { step in
      let t = Double(step) / 10_000
      let s = 1 - t
      let first = 27 * t * s * s
      let second = -18 * t * t * s
      return first + second + 3 * t * t * t
    }
    #expect(abs(bounds.left - (xs.min() ?? 0)) < 1e-6)
    #expect(abs(bounds.right - (xs.max() ?? 0)) < 1e-6)
  }

  @Test func anEllipseFillsItsBoxAndIsRound() throws {
    let outline = Outline.ellipse(Box(left: -3, top: -5, right: 7, bottom: 15))
    let bounds = try #require(outline.bounds)
    #expect(abs(bounds.left + 3) < 1e-3 && abs(bounds.right - 7) < 1e-3)
    #expect(abs(bounds.top + 5) < 1e-3 && abs(bounds.bottom - 15) < 1e-3)
    // Points of a circle of radius 1 are at most 1e-5 off it.
    let circle = Outline.ellipse(Box(left: -1, top: -1, right: 1, bottom: 1))
    var start = Point(x: 0, y: -1)
    var worst = 0.0
    for segment in circle.segments {
      guard case .curve(let a, let b, let end) = segment else { continue }
      for step in 0...100 {
        let t = Double(step) / 100
        let s = 1 - t
        let weights = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t]
        let points = [start, a, b, end]
        let x = zip(weights, points).reduce(0) { $0 + $1.0 * $1.1.x }
        let y = zip(weights, points).reduce(0) { $0 + $1.0 * $1.1.y }
        worst = max(worst, abs(hypot(x, y) - 1))
      }
      start = end
    }
    #expect(worst < 1e-5)
  }

  @Test func aMapMovesEveryPoint() {
    let map = AffineMap(xx: 0, xy: -2, x0: 5, yx: 3, yy: 0, y0: -1)
    var outline = Outline.polygon([Point(x: 1, y: 2), Point(x: 3, y: 4)])
    outline.curve(Point(x: 1, y: 0), Point(x: 0, y: 1), to: Point(x: 1, y: 1))
    var wanted = Outline.polygon([Point(x: 1, y: 2), Point(x: -3, y: 8)])
    wanted.curve(Point(x: 5, y: 2), Point(x: 3, y: -1), to: Point(x: 3, y: 2))
    #expect(outline.transformed(by: map) == wanted)
  }

  @Test func closingClosesEveryPart() {
    var outline = Outline()
    outline.move(to: Point(x: 0, y: 0))
    outline.line(to: Point(x: 1, y: 0))
    outline.move(to: Point(x: 5, y: 5))
    outline.line(to: Point(x: 6, y: 5))
    #expect(
      outline.closed().segments == [
        .move(Point(x: 0, y: 0)), .line(Point(x: 1, y: 0)), .close, .move(Point(x: 5, y: 5)),
        .line(Point(x: 6, y: 5)), .close,
      ]
    )
  }

  @Test func nothingHasNoBounds() {
    #expect(Outline().bounds == nil)
  }
}
