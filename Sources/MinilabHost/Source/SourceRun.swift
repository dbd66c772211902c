import Glibc
import MinilabKit

/// A run whose items are made while it goes on: stands between the coordinator, the source process,
/// the plan that grows, and the report.
final class SourceRun: RunObserver, WorkFeed {
  private let plan: GrowingPlan
  private let report: RunReport
  private let files: CapturedFiles
  private let keeper: CaptureLedger?
  /// Items are named after it.
  private let name: String
  /// Nil when it has ended.
  private var process: SourceProcess?
  private let restore: ([UInt8]) -> Void
  /// From one item to the next, where there is room for it.
  private let longestSilence: Duration?
  /// The most items that may wait for workers.
  private let mostWaiting: Int
  /// How many items have been asked for, and how many have come.
  private var asked = 0
  private(set) var received = 0
  /// It has said that it has made all, or why it has not.
  private var hasFinished = false

  /// - Parameters:
  ///   - process: has announced itself, and is to begin.
  ///   - name: what it has announced.
  ///   - plan: gets its items.
  ///   - report: is told what becomes of them.
  ///   - files: where they are.
  ///   - keeper: remembers what becomes of them.
  ///   - mostWaiting: how many may wait for workers.
  ///   - longestSilence: from one item to the next, where there is room for it.
  ///   - restore: puts back what a process has left that was killed.
  init(
    _ process: SourceProcess,
    name: String,
    plan: GrowingPlan,
    report: RunReport,
    files: CapturedFiles,
    keeper: CaptureLedger? = nil,
    mostWaiting: Int,
    longestSilence: Duration?,
    restore: @escaping ([UInt8]) -> Void
  ) {
    self.process = process
    self.name = name
    self.plan = plan
    self.report = report
    self.files = files
    self.keeper = keeper
    self.mostWaiting = mostWaiting
    self.longestSilence = longestSilence
    self.restore = restore
  }

  func begin() throws {
    try process?.send(.begin)
    askForMore()
  }

  /// Lets the source make as many as may wait.
  private func askForMore() {
    let more = mostWaiting - plan.waitingCount - (asked - received)
    guard more > 0, !hasFinished else { return }
    let hadRoom = asked > received
    asked += more
    try? process?.send(.room(more))
    if !hadRoom { awaitItem() }
  }

  /// Times the next item, where there is room for it.
  private func awaitItem() {
    process?.expect(within: asked > received && !hasFinished ? longestSilence : nil)
  }

  // MARK: The source

  var pollReplies: pollfd? { process?.pollReplies }

  var deadline: SuspendingClock.Instant? { process?.deadline }

  func listen() -> RunStop? {
    guard let process else { return nil }
    let lives = process.read()
    var stop: RunStop?
    while let reply = process.next() {
      switch reply {
      case .item(let item):
        received += 1
        plan.add(item)
        awaitItem()
      case .failed(let error): stop = stop ?? finish(error)
      case .ended: stop = stop ?? finish(nil)
      case .announced, .left: break
      }
    }
    if !lives { stop = stop ?? bury(process, process.reap()) }
    askForMore()
    return stop
  }

  func checkTime() {
    guard let process, let deadline = process.deadline, deadline <= .now else { return }
    if !wasKilled {
      isHung = !process.isEnding
      kill()
    } else {
      // It hangs in the kernel, as a broken device can make it, and cannot be waited for.
      process.abandon()
      _ = bury(process, WorkerDeath(signal: SIGKILL))
    }
  }

  func resumed() { awaitItem() }

  private var wasKilled = false
  /// It was killed for its silence.
  private var isHung = false

  func stop() { process?.end() }

  func kill() {
    wasKilled = true
    process?.kill()
  }

  private func bury(_ process: SourceProcess, _ death: WorkerDeath) -> RunStop? {
    self.process = nil
    if let record = process.record { restore(record) }
    if hasFinished { return nil }
    if isHung, let longestSilence { return finish(.timeout(after: longestSilence)) }
    return finish(process.isEnding ? nil : .sourceDied(death))
  }

  /// No more items will come.
  private func finish(_ error: ItemError?) -> RunStop? {
    hasFinished = true
    process?.end()
    var stop: RunStop?
    if let error {
      stop = report.report(
        ItemReport(input: Path("\(name)-\(received + 1)"), status: .failed, error: error)
      )
    }
    for item in plan.end() {
      files.keep(item.name)
      stop =
        stop
        ?? report.report(
          ItemReport(
            input: item.name,
            status: .skipped,
            reason: .noGroup,
            notes: [Self.kept(item.name)]
          )
        )
    }
    report.planned = plan.expectedCount
    return stop
  }

  // MARK: Units

  func finished(_ result: UnitResult) -> RunStop? {
    var result = result
    let items = plan.open[result.id]?.items ?? []
    let fault = keeper?.record(result, items.map(\.name))
    // A group that is left out for what it lacks is no picture's fault; and where somebody else's file
    // stands in an output's place, the picture is nowhere else.
    let isLost =
      result.status == .failed || result.reason == .incomplete || result.reason == .altered
      || fault != nil
    for item in items {
      if isLost {
        files.keep(item.name)
        result.notes.append(Self.kept(item.name))
      } else {
        files.remove(item.name)
      }
    }
    let stop = fault ?? report.finished(result)
    _ = plan.close(result.id)
    askForMore()
    return stop
  }

  /// A unit that no worker can be given.
  func refused(_ unit: Int, _ error: ItemError) {
    _ = finished(UnitResult(id: unit, status: .failed, error: error))
  }

  func probed(_ result: ProbeResult) -> RunStop? {
    guard let reason = result.reason else {
      plan.learn(result)
      return nil
    }
    // It is left out for what it lacks.
    plan.forget(result)
    return finished(
      UnitResult(id: result.id, status: .skipped, reason: reason, notes: result.notes)
    )
  }

  private static func kept(_ name: Path) -> Note {
    Note(
      .captureKept,
      "the captured picture is kept as \(CapturedFiles.place.appending(name).shown)"
    )
  }

  // MARK: The report

  func stopping(_ stop: RunStop) { report.stopping(stop) }

  var redrawInterval: Duration? { report.redrawInterval }

  func redraw() { report.redraw() }

  /// Items that were captured, and not worked on when the run ended.
  var leftCount: Int { plan.waitingCount + plan.gathering.count }
}
