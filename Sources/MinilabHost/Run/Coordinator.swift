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

  private let configuration: Configuration
  private var workers: [WorkerProcess] = []
  private var setup: Setup?
  private var schedule: Schedule?
  private var observer: (any RunObserver)?
  private weak var feed: (any WorkFeed)?
  private var stop: RunStop?
  private var interruptCount = 0
  /// Workers that died in a row without having begun anything.
  private var fruitlessDeaths = 0
  /// The system may allow fewer than were asked for.
  private var jobs: Int
  private var lastRedraw = SuspendingClock.now

  init(_ configuration: Configuration) {
    self.configuration = configuration
    jobs = max(1, configuration.jobs)
  }

  /// Starts the first worker, which loads its libraries while the plan is being made; but not where
  /// there may be nothing to do.
  func start(withWorker: Bool = true) throws(SystemError) {
    System.openStandardDescriptors()
    _ = csystem_let_writes_fail()
    if withWorker, workers.isEmpty { workers.append(try WorkerProcess(configuration.launch)) }
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
    max(1, min(jobs, units))
  }

  /// Lets the workers end, and waits until they are gone.
  func end(patience: Duration = .seconds(2)) {
    for worker in workers { worker.end() }
    let deadline = SuspendingClock.now + patience
    while !workers.isEmpty, SuspendingClock.now < deadline {
      var descriptors = workers.map(\.pollReplies)
      guard (try? System.poll(&descriptors, milliseconds: 100)) != nil else { break }
      for (worker, state) in zip(workers, descriptors) where state.revents != 0 {
        if !worker.read() {
          _ = worker.reap()
          workers.removeAll { $0 === worker }
        }
      }
    }
    // Their owner gone, the rest is killed.
    workers = []
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
          worker.restartClock(limit: limit, startLimit: configuration.startLimit)
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

  // MARK: Handing out

  private func handOut() throws {
    guard stop == nil else { return }
    for worker in workers where !worker.isEnding && worker.isIdle {
      if worker.handed >= configuration.recycleAfter { worker.end() }
    }
    if schedule?.hasSuspect == true, active >= jobs {
      // It needs a fresh worker, and an old one has to make room.
      workers.first { !$0.isEnding && $0.isIdle }?.end()
    }
    while schedule?.hasSuspect == true, let worker = try fresh() {
      guard let suspect = schedule?.takeSuspect() else { break }
      try worker.hand(suspect, tryingAgain: true, startLimit: configuration.startLimit)
    }
    // All get their first before any gets its second.
    for depth in 1...Self.depth {
      for worker in workers { try hand(to: worker, upTo: depth) }
      while depth == 1, let remaining = schedule?.remaining, remaining > 0,
        let worker = try fresh()
      {
        try hand(to: worker, upTo: depth)
      }
    }
  }

  /// What a worker has at once: one in work, one that waits, so that it never does, and one on its
  /// way to the disk.
  private static let depth = 3

  private func hand(to worker: WorkerProcess, upTo depth: Int) throws {
    guard !worker.isEnding, worker.killedFor == nil, !worker.isTryingAgain,
      worker.inFlight.count < depth, worker.handed < configuration.recycleAfter
    else { return }
    // A second one spares the worker a wait. Near the end it could wait itself, behind a slow
    // first one, while another worker has nothing to do.
    if depth > 1, (schedule?.remaining ?? 0) <= jobs || worker.cost > Self.longWork { return }
    guard let work = schedule?.take({ fits($0, worker) }) else { return }
    try worker.hand(granted(work, worker), startLimit: configuration.startLimit)
  }

  /// As long as decoding so many megapixels of JPEG, about a second: behind such work nothing waits that
  /// another worker could do.
  private static let longWork = 100.0

  /// Units in work stay within the memory that they may hold together; one that is larger than that is
  /// alone.
  private func fits(_ estimate: Estimate, _ worker: WorkerProcess) -> Bool {
    guard let budget = configuration.budget else { return true }
    let others = workers.reduce(0) { $0 + ($1 === worker ? 0 : $1.load) }
    if others == 0, worker.load == 0 { return true }
    return max(worker.load, estimate.memory) <= budget.bytes - others
  }

  /// The work with what it may take.
  private func granted(_ work: Work, _ worker: WorkerProcess) -> Work {
    guard case .unit(var unit) = work, let estimate = unit.estimate else { return work }
    let busy = workers.filter { $0 !== worker && !$0.isIdle }
    let remaining = schedule?.remaining ?? 0
    var atOnce = min(jobs, busy.count + 1 + remaining)
    var memory: Int?
    if let budget = configuration.budget, estimate.memory > 0 {
      atOnce = min(atOnce, max(busy.count + 1, budget.bytes / estimate.memory))
      let isAlone = busy.isEmpty && remaining == 0 && worker.isIdle
      let isOver = estimate.memory > budget.bytes
      memory = isAlone || isOver || unit.isEstimateExact ? nil : estimate.memory
    }
    // Few units share the cores among them, and many have one each.
    let free = configuration.cores - busy.reduce(0) { $0 + $1.threads }
    unit.grant = Grant(
      threads: max(1, min(configuration.cores / max(1, atOnce), free)),
      memory: memory
    )
    return .unit(unit)
  }

  /// How many workers can take more.
  private var active: Int {
    workers.count { !$0.isEnding && $0.killedFor == nil }
  }

  /// One more worker; nil where there are enough.
  private func fresh() throws -> WorkerProcess? {
    guard stop == nil, active < jobs, let setup else { return nil }
    do {
      let worker = try WorkerProcess(configuration.launch)
      workers.append(worker)
      try worker.send(.setup(setup))
      return worker
    } catch let error as SystemError {
      // The system allows no more processes. Those that are there do the work.
      if active > 0 {
        jobs = active
      } else {
        stopRun(.noWorker("starting one failed: \(error.reason)"))
      }
      return nil
    }
  }

  // MARK: Listening

  private func limit(_ work: Work, _ id: Int) -> Duration {
    switch work {
    case .unit: configuration.unitLimit * work.pictureCount(of: id)
    case .probe: configuration.probeLimit * work.pictureCount(of: id)
    }
  }

  private func listen(to worker: WorkerProcess) throws {
    let lives = worker.read()
    while let message = worker.next(limit: limit, startLimit: configuration.startLimit) {
      switch message {
      case .ready:
        break
      case .begun:
        fruitlessDeaths = 0
      case .finished(let result, let work):
        if let needs = result.needs { giveBack(work, needs) } else { deliver(result) }
      case .probed(let results):
        for result in results { deliver(result) }
      }
    }
    if !lives { bury(worker, worker.reap()) }
  }

  private func deliver(_ result: UnitResult) {
    if let reason = observer?.finished(result) { stopRun(reason) }
  }

  /// It needs more than was thought, and waits until there is room for that.
  private func giveBack(_ work: Work, _ needs: Estimate) {
    guard case .unit(var unit) = work else { return }
    unit.estimate = needs
    unit.isEstimateExact = true
    unit.grant = nil
    schedule?.giveBack(.unit(unit))
  }

  private func deliver(_ result: ProbeResult) {
    if schedule?.isAhead(result.id) == true {
      schedule?.learn(result)
      return
    }
    if let reason = observer?.probed(result) { stopRun(reason) }
  }

  private func deliver(_ error: ItemError, for work: Work, seconds: Double = 0) {
    switch work {
    case .unit(let unit):
      deliver(UnitResult(id: unit.id, status: .failed, error: error, seconds: seconds))
    case .probe(let window):
      for request in window { deliver(ProbeResult(id: request.id, error: error)) }
    }
  }

  private func bury(_ worker: WorkerProcess, _ death: WorkerDeath) {
    workers.removeAll { $0 === worker }
    configuration.clearUp(worker.process)
    guard !worker.isIdle else { return }

    var blamed: Work?
    for work in worker.inFlight {
      guard let begun = worker.begun, blamed == nil else {
        schedule?.giveBack(work)
        continue
      }
      let (culprit, others) = work.split(at: begun)
      blamed = culprit
      for other in others { schedule?.giveBack(other) }
    }
    if let blamed {
      judge(blamed, worker, death)
    } else if stop == nil {
      fruitlessDeaths += 1
      if fruitlessDeaths == 3 {
        stopRun(.noWorker("three in a row did not begin anything; found \(death.shown)"))
      }
    }
  }

  private func judge(_ begun: Work, _ worker: WorkerProcess, _ death: WorkerDeath) {
    // A header that was read ahead of its unit: the unit has had its first try.
    let unit =
      begun.ids.first.flatMap { schedule?.isAhead($0) == true ? schedule?.takeUnit($0) : nil }
    let work = unit ?? begun
    if worker.killedFor == .timeout {
      let limit = begun.ids.first.map { self.limit(begun, $0) } ?? configuration.unitLimit
      // That of headers is fixed, unless the profile's is shorter.
      let isOwn = limit == configuration.unitLimit * begun.pictureCount(of: begun.ids.first ?? 0)
      deliver(
        .timeout(after: limit, isOwn ? "time-limit" : nil),
        for: work,
        seconds: limit / .seconds(1)
      )
    } else if worker.killedFor == .stopping {
      // Withdrawn: it is as if it had never been begun.
    } else if death.signal == SIGBUS, configuration.outputIsFull() {
      // Libraries map files of theirs that the disk has no room for, and nobody tells them so.
      deliver(.diskFull(death), for: work)
    } else if worker.isTryingAgain {
      deliver(
        death.error(limit: configuration.memoryLimit, workers: workers.count + 1),
        for: work
      )
    } else if stop == nil {
      schedule?.suspect(work)
    }
  }

  private func endHungWorkers() {
    let now = SuspendingClock.now
    for worker in workers {
      guard let deadline = worker.deadline, deadline <= now else { continue }
      if worker.killedFor == nil {
        worker.kill(for: .timeout)
      } else {
        // It hangs in the kernel, as on a disk that is gone, and cannot be waited for.
        bury(worker, worker.abandon())
      }
    }
  }

  /// Hands out nothing more and takes back what is not begun.
  private func stopRun(_ reason: RunStop) {
    for worker in workers { worker.end() }
    feed?.stop()
    guard stop == nil || reason == .interrupted else { return }
    stop = reason
    // Told when it is true: whoever hears it may count on it.
    observer?.stopping(reason)
  }
}

extension WorkerProcess {
  fileprivate var pollReplies: pollfd {
    pollfd(fd: repliesDescriptor, events: Int16(POLLIN), revents: 0)
  }

  fileprivate var pollRequests: pollfd {
    pollfd(fd: wantsToWrite ? requestsDescriptor ?? -1 : -1, events: Int16(POLLOUT), revents: 0)
  }
}
