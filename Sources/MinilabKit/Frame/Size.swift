/// Whole pixels, as the viewer sees them unless said otherwise.
public struct Size: Sendable, Hashable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var longerSide: Int { max(width, height) }

  /// The size times a factor on each axis, in whole pixels and never 0.
  public func scaled(_ x: Double, _ y: Double) -> Size {
    Size(
      width: Self.whole(Double(width) * x),
      height: Self.whole(Double(height) * y)
    )
  }

  /// The nearest whole length, never 0.
  ///
  /// Far beyond any length that a step may give it stops, so that a later check of sizes is reached.
  private static func whole(_ length: Double) -> Int { Int(min(max(1, length.rounded()), 1e15)) }

  /// The size scaled so that its longer side is exactly so many pixels.
  public func scaled(longerSide: Int) -> Size {
    let scale = Double(longerSide) / Double(self.longerSide)
    return scaled(scale, scale)
  }

  /// The four corners of a rectangle of this size, from the upper left clockwise.
  public var corners: [Point] {
    let (right, bottom) = (Double(width), Double(height))
    return [
      Point(x: 0, y: 0), Point(x: right, y: 0), Point(x: right, y: bottom), Point(x: 0, y: bottom),
    ]
  }

  public var transposed: Size { Size(width: height, height: width) }

  public var description: String { "\(width) × \(height)" }
}

/// A rectangle of whole pixels, origin top left.
public struct PixelRectangle: Sendable, Hashable, Codable, CustomStringConvertible {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  public init(_ size: Size) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  public var size: Size { Size(width: width, height: height) }
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// What both have; empty where they are apart.
  public func intersection(_ other: PixelRectangle) -> PixelRectangle {
    let left = max(x, other.x)
    let top = max(y, other.y)
    return PixelRectangle(
      x: left,
      y: top,
      width: max(0, min(x + width, other.x + other.width) - left),
      height: max(0, min(y + height, other.y + other.height) - top)
    )
  }

  public func contains(_ other: PixelRectangle) -> Bool { intersection(other) == other }

  public var description: String { "[\(x), \(y), \(width), \(height)]" }
}
