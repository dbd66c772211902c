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

  func reduced(horizontally factor: Double) throws -> Image {
    factor == 1 ? self : try call("reduceh", [Argument("hshrink", .double(factor))])
  }

  func reduced(vertically factor: Double) throws -> Image {
    factor == 1 ? self : try call("reducev", [Argument("vshrink", .double(factor))])
  }

  /// Turns or mirrors as a picture of this orientation is made upright.
  func turned(_ orientation: Orientation) throws -> Image {
    // All but a mirror within rows read bottom rows first.
    switch orientation {
    case .up: self
    case .upMirrored: try flipHorizontally()
    case .down: try inMemory().rotate(quarterTurns: 2)
    case .downMirrored:
      try inMemory().call("flip", [Argument("direction", .enumeration("vertical"))])
    case .leftMirrored: try inMemory().rotate(quarterTurns: 1).flipHorizontally()
    case .right: try inMemory().rotate(quarterTurns: 1)
    case .rightMirrored: try inMemory().rotate(quarterTurns: 3).flipHorizontally()
    case .left: try inMemory().rotate(quarterTurns: 3)
    }
  }

  /// Maps the picture onto a canvas.
  ///
  /// Alpha must be multiplied in: left to itself, `affine` would multiply it in once more.
  ///
  /// `map`: from points of this picture to points of the canvas.
  /// `background`: samples for where there is no picture; empty: the edge is repeated, for a pixel.
  func affine(
    _ map: AffineMap,
    size: Size,
    background: [Double] = [],
    interpolator: String = "bicubic"
  ) throws -> Image {
    // libvips counts from the centers of pixels, a map from their corners: half a pixel each way.
    var arguments: [Argument] = [
      .init("matrix", .doubles([map.xx, map.xy, map.yx, map.yy])),
      .init("oarea", .ints([0, 0, size.width, size.height])),
      .init("idx", .double(0.5)), .init("idy", .double(0.5)),
      .init("odx", .double(map.x0 - 0.5)), .init("ody", .double(map.y0 - 0.5)),
      .init("interpolate", .interpolate(interpolator)),
      .init("extend", .enumeration(background.isEmpty ? "copy" : "background")),
      .init("premultiplied", .bool(true)),
    ]
    if !background.isEmpty { arguments.append(.init("background", .doubles(background))) }
    return try call("affine", arguments)
  }
}
