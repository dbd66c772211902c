import Glibc

/// Why a run ends before all of its units are done.
enum RunStop: Equatable {
  case interrupted
  /// Nobody reads standard output any more.
  case outputClosed
  /// Standard output takes no more, with the kernel's reason.
  case outputFailed(String)
  case diskFull
  /// Less is free than the profile keeps free, in bytes.
  case spaceLow(free: Int, kept: Int)
  /// The run has written as much as the profile lets it, in bytes.
  case outputLimit(written: Int, most: Int)
  /// The output root is gone, or can no longer be written.
  case outputLost
  /// The ledger cannot be written, with SQLite's reason.
  case ledgerFailed(String)
  /// One has failed, and that was asked to be enough.
  case failFast
  /// What headers tell rules the plan out.
  case planRefused
  /// No worker can be started, with what is known of the reason.
  case noWorker(String)
}

extension RunStop {
  /// Standard output has not taken what was written to it.
  static func ofOutput(_ error: SystemError) -> RunStop {
    error.number == EPIPE ? .outputClosed : .outputFailed(error.reason)
  }
}

/// Who is told what becomes of the units, each as soon as it is known.
protocol RunObserver: AnyObject {
  /// A reason given back stops the run.
  func finished(_ result: UnitResult) -> RunStop?
  func probed(_ result: ProbeResult) -> RunStop?
  /// Nothing more is handed out; what is begun is finished.
  func stopping(_ stop: RunStop)
  /// Nil where nothing is to be redrawn.
  var redrawInterval: Duration? { get }
  func redraw()
}
