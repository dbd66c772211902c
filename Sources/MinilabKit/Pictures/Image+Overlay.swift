public import Vips

/// Pixels laid over pixels: the `over` of Porter and Duff (1984) on straight alpha.
extension Image {
  /// The picture with a color painted on it as far as a mask says.
  ///
  /// `mask`: one band of 8 bit, of the picture's size: 0 leaves a pixel exactly as it is, 255 gives
  /// it the color. The color's own alpha counts, too.
  public func painted(_ color: Color, through mask: Image) throws -> Image {
    let able = try holding(color)
    let samples = try able.samples(of: color).prefix(able.colorBands)
    let paint = try Image.filled(
      samples.map { $0.rounded() },
      width: width,
      height: height,
      like: able
    )
    return try able.covered(by: paint, through: mask.faded(to: color.alpha))
  }

  /// The picture with a smaller one laid over it; what sticks out is cut off.
  ///
  /// `layer`: working pixels of this picture's depth and colors, with alpha.
  /// `opacity`: 0…1, of the layer as a whole.
  public func overlaid(
    by layer: Image,
    left: Int,
    top: Int,
    opacity: Double = 1
  ) throws -> Image {
    let placed = try layer.embed(
      left: left,
      top: top,
      width: width,
      height: height,
      extend: "black"
    )
    let colors = placed.bands - 1
    let alpha = try placed.extractBands(colors, count: 1)
      .scaled(by: 255 / sampleMaximum, to: .uchar)
    return try covered(
      by: placed.extractBands(0, count: colors),
      through: alpha.faded(to: opacity)
    )
  }

  /// Bands that are colors.
  private var colorBands: Int { hasAlpha ? bands - 1 : bands }

  /// A mask of a part of its strength, rounded.
  private func faded(to strength: Double) throws -> Image {
    strength >= 1 ? self : try scaled(by: max(0, strength), to: .uchar)
  }

  private func covered(by paint: Image, through mask: Image) throws -> Image {
    guard hasAlpha else {
      return try mask.mixed(paint, self).described(as: self)
    }
    let opaque = try paint.call("bandjoin_const", [.init("c", .doubles([sampleMaximum]))])
    // Where the alpha is multiplied in, `over` is a mixture like any other.
    let blended = try mask.mixed(opaque.cast(.float), premultiply(maximum: sampleMaximum))
      .unpremultiply(maximum: sampleMaximum).rounded(to: format)
    // Untouched pixels stay as they are, to the colors under their transparency.
    return try mask.call(
      "ifthenelse",
      [.init("in1", .image(blended)), .init("in2", .image(self))],
      input: "cond"
    )
    .described(as: self)
  }

  /// The pixels with another picture's header, which libvips takes from the mask.
  func described(as other: Image) throws -> Image {
    try copy([
      .init("interpretation", .enumeration(other.interpretation.nick)),
      .init("xres", .double(other.resolution.x)), .init("yres", .double(other.resolution.y)),
      .init("xoffset", .int(0)), .init("yoffset", .int(0)),
    ])
  }

  /// Of two pictures the first where this mask is 255, the second where it is 0, and between them
  /// the mixture.
  public func mixed(_ first: Image, _ second: Image) throws -> Image {
    try call(
      "ifthenelse",
      [
        .init("in1", .image(first)), .init("in2", .image(second)), .init("blend", .bool(true)),
      ],
      input: "cond"
    )
  }
}
