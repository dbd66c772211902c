public import Drawing

/// What a step shows of itself on a preview: drawn over pictures, never part of them.
public enum Guide: Sendable {
  /// What a crop keeps, in pixels of the frame that entered the step.
  case crop(PixelRectangle)
  /// The four corners of what a crop keeps, where it is not upright, on the frame that entered.
  case frame([Point])
  /// The boxes in which pictures lie on the frame that the step has made.
  case boxes([Box])
  /// The edge of a mask, on the frame that entered the step.
  case outline(Outline)

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

extension AffineMap {
  /// Where a point goes.
  public func callAsFunction(_ point: Point) -> Point {
    let (x, y) = self(x: point.x, y: point.y)
    return Point(x: x, y: y)
  }
}
