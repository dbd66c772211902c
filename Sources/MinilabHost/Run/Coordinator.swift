import CSystem
import Glibc
import MinilabKit

/// Hands units to workers and collects what comes of them: one thread, one loop around `poll`.
///
/// A worker that dies or hangs costs the unit that it had begun. That unit is tried once more, alone
/// in a fresh worker (a hung one is not), and has failed then. What it had not begun goes to others.
final class Coordinator {
  struct Configuration {
    var launch: WorkerProcess.Launch
    /// The most workers at a time.
    var jobs: Int
    /// For each picture of a unit, from when the unit is begun.
    var unitLimit: Duration = .seconds(120)
    /// For each header: a file that takes longer to tell its size is a trap.
    var probeLimit: Duration = .seconds(20)
    /// For the disk, with what was made of a unit: a network that hangs comes back, or it does not.
    var diskLimit: Duration = .seconds(600)
    /// Until a worker that has something to do begins it.
    ///
    /// Starting takes a tenth of a second; this is for a machine that is swapping or loads its
    /// libraries over a network.
    var startLimit: Duration = .seconds(60)
    /// A worker's heap grows by fragments; after so many units it is replaced.
    ///
    /// A start costs 60 ms of processor time, which is nothing beside 2000 pictures; in 10 000 small
    /// JPEGs a worker grows by 3 MB.
    var recycleAfter = 2000
    /// What units in work may hold together; nil: as much as they like.
    var budget: MemoryBudget?
    /// Shared by the pipelines of all units in work.
    var cores = 1
    /// The memory there is, in bytes, to tell want of it from a crash.
    var memoryLimit: Int?
    /// SIGINT and SIGTERM are the coordinator's while it carries something out.
    var handlesInterrupts = true
    /// Its end, where it is a pipe that somebody stops reading, is an interrupt.
    var watchedOutput: Int32?
    /// Nothing is left of the disk of the results.
    var outputIsFull: () -> Bool = { false }
    /// Told of each worker's death, to clear up behind it.
    var clearUp: (pid_t) -> Void = { _ in }
  }

  let configuration: Configuration
  var crew: Crew
  /// What every worker is told first.
  private(set) var setup: Setup?
  /// What is being carried out.
  var schedule: Schedule?
  private(set) var observer: (any RunObserver)?
  private weak var feed: (any WorkFeed)?
  /// Why nothing more is handed out.
  private(set) var stop: RunStop?
  private var interruptCount = 0
  /// Workers that died in a row without having begun anything.
  var fruitlessDeaths = 0
  private var lastRedraw = SuspendingClock.now

  init(_ configuration: Configuration) {
    self.configuration = configuration
    crew = Crew(configuration.launch, most: max(1, configuration.jobs))
  }

  var workers: [WorkerProcess] { crew.workers }

  /// Starts the first worker, which loads its libraries while the plan is being made; but not where
  /// there may be nothing to do.
  func start(withWorker: Bool = true) throws(SystemError) {
    System.openStandardDescriptors()
    _ = csystem_let_writes_fail()
    if withWorker, workers.isEmpty { try crew.add() }
  }

  /// Carries out what a schedule holds.
  ///
  /// `schedule`: the work.
  /// `setup`: what every worker is told first.
  /// `observer`: is told what becomes of the work.
  /// `feed`: what brings more of it while it is carried out.
  /// Returns nil when all of it was done, or failed by itself.
  func carryOut(
    _ schedule: Schedule,
    setup: Setup,
    observer: any RunObserver,
    feed: (any WorkFeed)? = nil
  ) throws -> RunStop? {
    self.schedule = schedule
    self.setup = setup
    self.observer = observer
    self.feed = feed
    defer {
      self.schedule = nil
      self.observer = nil
      self.feed = nil
    }
    for worker in workers { try worker.send(.setup(setup)) }
    try loop(configuration.handlesInterrupts ? Interrupts() : nil)
    return stop
  }

  /// How many workers so many units will have.
  func workerCount(for units: Int) -> Int {
    max(1, min(crew.most, units))
  }

  /// Lets the workers end, and waits until they are gone.
  func end(patience: Duration = .seconds(2)) {
    crew.end(patience: patience)
  }

  // MARK: The loop

  private func loop(_ interrupts: Interrupts?) throws {
    let signals = interrupts?.number ?? -1
    try handOut()
    while !isDone {
      var descriptors = [
        pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop == nil ? configuration.watchedOutput ?? -1 : -1, events: 0, revents: 0),
        feed?.pollReplies ?? pollfd(fd: -1, events: 0, revents: 0),
      ]
      let polled = workers
      for worker in polled {
        descriptors.append(worker.pollReplies)
        descriptors.append(worker.pollRequests)
      }
      try System.poll(&descriptors, milliseconds: timeToWait)

      if descriptors[0].revents != 0, let interrupts { take(interrupts) }
      if descriptors[1].revents & Int16(POLLERR | POLLHUP) != 0 { stopRun(.outputClosed) }
      if descriptors[2].revents != 0, let reason = feed?.listen() { stopRun(reason) }
      for (index, worker) in polled.enumerated() {
        if descriptors[4 + 2 * index].revents != 0 { worker.flush() }
        if descriptors[3 + 2 * index].revents != 0 { try listen(to: worker) }
      }
      endHungWorkers()
      feed?.checkTime()
      redraw()
      try handOut()
    }
  }

  private var isDone: Bool {
    if stop != nil { return workers.isEmpty && feed?.pollReplies == nil }
    return schedule?.isEmpty != false && workers.allSatisfy(\.isIdle)
  }

  /// Milliseconds until something is due; -1 for never.
  private var timeToWait: Int32 {
    var due = (workers.map(\.deadline) + [feed?.deadline]).compactMap { $0 }.min()
    if let interval = observer?.redrawInterval {
      let next = lastRedraw + interval
      due = due.map { min($0, next) } ?? next
    }
    guard let due else { return -1 }
    let milliseconds = (due - SuspendingClock.now) / .milliseconds(1)
    return Int32(min(max(0, milliseconds.rounded(.up)), 1e6))
  }

  private func take(_ interrupts: Interrupts) {
    while true {
      switch interrupts.next() {
      case nil:
        return
      case .resumed?:
        feed?.resumed()
        for worker in workers {
          worker.restartClock(
            limit: limit,
            diskLimit: configuration.diskLimit,
            startLimit: configuration.startLimit
          )
        }
      case .interrupt?:
        interruptCount += 1
        if interruptCount == 1 {
          stopRun(.interrupted)
        } else {
          for worker in workers { worker.kill(for: .stopping) }
          feed?.kill()
        }
      }
    }
  }

  private func redraw() {
    guard let observer, let interval = observer.redrawInterval else { return }
    let now = SuspendingClock.now
    if now - lastRedraw >= interval {
      lastRedraw = now
      observer.redraw()
    }
  }

  /// Hands out nothing more and takes back what is not begun.
  func stopRun(_ reason: RunStop) {
    for worker in workers { worker.end() }
    feed?.stop()
    guard stop == nil || reason == .interrupted else { return }
    stop = reason
    // Told when it is true: whoever hears it may count on it.
    observer?.stopping(reason)
  }
}
