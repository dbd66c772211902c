import MinilabKit

/// What `minilab run` was told.
struct RunOptions: Equatable {
  /// A path or a name.
  var profile: Path
  /// Folders and files.
  var inputs: [Path]
  /// The output root; empty where there is none, as nothing is made.
  var output: Path
  /// The number of workers; nil for one on each usable core.
  var jobs: Int?
  /// What units in work may hold; nil for half of what there is.
  var memory: ByteCount?
  var dryRun = false
  var force = false
  /// What `--set`, `--limit` and `--timeout` say, in their order.
  var settings: [ProfileSetting] = []
  var json = false
  var quiet = false
  var failFast = false
  var sandbox = SandboxMode.auto
  /// Only units that have failed in the last run.
  var onlyFailed = false
  /// Wait for another run on the output root.
  var wait = false
  /// The picture to tell about, in place of a run.
  var explain: Path?

  /// The words that ask for only what has failed, behind `minilab run`.
  var retryWords: [Path] { words.filter { $0 != Path("--only-failed") } + [Path("--only-failed")] }

  /// The words that ask for the same run, behind `minilab run`.
  var words: [Path] {
    var words = [profile] + inputs + [Path("-o"), output]
    words += settings.flatMap(\.words)
    if sandbox != .auto { words += [Path("--sandbox"), Path(sandbox.rawValue)] }
    if let memory { words += [Path("--memory"), Path("\(memory.bytes)")] }
    if let jobs { words += [Path("--jobs"), Path("\(jobs)")] }
    return words
  }
}
