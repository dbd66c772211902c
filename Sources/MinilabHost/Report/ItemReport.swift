import MinilabKit

/// What became of one item, as reports tell it.
struct ItemReport {
  /// Relative to its input root.
  var input: Path
  var status: UnitStatus
  /// Why it was skipped.
  var reason: String?
  var outputs: [OutputRecord] = []
  var notes: [Note] = []
  var error: ItemError?
  /// Wall time in the worker.
  var seconds: Double = 0
}

/// What a dry run tells of one item.
struct PlannedItem {
  var input: Path
  /// Where its outputs will go, and how large they will be where headers tell.
  var outputs: [(path: Path, format: PictureFormat, size: PlannedSize?)]
  var notes: [Note] = []
  var error: ItemError?
}

/// The counts of a run.
struct Tally {
  /// How many items the plan has.
  var planned: Int
  var done = 0
  var failed = 0
  var skipped = 0
  /// What the walk did not take, by kind.
  var leftOut: [(name: String, count: Int)] = []
  /// On how many pictures that were done there is a note, by its code.
  private(set) var notes: [Note.Code: Int] = [:]
  /// The first failures: the list a person reads must end, and memory too.
  private(set) var failures: [(input: Path, error: ItemError)] = []

  static let mostFailures = 20

  var finished: Int { done + failed + skipped }

  mutating func count(_ item: ItemReport) {
    switch item.status {
    case .done:
      done += 1
      for code in Set(item.notes.map(\.code)) { notes[code, default: 0] += 1 }
    case .skipped: skipped += 1
    case .failed:
      failed += 1
      if let error = item.error, failures.count < Self.mostFailures {
        failures.append((item.input, error))
      }
    }
  }
}
