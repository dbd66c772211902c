import Glibc

extension AffineMap {
  /// Turns clockwise as the viewer sees it (y grows downwards).
  ///
  /// Quarter turns are exact.
  public static func rotation(degrees: Double) -> AffineMap {
    let radians = degrees * .pi / 180
    let (cosine, sine) =
      switch Angle(degrees: degrees).quarterTurns {
      case 0: (1.0, 0.0)
      case 1: (0.0, 1.0)
      case 2: (-1.0, 0.0)
      case 3: (0.0, -1.0)
      default: (cos(radians), sin(radians))
      }
    return AffineMap(xx: cosine, xy: -sine, x0: 0, yx: sine, yy: cosine, y0: 0)
  }
}
