public import Vips

/// Work in which each pixel takes something of its neighbors, so that those that are transparent must lend
/// it no color.
extension Image {
  /// Work that mixes pixels by weights, with the alpha multiplied in and mixed alike.
  ///
  /// The result has this picture's depth; floating-point samples are rounded. A picture without alpha is
  /// handed over and comes back as it is.
  public func mixingPixels(_ work: (Image) throws -> Image) throws -> Image {
    guard hasAlpha else { return try work(self) }
    return try work(premultiply(maximum: sampleMaximum)).unpremultiply(maximum: sampleMaximum)
      .rounded(to: format).copy(interpretation: interpretation)
  }

  /// Work that compares the colors of pixels with those around them, and leaves the alpha.
  ///
  /// It is handed colors alone. Multiplying the alpha in would make an edge of colors of every edge of the
  /// alpha; so a pixel is handed over with its own color as far as it is as opaque as those around it, and
  /// for the rest with what they look like together. Where a picture is equally opaque everywhere, that is
  /// its own color. Pixels that are wholly transparent come back as they were.
  ///
  /// `reach`: the standard deviation of the bell in which neighbors count, in pixels.
  public func comparingColors(
    reach: Double,
    _ work: (Image) throws -> Image
  ) throws -> Image {
    guard hasAlpha else { return try work(self) }
    let colorBands = bands - 1
    let alpha = try extractBands(colorBands, count: 1)
    let around = try premultiply(maximum: sampleMaximum).gaussian(sigma: reach)
    // 0 to 255, and never more: a mask in floating point would be one of whole numbers to libvips.
    let share = try alpha.call(
      "divide",
      [.init("right", .image(around.extractBands(colorBands, count: 1)))],
      input: "left"
    )
    .scaled(by: 255, to: .uchar)
    let own = try extractBands(0, count: colorBands)
    let lent = try around.unpremultiply(maximum: sampleMaximum)
      .extractBands(0, count: colorBands).rounded(to: format)
    let changed = try work(share.mixed(own, lent).described(as: own)).cast(format)
    return try alpha.call(
      "ifthenelse",
      [.init("in1", .image(changed.joined(bands: alpha))), .init("in2", .image(self))],
      input: "cond"
    )
    .described(as: self)
  }

  /// An unsharp mask on lightness; the alpha stays as it is.
  ///
  /// `sigma`: standard deviation of the Gaussian, in pixels.
  /// `amount`: libvips' `m2`, the slope where the picture is jagged.
  public func sharpen(sigma: Double, amount: Double = 3) throws -> Image {
    let was = interpretation
    let sharp = try comparingColors(reach: sigma) {
      try $0.call("sharpen", [.init("sigma", .double(sigma)), .init("m2", .double(amount))])
    }
    // libvips gives gray back as gray, but with the depth of its own choice.
    return try sharp.cast(format).copy(interpretation: was)
  }

  /// A Gaussian.
  ///
  /// `sigma`: standard deviation in pixels.
  public func blurred(sigma: Double) throws -> Image {
    try mixingPixels { try $0.gaussian(sigma: sigma) }
      .rounded(to: format).copy(interpretation: interpretation)
  }
}
