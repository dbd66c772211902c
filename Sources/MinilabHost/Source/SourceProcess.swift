import CSystem
import Glibc
import MinilabKit

/// A source process as its coordinator sees it.
final class SourceProcess {
  typealias Instant = SuspendingClock.Instant

  let process: pid_t
  /// Nil from when no more items are wanted.
  private var requests: Descriptor?
  private let replies: Descriptor
  private var writer = LineWriter()
  private var reader = LineReader()
  /// When it counts as hung; nil while it may take its time.
  private(set) var deadline: Instant?
  /// What is to be put back should it be killed.
  private(set) var record: [UInt8]?
  private var wasReaped = false

  /// Asking a device what it can do takes at most some seconds.
  private static let answerLimit = Duration.seconds(30)

  /// `launch`: how a worker is started; a source is another command of the same program.
  init(_ launch: WorkerProcess.Launch, _ setup: SourceSetup) throws {
    var launch = launch
    launch.arguments = ["source"]
    let requests = try System.pipe()
    let replies = try System.pipe()
    process = try WorkerProcess.spawn(
      launch,
      requests: requests.read.number,
      replies: replies.write.number
    )
    System.setNonBlocking(requests.write.number)
    System.setNonBlocking(replies.read.number)
    self.requests = consume requests.write
    self.replies = consume replies.read
    try send(.setup(setup))
  }

  deinit {
    if !wasReaped {
      Glibc.kill(process, SIGKILL)
      _ = WorkerDeath.of(process)
    }
  }

  var isEnding: Bool { requests == nil }

  var pollReplies: pollfd { pollfd(fd: replies.number, events: Int16(POLLIN), revents: 0) }

  func send(_ request: SourceRequest) throws {
    guard let number = requests?.number else { return }
    writer.add(try Line.encode(request))
    // A source that is dead is found by its replies' end; requests are few and small.
    try? writer.write(to: number)
  }

  /// Wants no more items of it.
  func end() {
    guard !isEnding else { return }
    requests = nil
    // A little longer than it gives itself.
    deadline = .now + SourceLoop.patience + .seconds(2)
  }

  func kill() {
    requests = nil
    Glibc.kill(process, SIGKILL)
    deadline = .now + .seconds(2)
  }

  /// Gives it so long for what comes next; nil for as long as it likes.
  func expect(within limit: Duration?) {
    guard !isEnding else { return }
    deadline = limit.map { .now + $0 }
  }

  /// Reads what has come, at most one portion.
  ///
  /// - Returns: false at the end, which is the process'.
  func read() -> Bool {
    let outcome = (try? reader.read(from: replies.number)) ?? .end
    if reader.pending > WorkerProcess.longestReply { kill() }
    return outcome != .end
  }

  /// The next reply that has come whole.
  func next() -> SourceReply? {
    guard let line = reader.next() else { return nil }
    guard let reply = try? Line.decode(SourceReply.self, from: line), reply.makesSense else {
      kill()
      return nil
    }
    if case .left(let record) = reply { self.record = record }
    return reply
  }

  /// Waits for the process, which has closed its replies.
  func reap() -> WorkerDeath {
    Glibc.kill(process, SIGKILL)
    wasReaped = true
    return WorkerDeath.of(process)
  }

  /// Forgets a process that has not ended.
  func abandon() { wasReaped = true }

  /// Asks and waits for the answer.
  ///
  /// `request`: one that is answered once.
  /// `limit`: how long that may take.
  /// Throws the error that it answers with, or what became of the process.
  func ask(_ request: SourceRequest, limit: Duration = answerLimit) throws -> SourceReply {
    try send(request)
    let end = SuspendingClock.now + limit
    while true {
      if let reply = next() {
        if case .failed(let error) = reply { throw error }
        return reply
      }
      let left = (end - SuspendingClock.now) / .milliseconds(1)
      guard left > 0 else {
        kill()
        throw ItemError.timeout(after: limit)
      }
      var state = [pollReplies]
      try System.poll(&state, milliseconds: Int32(left.rounded(.up)))
      if state[0].revents != 0, !read() { throw ItemError.sourceDied(reap()) }
    }
  }
}

extension ItemError {
  static func sourceDied(_ death: WorkerDeath) -> ItemError {
    ItemError(
      .crashed,
      expected: "a process that makes pictures",
      received: death.shown.replacing("the worker", with: "it")
    )
  }
}
