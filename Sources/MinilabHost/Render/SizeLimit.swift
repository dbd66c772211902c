import MinilabKit

/// How large a picture may become on its way through the steps.
///
/// A size is a number until pixels are made; this is what keeps a profile from asking for more
/// pixels than there is memory or time.
struct SizeLimit {
  /// libvips' own bound of a side (`VIPS_MAX_COORD`).
  static let longestSide = 10_000_000

  /// Wanted pixels for one of a picture's: with the few pixels around that an interpolation reads,
  /// more would be past `longestSide`.
  static let largestEnlargement = 1_000_000.0

  var maxPixels = InputPolicy().maxPixels

  /// - Throws: `ItemError` where a geometry stretches its raster beyond what libvips can count.
  static func check(_ geometry: Geometry) throws(ItemError) {
    let stretch = geometry.map.inverse.stretch
    let most = max(stretch.x, stretch.y)
    if most <= largestEnlargement { return }
    throw ItemError(
      .tooManyPixels,
      expected: "pixels enlarged at most \(largestEnlargement.literal) times",
      received: "\(most.rounded().literal) times"
    )
  }

  /// - Throws: `ItemError` where a step has made a picture of more than that.
  func check(_ size: Size, after step: String) throws(ItemError) {
    if size.longerSide > Self.longestSide {
      throw ItemError(
        .tooManyPixels,
        step: step,
        expected: "sides of at most \(Self.longestSide) pixels",
        received: "\(size)"
      )
    }
    if size.width * size.height > maxPixels {
      throw ItemError(
        .tooManyPixels,
        step: step,
        expected: "at most \(counted(maxPixels, "pixel")) \(LimitNames.shown("max-pixels"))",
        received: "\(size)"
      )
    }
  }
}
