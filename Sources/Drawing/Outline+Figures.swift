internal import Glibc

/// Figures that fill a box, begun at their top and drawn clockwise.
extension Outline {
  public static func rectangle(_ box: Box) -> Outline {
    polygon([
      Point(x: box.left, y: box.top), Point(x: box.right, y: box.top),
      Point(x: box.right, y: box.bottom), Point(x: box.left, y: box.bottom),
    ])
  }

  /// Lines from point to point and back to the first.
  public static func polygon(_ points: [Point]) -> Outline {
    var outline = Outline()
    guard let first = points.first else { return outline }
    outline.move(to: first)
    for point in points.dropFirst() { outline.line(to: point) }
    outline.close()
    return outline
  }

  public static func ellipse(_ box: Box) -> Outline {
    var outline = Outline()
    let top = Point(x: box.center.x, y: box.top)
    outline.move(to: top)
    outline.arc(
      center: box.center,
      radii: Point(x: box.width / 2, y: box.height / 2),
      from: -.pi / 2,
      sweep: 2 * .pi,
      to: top
    )
    outline.close()
    return outline
  }

  /// The radii of a rectangle's four corners.
  public struct Corners: Sendable, Equatable {
    public var topLeft: Double
    public var topRight: Double
    public var bottomRight: Double
    public var bottomLeft: Double

    public init(topLeft: Double, topRight: Double, bottomRight: Double, bottomLeft: Double) {
      self.topLeft = topLeft
      self.topRight = topRight
      self.bottomRight = bottomRight
      self.bottomLeft = bottomLeft
    }

    /// Radii that fit on a box: where two would overlap on a side, all are made smaller by the same
    /// factor (CSS Backgrounds and Borders 3, 5.5).
    func fitted(width: Double, height: Double) -> Corners {
      let factors = [
        width / (topLeft + topRight), width / (bottomLeft + bottomRight),
        height / (topLeft + bottomLeft), height / (topRight + bottomRight),
      ]
      let factor = factors.filter(\.isFinite).reduce(1, min)
      return Corners(
        topLeft: topLeft * factor,
        topRight: topRight * factor,
        bottomRight: bottomRight * factor,
        bottomLeft: bottomLeft * factor
      )
    }
  }

  public static func roundedRectangle(_ box: Box, corners wanted: Corners) -> Outline {
    let corners = wanted.fitted(width: box.width, height: box.height)
    var outline = Outline()
    /// A quarter turn to the right about a point.
    func corner(_ x: Double, _ y: Double, _ radius: Double, from quarter: Double) {
      guard radius > 0 else { return }
      let angle = (quarter + 1) * .pi / 2
      let end = Point(x: x + radius * cos(angle).rounded(), y: y + radius * sin(angle).rounded())
      outline.arc(
        center: Point(x: x, y: y),
        radii: Point(x: radius, y: radius),
        from: quarter * .pi / 2,
        sweep: .pi / 2,
        to: end
      )
    }
    outline.move(to: Point(x: box.left + corners.topLeft, y: box.top))
    outline.line(to: Point(x: box.right - corners.topRight, y: box.top))
    corner(box.right - corners.topRight, box.top + corners.topRight, corners.topRight, from: 3)
    outline.line(to: Point(x: box.right, y: box.bottom - corners.bottomRight))
    corner(
      box.right - corners.bottomRight,
      box.bottom - corners.bottomRight,
      corners.bottomRight,
      from: 0
    )
    outline.line(to: Point(x: box.left + corners.bottomLeft, y: box.bottom))
    corner(
      box.left + corners.bottomLeft,
      box.bottom - corners.bottomLeft,
      corners.bottomLeft,
      from: 1
    )
    outline.line(to: Point(x: box.left, y: box.top + corners.topLeft))
    corner(box.left + corners.topLeft, box.top + corners.topLeft, corners.topLeft, from: 2)
    outline.close()
    return outline
  }

  /// A star whose points lie on the ellipse that fills a box, the first at its top.
  ///
  /// `inner`: where the notches lie: a part of the way from the center to that ellipse.
  public static func star(_ box: Box, spikes: Int, inner: Double) -> Outline {
    polygon(
      (0..<(2 * spikes)).map { index in
        let angle = Double(index) * .pi / Double(spikes)
        let part = index.isMultiple(of: 2) ? 1 : inner
        return Point(
          x: box.center.x + part * box.width / 2 * sin(angle),
          y: box.center.y - part * box.height / 2 * cos(angle)
        )
      }
    )
  }
}
