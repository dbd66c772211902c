import Glibc
import MinilabKit

// `minilab run` of a profile whose first step makes the pictures.

extension RunCommand {
  /// Carries out, or only shows, a run whose items a source makes.
  func run(_ step: Step, _ source: any SourceOperation) throws -> ExitStatus {
    let process = try SourceProcess(
      launch,
      SourceSetup(profile: profile.node, output: output?.path)
    )
    guard case .announced(let announcement) = try process.ask(.announce) else {
      throw ItemError.sourceDied(process.reap())
    }
    let sample = SourceSample(profile, announcement, count: source.itemCount)
    if output == nil { return try show(sample, announcement) }
    // Nothing starts that cannot end well.
    _ = try sample.plan(units: 2, output: options.output)
    return try carryOut(process, announcement, source)
  }

  private func carryOut(
    _ process: SourceProcess,
    _ announcement: SourceAnnouncement,
    _ source: any SourceOperation
  ) throws -> ExitStatus {
    let count = source.itemCount
    let files = try CapturedFiles(root: options.output)
    let folder = options.output.appending(CapturedFiles.place)
    let old = files.names.count
    if old > 0 {
      Console.warn(
        "minilab: \(Self.pictures(old)) of earlier runs, not processed then, in \(folder.shown)\n"
      )
    }
    let ledger = try openLedger()
    let keeper = try CaptureLedger(profile, below: options.output, ledger, force: options.force)
    var run: SourceRun?
    let plan = GrowingPlan(
      profile,
      name: announcement.name,
      total: count,
      output: options.output,
      order: { (unit, name, paths) throws(ItemError) in try keeper.order(unit, of: name, paths) },
      refuse: { run?.refused($0, $1) }
    )
    var tally = Tally(planned: plan.expectedCount)
    tally.leftOut = LeftOut().counts
    let output = output
    let space = SpaceWatch(profile.limits) { output?.room }
    let report = RunReport(
      tally,
      .init(json: options.json, quiet: options.quiet, failFast: options.failFast),
      input: { plan.name(of: $0) },
      inputs: { plan.names(of: $0) },
      space: space,
      outputIsLost: { output?.isLost ?? false }
    )
    let workers = coordinator.workerCount(for: count)
    let running = SourceRun(
      process,
      name: announcement.name,
      plan: plan,
      report: report,
      files: files,
      keeper: keeper,
      // Each worker has one in work and one that waits, and some are on their way.
      mostWaiting: 3 * workers + 2,
      longestSilence: source.longestSilence,
      restore: restore
    )
    run = running
    // A picture that there is no room for is not taken.
    var stop = space.check()
    if stop == nil {
      keeper.waitForNewNames()
      try running.begin()
      stop = try coordinator.carryOut(
        Schedule(growing: plan),
        setup: Setup(
          profile: profile.node,
          output: options.output,
          threads: max(1, limits.cores / workers),
          pixelBound: budget.pixelBound,
          // Captured pictures lie in the output root.
          confinement: confinement(reading: [])
        ),
        observer: running,
        feed: running
      )
    }
    coordinator.end()
    output?.emptyTemporaries()
    output?.removeEmptyCaptures()
    stop = report.early(stop)
    stop = keeper.end(stop, report.tally) ?? stop
    let failures = mend(ledger, keeper.fault, &stop)
    report.end(stop)
    if running.leftCount > 0 {
      Console.warn(
        "minilab: \(Self.pictures(running.leftCount)) not processed, kept in \(folder.shown)\n"
      )
    }
    run = nil
    let status = Self.status(stop, failed: report.tally.failed)
    if let output { writeReport(report, stop, status, failures, output) }
    return status
  }

  private static func pictures(_ count: Int) -> String {
    "\(count) captured picture\(count == 1 ? "" : "s")"
  }

  /// Has another process put back what a killed one has left.
  private func restore(_ record: [UInt8]) {
    do {
      let process = try SourceProcess(launch, SourceSetup(profile: profile.node))
      _ = try process.ask(.restore(record), limit: .seconds(5))
    } catch {
      let reason = (error as? ItemError)?.text ?? "no process can be started"
      Console.warn("minilab: the device's settings could not be put back: \(reason)\n")
    }
  }

  // MARK: The dry run

  private func show(
    _ sample: SourceSample,
    _ announcement: SourceAnnouncement
  ) throws -> ExitStatus {
    let plan = try sample.plan(units: Int.max, output: options.output)
    coordinator.end()
    if options.json {
      if let stop = write(Events.source(announcement).text + "\n") {
        return Self.status(stop, failed: 0)
      }
    } else {
      let facts = announcement.facts.map { "\($0.name): \($0.text)\n" }
      let notes = announcement.notes.map { "note: \($0.text)\n" }
      if let stop = write((facts + notes).joined()) { return Self.status(stop, failed: 0) }
    }
    var tally = plan.tally
    for index in 0..<plan.count {
      let item: PlannedItem
      if let fate = plan.fate(at: index) {
        item = plan.item(index, fate)
      } else {
        item = plan.item(ProbeResult(id: index, sizes: sample.sizes))
      }
      tally.count(item)
      let text = options.json ? Events.plan(item).text + "\n" : Summary.text(item)
      if let stop = write(text) { return Self.status(stop, failed: 0) }
    }
    if options.json { _ = write(Events.planSummary(tally).text + "\n") }
    if !options.quiet { Console.warn(Summary.planText(tally)) }
    return Self.status(nil, failed: tally.failed)
  }
}
