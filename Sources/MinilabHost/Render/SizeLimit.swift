import MinilabKit

/// How large a picture may become on its way through the steps.
///
/// A size is a number until pixels are made; this is what keeps a profile from asking for more
/// pixels than there is memory or time.
struct SizeLimit {
  /// libvips' own bound of a side (`VIPS_MAX_COORD`).
  static let longestSide = 10_000_000

  var maxPixels = InputPolicy().maxPixels

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
        expected: "at most \(maxPixels) pixels (input.max-pixels)",
        received: "\(size)"
      )
    }
  }
}
