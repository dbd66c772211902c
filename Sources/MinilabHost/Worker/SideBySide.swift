import Glibc
import Synchronization
import Vips

/// Jobs that need no one another, each on a thread of its own as far as there are cores; the thread that
/// hands them over goes on in the meantime.
///
/// Each result is where its job was handed over, whatever came first.
final class SideBySide<Value: Sendable> {
  private let most: Int
  private var jobs: [(errand: Errand, outcome: Outcome<Value>)] = []

  /// `most`: threads beside the one that hands jobs over.
  init(most: Int) {
    self.most = most
  }

  /// Begins a job; waits for the oldest where there are as many as may be.
  func begin(_ job: @escaping @Sendable () throws -> Value) {
    let outcome = Outcome<Value>()
    if jobs.count >= most { jobs[jobs.count - most].errand.wait() }
    let errand = Errand { outcome.take(Result(catching: job)) }
    jobs.append((errand, outcome))
    errand.begin()
  }

  /// Waits for all of them; what became of each, in their order.
  func results() -> [Result<Value, any Error>] {
    defer { jobs = [] }
    return jobs.map { errand, outcome in
      errand.wait()
      return outcome.result
    }
  }
}

/// What becomes of a job.
private final class Outcome<Value: Sendable>: Sendable {
  private let known = Mutex<Result<Value, any Error>?>(nil)

  func take(_ result: Result<Value, any Error>) { known.withLock { $0 = result } }

  var result: Result<Value, any Error> {
    guard let result = known.withLock({ $0 }) else { preconditionFailure("a job that has ended") }
    return result
  }
}

/// A closure on a thread of its own, or, where the system allows no more threads, on the one that begins
/// it.
private final class Errand: Sendable {
  private let body: @Sendable () -> Void
  private let thread = Mutex<pthread_t?>(nil)

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  func begin() {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread,
      nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Errand>.fromOpaque(context).takeRetainedValue().body()
        Host.endThread()
        return nil
      },
      context.toOpaque()
    )
    if status == 0 {
      self.thread.withLock { [thread] in $0 = thread }
    } else {
      context.release()
      body()
    }
  }

  /// Until it has ended.
  func wait() {
    let begun = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let begun { pthread_join(begun, nil) }
  }
}

/// What one thread has at a time: it is handed over, and read again when that thread has ended.
///
/// That makes it sendable.
struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
