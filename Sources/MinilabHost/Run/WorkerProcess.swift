import Glibc
import MinilabKit

/// A worker as its coordinator sees it: a process, two pipes, and what it has been given.
final class WorkerProcess {
  typealias Instant = SuspendingClock.Instant

  let process: pid_t
  /// Nil from when it is to end.
  private var requests: Descriptor?
  private let replies: Descriptor
  private var writer = LineWriter()
  private var reader = LineReader()

  /// Given and not answered, in the order of answers.
  private(set) var inFlight: [Work] = []
  /// The one of these that it works on.
  private(set) var begun: Int?
  /// The last one whose files wait for the disk.
  private var made: Int?
  /// Those of these that it has begun.
  private var everBegun: Set<Int> = []
  /// When it counts as hung.
  private(set) var deadline: Instant?
  /// How many messages it has been given over its life.
  private(set) var handed = 0
  /// It tries again what another worker has died of.
  private(set) var isTryingAgain = false
  /// Why the coordinator has killed it.
  private(set) var killedFor: KillReason?
  private var wasReaped = false

  enum KillReason {
    case timeout
    /// It said something that makes no sense.
    case nonsense
    case stopping
  }

  /// A reply is at most so long: what is longer comes from a process gone mad.
  static let longestReply = 1 << 26

  /// How long it may take to be gone, once it has nothing to do or was killed.
  private static let patience = Duration.seconds(5)

  /// How a worker is started.
  struct Launch {
    var executable: Path
    var arguments = ["worker"]
    /// Held by each worker as descriptor 4.
    var lock: Int32?
    var environment: [String: String] = [:]
  }

  init(_ launch: Launch) throws(SystemError) {
    let requests = try System.pipe()
    let replies = try System.pipe()
    process = try Self.spawn(launch, requests: requests.read.number, replies: replies.write.number)
    System.setNonBlocking(requests.write.number)
    System.setNonBlocking(replies.read.number)
    self.requests = consume requests.write
    self.replies = consume replies.read
  }

  deinit {
    if !wasReaped {
      Glibc.kill(process, SIGKILL)
      _ = WorkerDeath.of(process)
    }
  }

  // MARK: What it is given

  var isEnding: Bool { requests == nil }
  var isIdle: Bool { inFlight.isEmpty }
  /// It waits for the disk, and works on nothing.
  var isAtDisk: Bool { begun != nil && begun == made }
  /// What its units may hold, in bytes: it makes one at a time.
  var load: Int { inFlight.compactMap { $0.estimate?.memory }.max() ?? 0 }
  /// Threads of the unit that has most of them.
  var threads: Int { isIdle ? 0 : inFlight.compactMap(\.threads).max() ?? 1 }
  /// How long its units take, where that is known.
  var cost: Double { inFlight.reduce(0) { $0 + ($1.estimate?.cost ?? 0) } }
  var wantsToWrite: Bool { requests != nil && !writer.isEmpty }
  var requestsDescriptor: Int32? { requests?.number }
  var repliesDescriptor: Int32 { replies.number }

  func send(_ request: Request) throws {
    writer.add(try Line.encode(request))
    flush()
  }

  func hand(_ work: Work, tryingAgain: Bool = false, startLimit: Duration) throws {
    if inFlight.isEmpty { deadline = .now + startLimit }
    inFlight.append(work)
    handed += 1
    isTryingAgain = tryingAgain
    try send(work.request)
  }

  /// Writes as much as the pipe takes.
  ///
  /// A worker that is dead is found by its replies' end.
  func flush() {
    guard let number = requests?.number else { return }
    try? writer.write(to: number)
  }

  /// Lets it end: what it has not begun is taken back, what it has begun it finishes.
  func end() {
    requests = nil
    if begun == nil { deadline = .now + Self.patience }
  }

  func kill(for reason: KillReason) {
    killedFor = killedFor ?? reason
    deadline = .now + Self.patience
    Glibc.kill(process, SIGKILL)
  }

  // MARK: What it says

