import MinilabKit

// Limits that a header tells of.

extension InputPolicy {
  /// - Throws: where a file is longer than the profile wants any.
  func checkBytes(_ count: Int) throws(ItemError) {
    guard count <= maxBytes.bytes else {
      throw ItemError(
        .tooManyBytes,
        expected:
          "a file of at most \(maxBytes.shown) \(LimitNames.shown("max-bytes"))",
        received: bytesShown(count)
      )
    }
  }

  /// - Throws: where a picture is larger than the profile wants any.
  func checkSize(_ size: Size) throws(ItemError) {
    if size.longerSide > maxSide {
      throw ItemError(
        .tooManyPixels,
        expected: "sides of at most \(maxSide) pixels \(LimitNames.shown("max-side"))",
        received: "\(size)"
      )
    }
    let pixels = size.width.multipliedReportingOverflow(by: size.height)
    if pixels.overflow || pixels.partialValue > maxPixels {
      throw ItemError(
        .tooManyPixels,
        expected: "at most \(counted(maxPixels, "pixel")) \(LimitNames.shown("max-pixels"))",
        received: "\(size)"
      )
    }
  }
}
