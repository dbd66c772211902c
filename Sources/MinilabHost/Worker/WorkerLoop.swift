import CSystem
import Glibc
import MinilabKit
import Synchronization

/// A worker process: takes requests one after the other until its coordinator is gone.
///
/// Requests come on descriptor 0, replies go to 3, and 4 is the lock on the output root, held as
/// long as a worker lives. Standard output and standard error are not the user's.
enum WorkerLoop {
  private static let requests: Int32 = 0
  private static let replies: Int32 = 3
  private static let lock: Int32 = 4
  /// In a worker's environment: the process ID of its coordinator.
  static let coordinatorVariable = "MINILAB_COORDINATOR"

  /// The hidden command `worker`: serves until the end of its requests and gives the exit status.
  static func run(makeProcessor: (Setup) throws -> any UnitProcessor) -> Int32 {
    _ = csystem_die_with_parent()
    // Had the coordinator died before that call, its death would never be told.
    if let parent = getenv(coordinatorVariable), getppid() != atoi(parent) { return 1 }
    _ = csystem_ignore_interrupts()
    // A picture past `ulimit -f` is an error and no crash; a coordinator that is gone, an error too.
    _ = csystem_let_writes_fail()
    // A crash is reported; the memory of a picture on disk helps nobody.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    RefusedMemory.watch()
    // Where the machine runs out of memory, a picture is lost before anybody's program is.
    System.offerToBeEnded()
    // A group opens all of its pictures.
    System.liftFileLimit()
    // Nothing that a library starts may hold our pipes or the lock.
    for descriptor in [requests, replies, lock] { System.setCloseOnExec(descriptor) }
    do {
      try serve(requests: requests, replies: replies, makeProcessor: makeProcessor)
      return 0
    } catch {
      return 1
    }
  }

  /// Answers requests until they end.
  ///
  /// - Throws: where a set-up cannot be carried out, or the replies cannot be written.
  static func serve(
    requests: Int32,
    replies: Int32,
    makeProcessor: (Setup) throws -> any UnitProcessor
  ) throws {
    var lines = LineReader()
    var processor: (any UnitProcessor)?
    let replies = Replies(to: replies)
    let finisher = Finisher()
    // What is begun is brought to its end, whatever ends the requests.
    defer { finisher.drain() }
    /// A coordinator that closes the requests takes back what has not been begun.
    func begin(_ id: Int) throws {
      if isClosed(requests) { throw Withdrawn() }
      try replies.send(.begun(id: id))
    }
    do {
      while true {
        guard let line = lines.next() else {
          if try lines.read(from: requests) == .end { return }
          continue
        }
        switch (try Line.decode(Request.self, from: line), processor) {
        case (.setup(let setup), _):
          processor = try makeProcessor(setup)
          try replies.send(.ready)
        case (.unit(let unit), let processor?):
          try begin(unit.id)
          let start = SuspendingClock.now
          let processed = processor.process(unit)
          if processed.waitsForDisk { try replies.send(.made(id: unit.id)) }
          finisher.finish {
            var result = processed.finish()
            result.seconds = (SuspendingClock.now - start) / .seconds(1)
            replies.finished(result)
          }
        case (.probe(let window), let processor?):
          try replies.send(
            .probed(
              window.map { request in
                try begin(request.id)
                return processor.probe(request)
              }
            )
          )
        case (.unit, nil), (.probe, nil):
          throw MissingSetup()
        }
      }
    } catch is Withdrawn {
      return
    }
  }

  /// The pipe to the coordinator, written to from both threads: each line whole.
  private final class Replies {
    private let descriptor: Int32
    private let failure = Mutex<(any Error)?>(nil)

    init(to descriptor: Int32) {
      self.descriptor = descriptor
    }

    func send(_ reply: Reply) throws {
      try failure.withLock { failure in
        if let failure { throw failure }
        try System.writeAll(descriptor, Line.encode(reply))
      }
    }

    /// An error shows at the next `send`, on the thread that can end the worker.
    func finished(_ result: UnitResult) {
      failure.withLock { failure in
        do {
          try System.writeAll(descriptor, Line.encode(Reply.finished(result)))
        } catch let error {
          failure = error
        }
      }
    }
  }

  private struct Withdrawn: Error {}
  private struct MissingSetup: Error {}

  /// True where nobody can write to this pipe any more, whatever is still in it.
  private static func isClosed(_ descriptor: Int32) -> Bool {
    var state = [pollfd(fd: descriptor, events: 0, revents: 0)]
    try? System.poll(&state, milliseconds: 0)
    return state[0].revents & Int16(POLLHUP) != 0
  }
}
