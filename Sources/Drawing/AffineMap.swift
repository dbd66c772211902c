import Glibc

/// A map of the plane: x' = xx·x + xy·y + x0, y' = yx·x + yy·y + y0.
///
/// Points are in pixels with the origin at the top left corner, so the center of the first pixel is
/// (0.5, 0.5).
public struct AffineMap: Sendable, Equatable {
  public var xx: Double
  public var xy: Double
  public var x0: Double
  public var yx: Double
  public var yy: Double
  public var y0: Double

  public init(xx: Double, xy: Double, x0: Double, yx: Double, yy: Double, y0: Double) {
    self.xx = xx
    self.xy = xy
    self.x0 = x0
    self.yx = yx
    self.yy = yy
    self.y0 = y0
  }

  public static let identity = AffineMap(xx: 1, xy: 0, x0: 0, yx: 0, yy: 1, y0: 0)

  public static func translation(x: Double, y: Double) -> AffineMap {
    AffineMap(xx: 1, xy: 0, x0: x, yx: 0, yy: 1, y0: y)
  }

  public static func scale(x: Double, y: Double) -> AffineMap {
    AffineMap(xx: x, xy: 0, x0: 0, yx: 0, yy: y, y0: 0)
  }

  /// This map first, then the other.
  public func then(_ other: AffineMap) -> AffineMap {
    AffineMap(
      xx: other.xx * xx + other.xy * yx,
      xy: other.xx * xy + other.xy * yy,
      x0: other.xx * x0 + other.xy * y0 + other.x0,
      yx: other.yx * xx + other.yy * yx,
      yy: other.yx * xy + other.yy * yy,
      y0: other.yx * x0 + other.yy * y0 + other.y0
    )
  }

  public func callAsFunction(x: Double, y: Double) -> (x: Double, y: Double) {
    (xx * x + xy * y + x0, yx * x + yy * y + y0)
  }

  public func callAsFunction(_ point: Point) -> Point {
    let (x, y) = self(x: point.x, y: point.y)
    return Point(x: x, y: y)
  }

  public var determinant: Double { xx * yy - xy * yx }

  /// The way back.
  ///
  /// The determinant must not be 0.
  public var inverse: AffineMap {
    let scale = 1 / determinant
    return AffineMap(
      xx: yy * scale,
      xy: -xy * scale,
      x0: (xy * y0 - yy * x0) * scale,
      yx: -yx * scale,
      yy: xx * scale,
      y0: (yx * x0 - xx * y0) * scale
    )
  }

  /// Edges stay parallel to the axes: any mixture of scales, shifts, flips and quarter turns.
  public var isAxisAligned: Bool { (xy == 0 && yx == 0) || (xx == 0 && yy == 0) }

  /// How many units of the target one unit along x and along y covers.
  public var stretch: (x: Double, y: Double) { (hypot(xx, yx), hypot(xy, yy)) }
}
