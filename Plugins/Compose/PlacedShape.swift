import MinilabKit

/// What is seen of a layer, on the canvas.
struct PlacedShape: Sendable {
  private let shape: Shape
  /// The layer's box in pixels of the profile, before it is turned: what lengths count on.
  private let frame: Size
  /// From there to the result.
  private let map: AffineMap

  /// - Throws: `ItemError` for a shape without an area, or off the layer.
  init(_ shape: Shape, in box: Box, scale: Double, _ context: Context) throws {
    self.shape = shape
    frame = Size(
      width: max(1, Int((box.width / scale).rounded())),
      height: max(1, Int((box.height / scale).rounded()))
    )
    let seen = box.snapped
    map = AffineMap.scale(
      x: seen.width / Double(frame.width),
      y: seen.height / Double(frame.height)
    )
    .then(seen.map)
    do {
      _ = try shape.outline(in: frame)
      if let file = shape.file { _ = try context.frame(of: file) }
    } catch let error as ItemError {
      throw context.error(error.code, expected: error.expected, received: error.received)
    }
  }

  /// How much of each pixel of an area is seen: one band of 8 bit.
  func mask(of area: PixelRectangle, in context: Context) throws -> Image {
    try shape.mask(in: frame, through: map, window: area, picture: context.picture)
  }
}
