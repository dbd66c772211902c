import Vips

/// Mask pictures: what they say, and how they are laid on a plane.
extension Image {
  /// What a mask picture says, as one 8-bit band: its alpha, else its lightness.
  func maskLevels() throws -> Image {
    let gray = try isGray || hasAlpha ? self : colourspace(format == .ushort ? .gray16 : .gray)
    let band = try gray.extractBands(hasAlpha ? bands - 1 : 0, count: 1)
    guard band.format == .ushort else { return try band.copy(interpretation: .gray) }
    return try band.call(
      "linear",
      [.init("a", .doubles([1.0 / 257])), .init("b", .doubles([0.5])), .init("uchar", .bool(true))]
    )
    .copy(interpretation: .gray)
  }

  /// The picture on a plane, beyond its edges its edge; first shrunk where the map shrinks it.
  func stretched(through map: AffineMap, size: Size) throws -> Image {
    let stretch = map.stretch
    let small = Size(
      width: min(width, max(1, Int((stretch.x * Double(width)).rounded(.up)))),
      height: min(height, max(1, Int((stretch.y * Double(height)).rounded(.up))))
    )
    if small == Size(width: width, height: height) { return try mapped(through: map, size: size) }
    // A kernel with negative lobes would leave rings of half transparency.
    let shrunk = try resize(
      Double(small.width) / Double(width),
      vertical: Double(small.height) / Double(height),
      kernel: "linear"
    )
    .inMemory()
    let grown = AffineMap.scale(
      x: Double(width) / Double(shrunk.width),
      y: Double(height) / Double(shrunk.height)
    )
    return try shrunk.mapped(through: grown.then(map), size: size)
  }

  /// The picture seen through a map, with straight lines between its pixels.
  func mapped(through map: AffineMap, size: Size) throws -> Image {
    // libvips counts from the centers of pixels, a map from their corners: half a pixel each way.
    try call(
      "affine",
      [
        .init("matrix", .doubles([map.xx, map.xy, map.yx, map.yy])),
        .init("oarea", .ints([0, 0, size.width, size.height])),
        .init("idx", .double(0.5)), .init("idy", .double(0.5)),
        .init("odx", .double(map.x0 - 0.5)), .init("ody", .double(map.y0 - 0.5)),
        .init("interpolate", .interpolate("bilinear")), .init("extend", .enumeration("copy")),
      ]
    )
  }

  /// The product of two masks.
  func multiplied(by other: Image) throws -> Image {
    try call("multiply", [.init("right", .image(other))], input: "left")
      .call(
        "linear",
        [
          .init("a", .doubles([1.0 / 255])), .init("b", .doubles([0.5])),
          .init("uchar", .bool(true)),
        ]
      )
  }
}
