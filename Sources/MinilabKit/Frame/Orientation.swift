/// The eight ways in which a picture's stored rows and columns can stand to what the viewer sees,
/// with the numbers of EXIF 2.32, table 6 (tag 274).
public enum Orientation: Int, Sendable, CaseIterable, Codable {
  case up = 1
  case upMirrored = 2
  case down = 3
  case downMirrored = 4
  case leftMirrored = 5
  case right = 6
  case rightMirrored = 7
  case left = 8

  /// The orientation of a tag's value; anything outside 1…8 means up.
  public init(tag: Int?) {
    self = tag.flatMap(Orientation.init(rawValue:)) ?? .up
  }

  public var swapsSides: Bool { rawValue >= 5 }

  /// The size that the viewer sees of a stored one.
  public func upright(_ stored: Size) -> Size { swapsSides ? stored.transposed : stored }

  /// From points of the upright picture to points of the stored one, which has the given size.
  public func toStored(_ stored: Size) -> AffineMap {
    let width = Double(stored.width)
    let height = Double(stored.height)
    return switch self {
    case .up: .identity
    case .upMirrored: AffineMap(xx: -1, xy: 0, x0: width, yx: 0, yy: 1, y0: 0)
    case .down: AffineMap(xx: -1, xy: 0, x0: width, yx: 0, yy: -1, y0: height)
    case .downMirrored: AffineMap(xx: 1, xy: 0, x0: 0, yx: 0, yy: -1, y0: height)
    case .leftMirrored: AffineMap(xx: 0, xy: 1, x0: 0, yx: 1, yy: 0, y0: 0)
    case .right: AffineMap(xx: 0, xy: 1, x0: 0, yx: -1, yy: 0, y0: height)
    case .rightMirrored: AffineMap(xx: 0, xy: -1, x0: width, yx: -1, yy: 0, y0: height)
    case .left: AffineMap(xx: 0, xy: -1, x0: width, yx: 1, yy: 0, y0: 0)
    }
  }

  /// The orientation that undoes this one.
  public var inverse: Orientation {
    switch self {
    case .right: .left
    case .left: .right
    default: self
    }
  }
}
