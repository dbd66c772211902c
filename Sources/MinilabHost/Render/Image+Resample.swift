import MinilabKit
import Vips

extension Image {
  /// The samples from left to right and top to bottom; beyond the edges the edge is repeated.
  func window(left: Int, top: Int, right: Int, bottom: Int) throws -> Image {
    // A window that lies wholly beside the picture shows its edge, wherever it is.
    let x = min(max(left, left - right + 1), width - 1)
    let y = min(max(top, top - bottom + 1), height - 1)
    let wanted = PixelRectangle(x: x, y: y, width: right - left, height: bottom - top)
    let part = wanted.intersection(PixelRectangle(x: 0, y: 0, width: width, height: height))
    let cut = try extractArea(left: part.x, top: part.y, width: part.width, height: part.height)
    if part == wanted { return cut }
    return try cut.embed(
      left: part.x - x,
      top: part.y - y,
      width: wanted.width,
      height: wanted.height,
      extend: "copy"
    )
  }

  func boxed(_ horizontal: Int, _ vertical: Int) throws -> Image {
    horizontal == 1 && vertical == 1 ? self : try shrink(horizontal, vertical)
  }

  /// The pixels where they can be read in any order: in memory, or, where they are too many for that, in
  /// a temporary file beside the results.
  func held() throws -> Image { try held(mostInMemory: Self.mostInMemory) }

  /// `mostInMemory`: in bytes.
  func held(mostInMemory: Int) throws -> Image {
    try byteCount <= mostInMemory ? inMemory() : onDisk()
  }

  /// In bytes: the pixels of a photograph of 64 megapixels with transparency.
  private static let mostInMemory = 256 << 20

  /// In bytes: a picture of 1600 × 1600 pixels.
  private static let small = 8 << 20

  /// Threads would cost more than the pixels that are made of it.
  var isSmall: Bool { byteCount <= Self.small }
  var isSmallAndInMemory: Bool { isInMemory && isSmall }

  func reduced(horizontally factor: Double) throws -> Image {
    factor == 1 ? self : try call("reduceh", [Argument("hshrink", .double(factor))])
  }

  func reduced(vertically factor: Double) throws -> Image {
    factor == 1 ? self : try call("reducev", [Argument("vshrink", .double(factor))])
  }

  /// Turns or mirrors as a picture of this orientation is made upright.
  ///
  /// `inMemory`: its rows can be read in any order.
  func turned(_ orientation: Orientation, inMemory: Bool = false) throws -> Image {
    // All but a mirror within rows read bottom rows first.
    let held =
      try inMemory || orientation == .up || orientation == .upMirrored ? self : held()
    return switch orientation {
    case .up: held
    case .upMirrored: try held.flipHorizontally()
    case .down: try held.rotate(quarterTurns: 2)
    case .downMirrored: try held.call("flip", [Argument("direction", .enumeration("vertical"))])
    case .leftMirrored: try held.rotate(quarterTurns: 1).flipHorizontally()
    case .right: try held.rotate(quarterTurns: 1)
    case .rightMirrored: try held.rotate(quarterTurns: 3).flipHorizontally()
    case .left: try held.rotate(quarterTurns: 3)
    }
  }
}
