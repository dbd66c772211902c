import MinilabKit

extension NamedOperation {
  /// Operations that make a pixel of several: averages with weights, of neighbors or of a rank among them.
  ///
  /// `affine`, `similarity`, `rotate`, `mapim`, `thumbnail_image` and the compositions are not among them:
  /// libvips multiplies the alpha in for those itself. Nor are those that look for edges or compare a
  /// picture with another: what they give has no colors and no alpha any more.
  static let mixing: Set<String> = [
    "conv", "conva", "convf", "convi", "convsep", "gaussblur", "rank", "reduce", "reduceh",
    "reducev", "resize", "shrink", "shrinkh", "shrinkv",
  ]

  /// Runs the operation so that what transparent pixels hide does not show beside them.
  func sparingHiddenColors(_ image: Image, _ run: (Image) throws -> Image) throws -> Image {
    if Self.mixing.contains(operation) { return try image.mixingPixels(run) }
    if operation == "sharpen" {
      return try image.comparingColors(reach: sigma ?? Self.usualSigma, run)
    }
    return try run(image)
  }

  /// Of libvips' `sharpen`, where none is given.
  private static let usualSigma = 0.5

  private var sigma: Double? {
    for argument in arguments where argument.name == "sigma" {
      switch argument.value {
      case .double(let number): return number
      case .int(let number): return Double(number)
      default: return nil
      }
    }
    return nil
  }
}
