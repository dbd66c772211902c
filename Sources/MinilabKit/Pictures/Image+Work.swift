public import Vips

/// Work on whole pictures that several operations share.
extension Image {
  /// A Gaussian as wide as told.
  ///
  /// libvips' own defaults cut the bell off where it is at a fifth of its height, and count it in twenty
  /// steps: that is narrower by a tenth and more, and by levels off for small bells. Wide ones are
  /// averages of averages, which take the same time at any width; beside a hard edge from black to white
  /// they are off by up to four levels of 255.
  func gaussian(sigma: Double) throws -> Image {
    try call(
      "gaussblur",
      [
        .init("sigma", .double(sigma)), .init("min-ampl", .double(0.01)),
        .init("precision", .enumeration(sigma <= 4 ? "float" : "approximate")),
      ]
    )
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

  /// Work on the colors alone, whose result keeps this picture's depth; the alpha stays as it is.
  ///
  /// Floating-point results are rounded.
  public func changingColors(_ work: (Image) throws -> Image) throws -> Image {
    let colors = try hasAlpha ? extractBands(0, count: bands - 1) : self
    let changed = try work(colors).rounded(to: format)
    let kind = Interpretation(isGray: changed.bands < 3, isDeep: format == .ushort)
    guard hasAlpha else { return try changed.copy(interpretation: kind) }
    return try changed.joined(bands: extractBands(bands - 1, count: 1)).copy(interpretation: kind)
  }

  /// Every pixel's colors multiplied by a matrix with a row for each new color, in floating point; an
  /// alpha is multiplied by `alpha`.
  public func recombined(_ rows: [[Double]], alpha: Double = 1) throws -> Image {
    let matrix =
      hasAlpha ? rows.map { $0 + [0] } + [(rows.first ?? []).map { _ in 0 } + [alpha]] : rows
    return try call("recomb", [.init("m", .image(Image(matrix: matrix)))])
  }

  /// Every color's new value looked up, and the alpha's; a table has a value for each sample from 0 to
  /// the last.
  ///
  /// `format`: of the values, 8 or 16 bit.
  public func mapped(
    through table: [UInt16],
    alpha: [UInt16],
    to format: PixelFormat
  ) throws -> Image {
    let colors = hasAlpha ? bands - 1 : bands
    let rows = table.indices.flatMap { index in
      [UInt16](repeating: table[index], count: colors) + (hasAlpha ? [alpha[index]] : [])
    }
    let lut =
      try format == .ushort
      ? Image(pixels16: rows, width: table.count, height: 1, bands: bands)
      : Image(pixels: rows.map { UInt8($0) }, width: table.count, height: 1, bands: bands)
    return try call("maplut", [.init("lut", .image(lut))])
  }

  /// Casts to whole numbers; libvips' own cast cuts the fraction off.
  public func rounded(to format: PixelFormat) throws -> Image {
    self.format == .float ? try scaled(by: 1, to: format) : try cast(format)
  }

  /// Every sample times a factor, rounded to whole numbers; 8 bit becomes 16 bit by 257, as 65535 is
  /// 257 × 255.
  public func scaled(by factor: Double, to format: PixelFormat) throws -> Image {
    // What libvips makes of a fraction is cut off, so half a level rounds it.
    try call(
      "linear",
      [
        .init("a", .doubles([factor])), .init("b", .doubles([0.5])),
        .init("uchar", .bool(format == .uchar)),
      ]
    )
    .cast(format)
  }
}
