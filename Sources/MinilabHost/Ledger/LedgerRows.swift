import MinilabKit

// What the ledger remembers, as values.

/// A file that outputs were made from.
struct LedgerInput: Equatable {
  /// The input root, without links on the way; empty where it is not below one.
  var root: Path
  /// Below the root.
  var path: Path
  /// Nil where it cannot be trusted to show the next change, or no file was there.
  var stamp: FileStamp?
  /// Nil where the file was changed while it was read, or could not be read.
  var digest: ContentDigest?
}

/// What the outputs of a unit have in common.
struct LedgerUnit {
  var id: Int
  /// In the order of the unit's members.
  var inputs: [LedgerInput]
  /// Files beside the inputs that were asked for; a path is as it was opened.
  var beside: [LedgerInput]
  /// Why there is no output.
  var reason: SkipReason?
  var notes: [Note]
}

/// What is remembered of an output's path.
struct LedgerOutput {
  enum State: Int {
    /// It was to be made, and nothing is known of it but that.
    case begun = 0
    case made = 1
    /// A step leaves it out: no file is there.
    case leftOut = 2
    /// Somebody else has changed its file since it was made.
    case altered = 3
  }

  var state: State
  /// The unit it belongs to; 0 where it was only begun.
  var unit: Int
  /// The number of its key; 0 where it is out of date whatever the key.
  var recipe: Int
  /// The run that made it, or looked at it.
  var run: Int
  /// The run that was to make it and has not said what became of it.
  var claim: Int?
  /// Of its file, as it is now.
  var stamp: FileStamp?
  /// Of what was made.
  var digest: ContentDigest?
  /// Of what stood there before.
  var previous: ContentDigest?
  /// What reports say of it, but for its path.
  var record: OutputRecord?
}

/// A run, as the ledger has it.
struct LedgerRun {
  var id: Int
  /// Seconds since 1970.
  var started: Int
  /// Nil where it goes on, or did not end well.
  var ended: Int?
  var profile: Path
  /// The words of its command line, behind `minilab run`.
  var arguments: [Path]
  var done: Int
  var failed: Int
  var skipped: Int
}

/// An item that has failed in the last run.
struct LedgerFailure {
  var root: Path
  /// Of a group the first.
  var path: Path
  /// How many more pictures the group has.
  var others: Int
  var error: ItemError
}
