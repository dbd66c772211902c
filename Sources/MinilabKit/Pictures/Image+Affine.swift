public import Vips

extension Image {
  /// Maps the picture onto a canvas.
  ///
  /// Alpha must be multiplied in: left to itself, `affine` would multiply it in once more.
  ///
  /// - Parameters:
  ///   - map: From points of this picture to points of the canvas.
  ///   - size: Of the canvas.
  ///   - background: Samples for where there is no picture; empty: the edge is repeated, for a pixel.
  ///   - interpolator: libvips' name of it.
  /// - Returns: A picture of the canvas's size.
  /// - Throws: `VipsError`.
  public func affine(
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
