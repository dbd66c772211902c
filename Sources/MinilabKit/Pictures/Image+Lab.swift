public import Vips

extension Image {
  /// To RGB of sRGB from Lab as files have it: relative to D50 (TIFF 6.0, section 23, as programs
  /// read it).
  ///
  /// libvips' own way takes it for relative to D65, which moves blues.
  ///
  /// - Parameter depth: 8 or 16 bit.
  /// - Returns: RGB, with the alpha that was there.
  /// - Throws: `VipsError` where the pixels fail.
  public func labToSRGB(depth: Int) throws -> Image {
    guard let primaries = MatrixShaper(.sRGB)?.primaries else { return try colourspace(.srgb) }
    let lab = try colourspace(.lab)
    let colors = try lab.hasAlpha ? lab.extractBands(0, count: 3) : lab
    // In percent.
    let light = try colors.call(
      "Lab2XYZ",
      [.init("temp", .doubles(ICCProfile.d50.map { $0 * 100 }))]
    )
    .recombined(primaries.inverse.rows.map { $0.map { $0 / 100 } })
    let deep = try light.copy(interpretation: .scrgb).colourspace(.rgb16)
    let made = try depth == 16 ? deep : deep.reducedTo8Bit()
    guard lab.hasAlpha else { return made }
    // Beside Lab an alpha goes to 255.
    let alpha = try lab.extractBands(lab.bands - 1, count: 1)
      .recombined([[depth == 16 ? 257 : 1]]).rounded(to: made.format)
    return try made.joined(bands: alpha).copy(interpretation: made.interpretation)
  }
}
