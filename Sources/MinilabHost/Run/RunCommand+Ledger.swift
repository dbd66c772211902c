import Glibc
import MinilabKit

// The run itself: what the ledger knows is passed over, the rest is handed to workers, and what comes
// of it is written down and told.

extension RunCommand {
  /// The ledger of the output root, to be written to.
  func openLedger() throws(LedgerFault) -> Ledger {
    begin(try LedgerFile(of: options.output).open())
  }

  /// `opened`: the ledger, where it was opened before.
  func carryOut(_ shared: SharedPlan, _ opened: Ledger?) throws -> ExitStatus {
    let plan = shared.plan
    guard let output else { preconditionFailure("a dry run carries nothing out") }
    let file = LedgerFile(of: options.output)
    var ledger = try opened ?? openLedger()
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
    var orphans: OrphanSearch?
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
    if stop == nil, !options.onlyFailed {
      orphans = try OrphanSearch(keeper)
      try orphans?.begin()
    }
    if stop == nil, keeper.openCount > 0 { stop = space.check() }
    if stop == nil {
      let workers = coordinator.workerCount(for: keeper.openCount)
      let threads = max(1, limits.cores / workers)
      stop = try coordinator.carryOut(
        Schedule(lookingAheadAt: keeper, budget),
        setup: Setup(
          profile: profile.node,
          output: options.output,
          threads: threads,
          pixelBound: budget.pixelBound,
          confinement: confinement(reading: plan.places)
        ),
        observer: LedgerObserver(keeper, report)
      )
    }
    coordinator.end()
    output.emptyTemporaries()
    stop = report.early(stop)
    stop = keeper.end(stop, report.tally, orphans) ?? stop
    let failures = mend(ledger, keeper.fault, &stop)
    report.end(stop)
    if keeper.orphanCount > 0, !options.quiet {
      Console.warn(
        "\(counted(keeper.orphanCount, "file")) under paths that the profile no longer gives: "
          + "minilab prune removes what nobody has changed\n"
      )
    }
    let status =
      stop == nil && plan.count == 0
      ? .nothingMatched : Self.status(stop, failed: report.tally.failed)
    tell(report, stop, status, failures, output)
    return status
  }

  /// Sets a ledger aside in which damage was found: the next run would fail where this one did.
  ///
  /// - Returns: the ledger to go on with, if there can be one.
  func mend(_ ledger: Ledger, _ fault: DatabaseError?, _ stop: inout RunStop?) -> Ledger? {
    guard let fault, fault.isDamage else { return ledger }
    do { return try begin(anew: LedgerFile(of: options.output), ledger, fault) } catch {
      stop = .ledgerFailed((error as? LedgerFault)?.text ?? fault.text)
      return nil
    }
  }

  /// Leaves the report in the output root, and says how to try again.
  private func tell(
    _ report: RunReport,
    _ stop: RunStop?,
    _ status: ExitStatus,
    _ ledger: Ledger?,
    _ output: OutputFolder
  ) {
    if report.tally.failed > 0, !options.quiet {
      let words = ["minilab", "run"].map { Path($0) } + options.retryWords
      Console.warn("only these again: \(words.map(\.quotedForShell).joined(separator: " "))\n")
    }
    writeReport(report, stop, status, ledger, output)
  }

  /// Leaves the report in the output root.
  func writeReport(
    _ report: RunReport,
    _ stop: RunStop?,
    _ status: ExitStatus,
    _ ledger: Ledger?,
    _ output: OutputFolder
  ) {
    // Nothing can be kept there, which has been told.
    guard let ledger, stop != .outputLost else { return }
    do {
      let file = ReportFile(options, profile, report, stop, status)
      try output.putOwnFile(ReportFile.name) { write in try file.write(ledger, write) }
    } catch let error as SystemError where error.isDiskFull && stop == .diskFull {
      // That has been told.
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

  /// Looks again at a ledger that turned out to be damaged, and sets it aside.
  private func begin(
    anew file: LedgerFile,
    _ ledger: Ledger,
    _ error: DatabaseError
  ) throws -> Ledger {
    ledger.database.close()
    return begin(try file.recover(from: error))
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
      try ledger.forgetFailuresOfGone()
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
  var start: LedgerStart {
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
    return stop ?? report.finished(keeper.namingOutputs(of: result))
  }

  func probed(_ result: ProbeResult) -> RunStop? { nil }
  func stopping(_ stop: RunStop) { report.stopping(stop) }
  var redrawInterval: Duration? { report.redrawInterval }
  func redraw() { report.redraw() }
}
