public import Vips

/// What is done to a picture inside and outside a mask: one band of 8 bit, of the picture's size,
/// 255 inside.
///
/// Alpha is multiplied in where colors mix, so that no pixel is brighter or darker than what it is
/// mixed from.
extension Image {
  /// The picture inside the mask, and nothing outside: the alpha is multiplied by the mask.
  ///
  /// Colors stay as they are, also under an alpha of 0: whoever enlarges the picture later finds no
  /// black there.
  public func masked(by mask: Image) throws -> Image {
    guard hasAlpha else {
      let alpha = try format == .ushort ? mask.scaled(by: 257, to: .ushort) : mask
      return try joined(bands: alpha).copy(interpretation: interpretation)
    }
    let alpha = try extractBands(bands - 1, count: 1)
      .call("multiply", [.init("right", .image(mask))], input: "left")
      .scaled(by: 1 / 255, to: format)
    return try extractBands(0, count: bands - 1).joined(bands: alpha)
      .copy(interpretation: interpretation)
  }

  /// The picture inside the mask, and a color outside.
  public func masked(by mask: Image, on color: Color) throws -> Image {
    let able = try holding(color).addingAlpha(!color.isOpaque)
    let outside = try Image.filled(
      able.samples(of: color).map { $0.rounded() },
      width: width,
      height: height,
      like: able
    )
    guard able.hasAlpha else { return try mask.mixed(able, outside).described(as: able) }
    let mixed = try mask.mixed(
      able.premultiply(maximum: sampleMaximum),
      outside.premultiply(maximum: sampleMaximum)
    )
    .unpremultiply(maximum: sampleMaximum).rounded(to: format)
    // What is wholly inside or outside stays exactly as it is, to the colors under transparency.
    return try mask.equals(255).chosen(able, mask.equals(0).chosen(outside, mixed))
      .described(as: able)
  }

  /// The picture with black laid on what is visible outside the mask.
  ///
  /// `opacity`: of the black, 0…1.
  public func dimmed(outside mask: Image, opacity: Double) throws -> Image {
    let colors = hasAlpha ? bands - 1 : bands
    let factors = (0..<bands).map { $0 < colors ? 1 - opacity : 1 }
    let dark = try call(
      "linear",
      [.init("a", .doubles(factors)), .init("b", .doubles(factors.map { _ in 0.5 }))]
    )
    .cast(format).copy(interpretation: interpretation)
    return try mask.mixed(self, dark).described(as: self)
  }

  /// 255 where a mask has this level, else 0.
  private func equals(_ level: Double) throws -> Image {
    try call(
      "relational_const",
      [.init("relational", .enumeration("equal")), .init("c", .doubles([level]))]
    )
  }

  /// Of two pictures the first where this is not 0, else the second.
  private func chosen(_ first: Image, _ second: Image) throws -> Image {
    try call(
      "ifthenelse",
      [.init("in1", .image(first)), .init("in2", .image(second))],
      input: "cond"
    )
  }
}
