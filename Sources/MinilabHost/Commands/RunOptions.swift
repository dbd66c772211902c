import MinilabKit

/// What `minilab run` was told.
struct RunOptions: Equatable {
  /// A path or a name.
  var profile: Path
  /// Folders and files.
  var inputs: [Path]
  /// The output root.
  var output: Path
  /// The number of workers; nil for one on each usable core.
  var jobs: Int?
  var dryRun = false
  var force = false
  /// The arguments of `--set`, in their order.
  var set: [String] = []
  var json = false
  var quiet = false
  var failFast = false
  var sandbox = SandboxMode.auto
}
