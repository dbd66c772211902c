/// What a step shows of itself on a preview: drawn over pictures, never part of them.
public enum Guide: Sendable {
  /// What a crop keeps, in pixels of the frame that entered the step.
  case crop(PixelRectangle)
  /// The four corners of what a crop keeps, where it is not upright, on the frame that entered.
  case frame([Point])
  /// The boxes in which pictures lie on the frame that the step has made.
  case boxes([Box])

  /// One picture's place.
  public struct Box: Sendable {
    /// The four corners, in order.
    public var corners: [Point]
    /// What lies there, in a word or two.
    public var label: String

    public init(corners: [Point], label: String) {
      self.corners = corners
      self.label = label
    }
  }
}

/// A point of a picture, in pixels, origin top left: (0.5, 0.5) is the middle of the first pixel.
public struct Point: Sendable, Hashable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

extension AffineMap {
  /// Where a point goes.
  public func callAsFunction(_ point: Point) -> Point {
    let (x, y) = self(x: point.x, y: point.y)
    return Point(x: x, y: y)
  }
}
