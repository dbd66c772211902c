import CSystem
import Glibc
import MinilabKit

/// How a worker ended, and what that means for the unit it had begun.
struct WorkerDeath: Equatable {
  /// 0 where it ended by itself.
  var signal: Int32 = 0
  /// Of one that ended by itself.
  var status: Int32 = 0
  /// The most memory it held, in bytes.
  var peakMemory = 0

  /// Reaps a child that has closed its pipes.
  static func of(_ process: pid_t) -> WorkerDeath {
    var ending = csystem_ending()
    guard (try? System.attempt(.wait) { _ in csystem_wait(process, &ending) }) != nil else {
      return WorkerDeath()
    }
    return WorkerDeath(
      signal: ending.signal,
      status: ending.status,
      peakMemory: Int(ending.peak_memory)
    )
  }

  /// A library that is refused memory gives up: with a signal to its own process, or an exit.
  private var gaveUp: Bool { signal == 0 ? status != 0 : [SIGABRT, SIGTRAP].contains(signal) }

  /// A library was refused memory and has given up.
  private var isOfRefusal: Bool { signal == 0 && status == RefusedMemory.exitStatus }

  /// The error of the unit that the worker had begun, after its last try.
  ///
  /// - Parameters:
  ///   - limit: the memory that a worker may hold, in bytes.
  ///   - workers: how many there were.
  /// - Returns: what the item's report says.
  func error(limit: Int?, workers: Int) -> ItemError {
    if isOfRefusal {
      return .outOfMemory(limit, "that more was refused, and a library gave up, twice")
    }
    // The kernel ends the largest process with SIGKILL when memory is short. Another SIGKILL to a
    // small worker is somebody's, and counts as any other end.
    if signal == SIGKILL, let limit, peakMemory >= limit / (2 * max(1, workers)) {
      return .outOfMemory(limit, "that the system ended it at \(bytesShown(peakMemory)), twice")
    }
    if gaveUp, let limit, peakMemory >= limit / 2 {
      return .outOfMemory(limit, "that it was ended at \(bytesShown(peakMemory)), twice")
    }
    return ItemError(
      .crashed,
      expected: "a picture that can be processed",
      received: "\(shown), twice"
    )
  }

  /// As a sentence goes on after "found".
  var shown: String {
    if signal == 0 { return "that the worker ended with status \(status)" }
    let name = strsignal(signal).map { String(cString: $0) } ?? "?"
    return "that the worker was ended by signal \(signal) (\(name))"
  }
}

extension ItemError {
  static func diskFull(_ death: WorkerDeath) -> ItemError {
    ItemError(.diskFull, expected: "room for files that libraries need", received: death.shown)
  }

  /// `limit`: in bytes; nil where nothing but the machine bounds it.
  static func outOfMemory(_ limit: Int?, _ received: String) -> ItemError {
    let memory = limit.map { "\(bytesShown($0)) of memory" } ?? "the memory there is"
    return ItemError(
      .outOfMemory,
      expected: "a picture that fits into \(memory) \(LimitNames.shown("worker-memory"))",
      received: received
    )
  }

  /// What was made has not come to the disk.
  static func diskHangs(for limit: Duration) -> ItemError {
    ItemError(
      .outputLost,
      expected: "a disk of the results that takes a picture within \(limit.shown)",
      received: "one that does not answer"
    )
  }

  /// `name`: of the limit that the profile can set.
  static func timeout(after limit: Duration, _ name: String? = nil) -> ItemError {
    ItemError(
      .timeout,
      expected: "a result within \(limit.shown)\(name.map { " \(LimitNames.shown($0))" } ?? "")",
      received: "none, and ended the worker"
    )
  }
}

extension Duration {
  /// Seconds as people write them.
  var shown: String {
    let seconds = self / .seconds(1)
    return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
  }
}
