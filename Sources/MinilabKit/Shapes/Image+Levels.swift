import Vips

/// Mask pictures: what they say, and how they are laid on a plane.
extension Image {
  /// What a mask picture says, as one 8-bit band: its alpha, else its lightness.
  func maskLevels() throws -> Image {
    let gray =
      try isGray || hasAlpha
      ? self : colourspace(Interpretation(isGray: true, isDeep: format == .ushort))
    let band = try gray.extractBands(hasAlpha ? bands - 1 : 0, count: 1)
    let levels = try band.format == .ushort ? band.scaled(by: 1 / 257, to: .uchar) : band
    return try levels.copy(interpretation: .gray)
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

  /// The mask on a plane, with straight lines between its pixels.
  ///
  /// `map`: from points of this picture to points of the plane.
  func mapped(through map: AffineMap, size: Size) throws -> Image {
    try affine(map, size: size, interpolator: "bilinear")
  }

  /// The product of two masks.
  func multiplied(by other: Image) throws -> Image {
    try call("multiply", [.init("right", .image(other))], input: "left")
      .scaled(by: 1 / 255, to: .uchar)
  }
}
