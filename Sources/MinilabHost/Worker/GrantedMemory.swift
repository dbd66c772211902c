import MinilabKit

/// What a unit in work may hold, in bytes; nil for no bound.
struct GrantedMemory {
  /// By the budget of the run: what needs more is given back.
  var ofUnit: Int?
  /// By the worker's own limit: what needs more fails.
  var ofWorker: Int?

  /// The unit needs more than it was granted.
  struct Excess: Error {
    let estimate: Estimate
  }

  /// The unit is so small that nobody need look at what exactly it takes.
  func isSurelyEnough(for jobs: [OutputJob]) -> Bool {
    guard let bytes = [ofUnit, ofWorker].compactMap({ $0 }).min(), let first = jobs.first else {
      return true
    }
    let inputs = first.pictures.pixelCount
    let outputs = jobs.reduce(0) { $0 + ($1.frame.knownSize?.pixelCount ?? inputs) }
    return inputs * Self.mostForInput + outputs * Self.mostForOutput <= bytes
  }

  /// Sees that there is enough, before any is asked for.
  ///
  /// Estimates may be too high by half: only what is certain fails of the worker's limit.
  ///
  /// - Throws: `Excess` where the unit is to be given back; `ItemError` where it has failed.
  func check(_ account: UnitAccount?) throws {
    guard let account else { return }
    if let ofWorker, account.least > ofWorker {
      throw ItemError.outOfMemory(
        ofWorker,
        "one whose decoder holds \(bytesShown(account.least)) at once"
      )
    }
    if let ofUnit, account.estimate.memory > ofUnit { throw Excess(estimate: account.estimate) }
  }

  /// In bytes for a pixel: more than any decoder, and any resampling in floating point, holds.
  private static let mostForInput = 40
  /// The same of what any encoder holds with the picture that it is handed.
  private static let mostForOutput = 120
}
