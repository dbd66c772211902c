public import Vips

/// Working pixels, as an operation is handed them.
extension Image {
  /// The value of a full sample: 255 or 65535.
  public var sampleMaximum: Double { format == .ushort ? 65_535 : 255 }

  /// One band of lightness, with or without alpha.
  public var isGray: Bool { bands < 3 }

  /// The picture able to hold a color: gray becomes RGB where the color is not gray.
  public func holding(_ color: Color) throws -> Image {
    guard isGray, !color.isNeutral else { return self }
    return try colourspace(Interpretation(isGray: false, isDeep: format == .ushort))
  }

  /// The picture with an alpha band, opaque where it had none.
  public func addingAlpha(_ wanted: Bool = true) throws -> Image {
    guard wanted, !hasAlpha else { return self }
    return try call("bandjoin_const", [.init("c", .doubles([sampleMaximum]))])
  }

  /// A color's samples in this picture's own bands, depth and profile; the alpha is left out where
  /// the picture has none.
  public func samples(of color: Color) throws -> [Double] {
    let colors = try convertedLevels(of: color).map { $0 * sampleMaximum / 255 }
    return hasAlpha ? colors + [color.alpha * sampleMaximum] : colors
  }

  /// The color in 0…255 of the picture's own profile.
  private func convertedLevels(of color: Color) throws -> [Double] {
    let levels = [color.red, color.green, color.blue].map { $0 * 255 }
    if isGray {
      // The weights of ITU-R BT.709 for light that is not linear give lightness near enough for a
      // fill; a neutral color, the usual one here, stays exactly itself.
      return [0.2126 * levels[0] + 0.7152 * levels[1] + 0.0722 * levels[2]]
    }
    guard has("icc-profile-data"), let profile = blob("icc-profile-data") else { return levels }
    let pixel = try Image(
      pixels: levels.map { UInt8($0.rounded()) },
      width: 1,
      height: 1,
      bands: 3
    )
    let converted = try pixel.converted(to: profile, depth: 8)
    return try converted.pixels().map(Double.init)
  }
}
