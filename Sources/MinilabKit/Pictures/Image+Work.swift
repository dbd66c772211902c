public import Vips

/// Work on whole pictures that several operations share.
extension Image {
  /// An unsharp mask on lightness; the alpha stays as it is.
  ///
  /// `sigma`: standard deviation of the Gaussian, in pixels.
  /// `amount`: libvips' `m2`, the slope where the picture is jagged.
  public func sharpen(sigma: Double, amount: Double = 3) throws -> Image {
    let was = interpretation
    let sharp = try call("sharpen", [.init("sigma", .double(sigma)), .init("m2", .double(amount))])
    // libvips gives gray back as gray, but with the depth of its own choice.
    return try sharp.cast(format).copy(interpretation: was)
  }

  /// A Gaussian with the alpha multiplied in, so that transparent pixels lend no color.
  ///
  /// `sigma`: standard deviation in pixels.
  public func blurred(sigma: Double) throws -> Image {
    let arguments = [Argument("sigma", .double(sigma))]
    guard hasAlpha else { return try call("gaussblur", arguments) }
    let blurred = try premultiply(maximum: sampleMaximum).call("gaussblur", arguments)
      .unpremultiply(maximum: sampleMaximum)
    return try blurred.rounded(to: format).copy(interpretation: interpretation)
  }

  /// The picture on a color, opaque.
  public func flattened(on color: Color) throws -> Image {
    guard hasAlpha else { return self }
    let able = try holding(color)
    return try able.flatten(
      background: Array(able.samples(of: color).dropLast()),
      maximum: sampleMaximum
    )
  }

  /// Casts to whole numbers; libvips' own cast cuts the fraction off.
  public func rounded(to format: PixelFormat) throws -> Image {
    guard self.format == .float else { return try cast(format) }
    return try call("linear", [.init("a", .doubles([1])), .init("b", .doubles([0.5]))])
      .cast(format)
  }
}
