import Glibc
import MinilabKit

// The run itself: what the ledger knows is passed over, the rest is handed to workers, and what comes
// of it is written down and told.

extension RunCommand {
  func carryOut(_ shared: SharedPlan) throws -> ExitStatus {
    let plan = shared.plan
    guard let output else { preconditionFailure("a dry run carries nothing out") }
    let file = LedgerFile(of: options.output)
    var ledger = try begin(file.open())
    var (keeper, tally): (LedgerKeeper, Tally)
    do {
      (keeper, tally) = try prepare(plan, ledger)
    } catch let error as DatabaseError where error.isDamage {
      ledger = try begin(anew: file, ledger, error)
      (keeper, tally) = try prepare(plan, ledger)
    }
    let space = SpaceWatch(profile.limits) { output.room }
    let report = RunReport(
      tally,
      .init(json: options.json, quiet: options.quiet, failFast: options.failFast),
      input: { plan.input(at: $0) },
      inputs: { plan.inputs(at: $0) },
      space: space,
      outputIsLost: { output.isLost }
    )
    var stop: RunStop?
    for item in plan.ungrouped where stop == nil && !options.onlyFailed {
      stop = report.report(plan.ungroupedReport(item))
    }
    do {
      stop = try stop ?? passOver(keeper, report)
    } catch let error as DatabaseError where error.isDamage {
      ledger = try begin(anew: file, ledger, error)
      try keeper.begin(anew: ledger)
      stop = try passOver(keeper, report)
    }
    if stop == nil, keeper.openCount > 0 { stop = space.check() }
    if stop == nil {
      let workers = coordinator.workerCount(for: keeper.openCount)
      let threads = max(1, limits.cores / workers)
      stop = try coordinator.carryOut(
        Schedule(processing: keeper),
        setup: Setup(
          profile: profile.node,
          output: options.output,
          threads: threads,
          confinement: confinement(reading: plan.places)
        ),
        observer: LedgerObserver(keeper, report)
      )
    }
    coordinator.end()
    output.emptyTemporaries()
    stop = keeper.end(stop, report.tally) ?? stop
    report.end(stop)
    // The next run would fail where this one did.
    if let fault = keeper.fault, fault.isDamage { ledger = try begin(anew: file, ledger, fault) }
    let status =
      stop == nil && plan.count == 0
      ? .nothingMatched : Self.status(stop, failed: report.tally.failed)
    tell(report, stop, status, ledger, output)
    return status
  }

  /// Leaves the report in the output root, and says how to try again.
  private func tell(
    _ report: RunReport,
    _ stop: RunStop?,
    _ status: ExitStatus,
    _ ledger: Ledger,
    _ output: OutputFolder
  ) {
    if report.tally.failed > 0, !options.quiet {
      let words = ["minilab", "run"].map { Path($0) } + options.retryWords
      Console.warn("only these again: \(words.map(\.quotedForShell).joined(separator: " "))\n")
    }
    do {
      let file = ReportFile(options, profile, report, stop, status)
      try output.putOwnFile(ReportFile.name) { write in try file.write(ledger, write) }
    } catch {
      let reason = (error as? SystemError)?.reason ?? (error as? DatabaseError)?.text ?? "\(error)"
      Console.warn("minilab: \(ReportFile.name.shown) cannot be written: \(reason)\n")
    }
  }

  private func begin(_ opened: LedgerFile.Opened) -> Ledger {
    if let word = opened.word { Console.warn("minilab: \(word)\n") }
    opened.ledger.start = start
    return opened.ledger
  }

  /// Sets a ledger aside that turned out to be damaged.
  private func begin(
    anew file: LedgerFile,
    _ ledger: Ledger,
    _ error: DatabaseError
  ) throws -> Ledger {
    ledger.database.close()
    return begin(try file.replace(because: "is damaged (\(Path(error.text).shown))"))
  }

  private func prepare(_ plan: Plan, _ ledger: Ledger) throws -> (LedgerKeeper, Tally) {
    let keeper = try LedgerKeeper(
      plan,
      of: profile,
      below: options.output,
      ledger,
      force: options.force
    )
    var tally = plan.tally
    if options.onlyFailed {
      tally.planned = try keeper.keepOnlyFailed()
    } else {
      try ledger.forgetFailures()
    }
    return (keeper, tally)
  }

  private func passOver(_ keeper: LedgerKeeper, _ report: RunReport) throws -> RunStop? {
    try keeper.close { index, item in
      try keeper.record(index, item)
      return report.report(item)
    }
  }

  /// What the ledger is told of this run.
  private var start: LedgerStart {
    let file = (try? realPath(profile.file)).map { Path(bytes: $0) } ?? profile.file
    return LedgerStart(profile: file, arguments: options.words)
  }
}

/// Writes down what becomes of a unit before it is told to anybody.
private final class LedgerObserver: RunObserver {
  private let keeper: LedgerKeeper
  private let report: RunReport

  init(_ keeper: LedgerKeeper, _ report: RunReport) {
    self.keeper = keeper
    self.report = report
  }

  func finished(_ result: UnitResult) -> RunStop? {
    // Not even begun, as the ledger could not be told of it.
    if let fault = keeper.fault { return LedgerKeeper.stop(fault) }
    let stop = keeper.record(result)
    if keeper.wasReported(result.id), result.status != .failed { return stop }
    return stop ?? report.finished(result)
  }

  func probed(_ result: ProbeResult) -> RunStop? { nil }
  func stopping(_ stop: RunStop) { report.stopping(stop) }
  var redrawInterval: Duration? { report.redrawInterval }
  func redraw() { report.redraw() }
}
