import Glibc
import MinilabKit

/// Tells everybody who listens what becomes of the items: events on standard output, a progress
/// line, a summary and failures on standard error.
final class RunReport: RunObserver {
  struct Options {
    var json = false
    var quiet = false
    var failFast = false
    /// Where events go.
    var output: Int32 = STDOUT_FILENO
    /// Where people read.
    var messages: Int32 = STDERR_FILENO
  }

  private let options: Options
  /// The item behind a unit.
  private let input: (Int) -> Path
  /// All items behind a gathered unit; none for any other.
  private let inputs: (Int) -> [Path]
  /// Asked after a write has failed.
  private let outputIsLost: () -> Bool
  /// The room for results; nil where none are written.
  private let space: SpaceWatch?
  private(set) var tally: Tally
  private let start = SuspendingClock.now
  /// Since it was begun.
  var seconds: Double { (SuspendingClock.now - start) / .seconds(1) }
  private var progress: ProgressLine?
  /// Standard output takes no more.
  private var outputFault: RunStop?

  init(
    _ tally: Tally,
    _ options: Options,
    input: @escaping (Int) -> Path,
    inputs: @escaping (Int) -> [Path] = { _ in [] },
    space: SpaceWatch? = nil,
    outputIsLost: @escaping () -> Bool
  ) {
    self.tally = tally
    self.options = options
    self.input = input
    self.inputs = inputs
    self.outputIsLost = outputIsLost
    self.space = space
    if !options.quiet { progress = ProgressLine(on: options.messages, start: start) }
  }

  /// How many units there will be, where that turns out while they come.
  var planned: Int {
    get { tally.planned }
    set { tally.planned = newValue }
  }

  // MARK: Items

  func finished(_ result: UnitResult) -> RunStop? {
    report(
      ItemReport(
        input: input(result.id),
        inputs: inputs(result.id),
        status: result.status,
        reason: result.reason,
        because: result.findings?.reason,
        outputs: result.outputs,
        notes: result.notes,
        error: result.error,
        seconds: result.seconds
      )
    )
  }

  /// Also for items that have failed before there was a worker.
  ///
  /// - Returns: why the run should stop.
  func report(_ item: ItemReport) -> RunStop? {
    tally.count(item)
    var stop: RunStop?
    if options.json { stop = write(Events.item(item)) }
    // What is up to date names its outputs, too, and takes no room.
    if item.status == .skipped { return stop }
    guard item.status == .failed else {
      return stop ?? space?.check(after: item.outputs.reduce(0) { $0 + $1.bytes })
    }
    switch item.error?.code {
    case .diskFull: return stop ?? .diskFull
    case .outputLost: return stop ?? .outputLost
    case .writeFailed where outputIsLost(): return stop ?? .outputLost
    default: return stop ?? (options.failFast ? .failFast : nil)
    }
  }

  /// Headers are asked for before the run; what they tell is not its business.
  func probed(_ result: ProbeResult) -> RunStop? { nil }

  private func write(_ line: JSONLine) -> RunStop? {
    if let outputFault { return outputFault }
    do {
      try System.writeAll(options.output, Array((line.text + "\n").utf8))
      return nil
    } catch {
      outputFault = .ofOutput(error)
      return outputFault
    }
  }

  /// Why a run has ended early: a reason that came when nothing was left to be done is none.
  func early(_ stop: RunStop?) -> RunStop? {
    switch stop {
    case .spaceLow?, .outputLimit?, .failFast?: tally.finished < tally.planned ? stop : nil
    default: stop
    }
  }

  // MARK: Progress

  var redrawInterval: Duration? { progress == nil ? nil : ProgressLine.interval }

  func redraw() {
    progress?.draw(tally)
  }

  func stopping(_ stop: RunStop) {
    if stop == .interrupted, !options.quiet {
      say("minilab: stopping; what has been begun is finished. Once more ends it at once\n")
    }
  }

  // MARK: The end

  /// The last words, after which nothing is reported.
  func end(_ stop: RunStop?) {
    progress?.clear()
    let seconds = (SuspendingClock.now - start) / .seconds(1)
    if options.json { _ = write(Events.summary(tally, seconds: seconds)) }
    if !options.quiet { say(Summary.text(tally, seconds: seconds)) }
    say(Summary.failures(tally))
    if let stop, let text = Self.text(stop) { say("minilab: \(text)\n") }
  }

  /// What a person is told of an early end; nil where that person brought it about.
  static func text(_ stop: RunStop) -> String? {
    switch stop {
    case .interrupted, .outputClosed, .planRefused: nil
    case .outputFailed(let reason): "stopped early: \(Console.fault(reason))"
    case .diskFull: "stopped early: the disk is full"
    case .spaceLow(let free, let kept):
      """
      stopped early: expected \(bytesShown(kept)) free on the disk of the results \
      \(LimitNames.shown("keep-free")), found \(bytesShown(free)); the next run goes on
      """
    case .outputLimit(let written, let most):
      """
      stopped early: expected at most \(bytesShown(most)) of results \
      \(LimitNames.shown("max-output")), found \(bytesShown(written)); the next run goes on
      """
    case .outputLost: "stopped early: the output root is gone or can no longer be written"
    case .ledgerFailed(let reason):
      "stopped early: the ledger cannot be written: \(Path(reason).shown)"
    case .failFast: "stopped early: --fail-fast and a failure"
    case .noWorker(let reason): "stopped early: no worker process can be started: \(reason)"
    }
  }

  private func say(_ text: String) {
    progress?.clear()
    // Where standard error is closed there is nobody to tell.
    if !text.isEmpty { try? System.writeAll(options.messages, Array(text.utf8)) }
  }
}
