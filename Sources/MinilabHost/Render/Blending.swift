import MinilabKit
import Vips

/// The form in which pixels may be averaged: the alpha multiplied in, so that transparent pixels
/// lend no color to their neighbors, linear light where asked, and with parts of a level where those
/// count.
struct Blending {
  private let interpretation: Interpretation
  private let format: PixelFormat
  private let hasAlpha: Bool
  private let isLinear: Bool
  private let isExact: Bool
  private let maximum: Double

  init(of image: Image, inLinearLight isLinear: Bool, isExact: Bool = false) {
    interpretation = image.interpretation
    format = image.format
    hasAlpha = image.hasAlpha
    maximum = image.sampleMaximum
    self.isLinear = isLinear
    self.isExact = isExact
  }

  private var changesNothing: Bool { !hasAlpha && !isLinear && !isExact }

  func entered(_ image: Image) throws -> Image {
    if changesNothing { return image }
    let colored = try isLinear ? recolored(image) { try $0.colourspace(.scrgb) } : image
    if hasAlpha { return try colored.premultiply(maximum: maximum) }
    return isExact && !isLinear ? try colored.cast(.float) : colored
  }

  func left(_ image: Image) throws -> Image {
    if changesNothing { return image }
    let straight = try hasAlpha ? image.unpremultiply(maximum: maximum) : image
    guard isLinear else {
      return try straight.rounded(to: format).copy(interpretation: interpretation)
    }
    return try recolored(straight.copy(interpretation: .scrgb)) {
      try $0.colourspace(interpretation)
    }
    .rounded(to: format).copy(interpretation: interpretation)
  }

  /// Converts the colors alone: what `colourspace` does to an alpha differs between versions.
  private func recolored(_ image: Image, _ convert: (Image) throws -> Image) throws -> Image {
    guard hasAlpha else { return try convert(image) }
    let colors = try convert(image.extractBands(0, count: image.bands - 1))
    let alpha = try image.extractBands(image.bands - 1, count: 1)
    return try colors.cast(.float).joined(bands: alpha.cast(.float))
  }
}
