/// How the program ends: scripts read these.
public enum ExitStatus: Int32, Sendable {
  /// All done or up to date.
  case success = 0
  /// Some items failed, or the run had to stop early.
  case someFailed = 1
  /// A usage, profile or plan error: nothing was started.
  case notStarted = 2
  /// No picture was found.
  case nothingMatched = 3
  /// SIGINT or SIGTERM.
  case interrupted = 130
}
