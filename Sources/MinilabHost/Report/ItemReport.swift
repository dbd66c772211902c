import MinilabKit

/// What became of one unit, as reports tell it.
struct ItemReport {
  /// Relative to its input root; of a group the first.
  var input: Path
  /// All of a group; empty for a unit of one item.
  var inputs: [Path] = []
  var status: UnitStatus
  /// Why it was skipped.
  var reason: SkipReason?
  /// Why it was made, where a ledger tells.
  var because: MakingReason?
  var outputs: [OutputRecord] = []
  var notes: [Note] = []
  var error: ItemError?
  /// Wall time in the worker.
  var seconds: Double = 0
}

/// What a dry run tells of one unit.
struct PlannedItem {
  var input: Path
  var inputs: [Path] = []
  var outputs: [PlannedOutput]
  var notes: [Note] = []
  /// Why it would be skipped.
  var reason: SkipReason?
  var error: ItemError?
}

/// Where an output will go, and how large it will be where headers tell.
struct PlannedOutput {
  /// Among all outputs of its unit, those that steps leave out included.
  var place: Int
  var path: Path
  var format: PictureFormat
  var size: PlannedSize?
  /// Where a ledger could be asked.
  var fate: PlannedFate?
}

/// The counts of a run.
struct Tally {
  /// How many units the plan has.
  var planned: Int
  var done = 0
  var failed = 0
  var skipped = 0
  /// How many were done for which reason.
  private(set) var reasons: [MakingReason: Int] = [:]
  /// How many a dry run could not decide on, as contents must be compared.
  private(set) var compared = 0
  /// How many were skipped for which reason.
  private(set) var skips: [SkipReason: Int] = [:]
  /// How many of the skipped are items in no group, and no units.
  private(set) var ungrouped = 0
  /// What the walk did not take, by kind.
  var leftOut: [(name: String, count: Int)] = []
  var firstOff: LeftOut.Off?
  /// On how many pictures that were done there is a note, by its code.
  private(set) var notes: [Note.Code: Int] = [:]
  /// The first failures: the list a person reads must end, and memory too.
  private(set) var failures: [(input: Path, others: Int, error: ItemError)] = []

  static let mostFailures = 20

  /// How many units are no longer waited for.
  var finished: Int { done + failed + skipped - ungrouped }

  mutating func count(_ item: ItemReport) {
    switch item.status {
    case .done:
      done += 1
      if let because = item.because { reasons[because, default: 0] += 1 }
      for code in Set(item.notes.map(\.code)) { notes[code, default: 0] += 1 }
    case .skipped: skip(item.reason)
    case .failed: fail(item.input, item.inputs, item.error)
    }
  }

  /// Of a dry run, only what will not be made counts.
  mutating func count(_ item: PlannedItem) {
    if item.error != nil {
      fail(item.input, item.inputs, item.error)
    } else if item.reason != nil {
      skip(item.reason)
    } else {
      let fates = item.outputs.compactMap(\.fate)
      let made = fates.lazy.compactMap { fate in
        if case .made(let reason) = fate { reason } else { nil }
      }
      if let reason = made.first {
        reasons[reason, default: 0] += 1
      } else if fates.contains(.compared) {
        compared += 1
      }
    }
  }

  private mutating func skip(_ reason: SkipReason?) {
    skipped += 1
    if let reason { skips[reason, default: 0] += 1 }
    if reason == .noGroup { ungrouped += 1 }
  }

  private mutating func fail(_ input: Path, _ inputs: [Path], _ error: ItemError?) {
    failed += 1
    if let error, failures.count < Self.mostFailures {
      failures.append((input, max(0, inputs.count - 1), error))
    }
  }
}