  enum Message {
    case ready
    case begun
    case made
    case finished(UnitResult, Work)
    case probed([ProbeResult])
  }

  /// Reads what has come, at most one portion.
  ///
  /// - Returns: false at the end, which is the worker's.
  func read() -> Bool {
    do {
      let outcome = try reader.read(from: replies.number)
      if reader.pending > Self.longestReply { kill(for: .nonsense) }
      return outcome != .end
    } catch {
      return false
    }
  }

  /// The next reply that has come whole.
  ///
  /// - Parameters:
  ///   - limit: the time that a unit or a probe, named by its ID, may take.
  ///   - diskLimit: the time that the disk may take with what was made.
  ///   - startLimit: the time until it begins the next.
  /// - Returns: nil where none has.
  func next(
    limit: (Work, Int) -> Duration,
    diskLimit: Duration,
    startLimit: Duration
  ) -> Message? {
    guard killedFor != .nonsense, let line = reader.next() else { return nil }
    guard let reply = try? Line.decode(Reply.self, from: line),
      let message = take(reply, limit: limit, diskLimit: diskLimit, startLimit: startLimit)
    else {
      kill(for: .nonsense)
      return nil
    }
    return message
  }

  /// Nil where the reply does not fit what was asked.
  private func take(
    _ reply: Reply,
    limit: (Work, Int) -> Duration,
    diskLimit: Duration,
    startLimit: Duration
  ) -> Message? {
    switch reply {
    case .ready:
      return .ready
    case .begun(let id):
      // Each once: whoever begins for ever would never be late.
      guard let work = inFlight.first(where: { $0.ids.contains(id) }), everBegun.insert(id).inserted
      else { return nil }
      begun = id
      made = nil
      deadline = .now + limit(work, id)
      return .begun
    case .made(let id):
      guard begun == id, !isAtDisk else { return nil }
      made = id
      deadline = .now + diskLimit
      return .made
    case .finished(let result):
      guard result.makesSense, result.needs == nil || !isExact(result.id) else { return nil }
      let isAtDisk = isAtDisk
      let work = finish([result.id], startLimit)
      // One was with the disk before another, which has its time from here.
      if isAtDisk, begun != nil { deadline = .now + diskLimit }
      return work.map { .finished(result, $0) }
    case .probed(let results):
      guard results.allSatisfy(\.makesSense) else { return nil }
      return finish(results.map(\.id), startLimit).map { _ in .probed(results) }
    }
  }

  /// What a unit needs is known, and was granted: whoever wants more for ever would never be done.
  private func isExact(_ id: Int) -> Bool {
    inFlight.contains {
      if case .unit(let unit) = $0 { unit.id == id && unit.isEstimateExact } else { false }
    }
  }

  /// Takes a piece of work off; the next one may have been begun while this one was on its way to
  /// the disk.
  private func finish(_ ids: [Int], _ startLimit: Duration) -> Work? {
    guard let index = inFlight.firstIndex(where: { $0.ids == ids }) else { return nil }
    let work = inFlight.remove(at: index)
    everBegun.subtract(ids)
    isTryingAgain = false
    if let begun, !ids.contains(begun) { return work }
    begun = nil
    deadline = inFlight.isEmpty ? nil : .now + startLimit
    return work
  }

  /// Gives it its time anew, for the time that the whole lab was stopped.
  func restartClock(
    limit: (Work, Int) -> Duration,
    diskLimit: Duration,
    startLimit: Duration
  ) {
    guard deadline != nil, let work = inFlight.first else { return }
    deadline = .now + (isAtDisk ? diskLimit : begun.map { limit(work, $0) } ?? startLimit)
  }

  /// Waits for the process, which has closed its replies.
  func reap() -> WorkerDeath {
    // It may have closed them and live on; to one that is ending this changes nothing.
    Glibc.kill(process, SIGKILL)
    wasReaped = true
    return WorkerDeath.of(process)
  }

  /// Forgets a process that has not ended.
  func abandon() -> WorkerDeath {
    wasReaped = true
    return WorkerDeath(signal: SIGKILL)
  }
}
