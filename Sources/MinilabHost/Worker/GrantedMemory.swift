import MinilabKit

/// What a unit in work may hold.
struct GrantedMemory {
  /// Nil for no bound.
  var bytes: Int?

  /// The unit needs more than it was granted.
  struct Excess: Error {
    let estimate: Estimate
  }

  /// The unit is so small that nobody need look at what exactly it takes.
  func isSurelyEnough(for jobs: [OutputJob]) -> Bool {
    guard let bytes, let first = jobs.first else { return true }
    let inputs = first.pictures.pixelCount
    let outputs = jobs.reduce(0) { $0 + ($1.frame.knownSize?.pixelCount ?? inputs) }
    return inputs * Self.mostForInput + outputs * Self.mostForOutput <= bytes
  }

  /// - Throws: `Excess` where it is not enough.
  func check(_ estimate: Estimate) throws(Excess) {
    if let bytes, estimate.memory > bytes { throw Excess(estimate: estimate) }
  }

  /// In bytes for a pixel: more than any decoder, and any resampling in floating point, holds.
  private static let mostForInput = 40
  /// The same of what any encoder holds with the picture that it is handed.
  private static let mostForOutput = 120
}
