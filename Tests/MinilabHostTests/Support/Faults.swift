import Foundation
import MinilabKit

@testable import MinilabHost

/// Lets a system call fail: each time, or the given time.
func failing<Value>(
  _ call: SystemCall,
  _ number: Int32,
  time: Int? = nil,
  _ body: () throws -> Value
) rethrows -> Value {
  let counter = Counter()
  let fault: @Sendable (SystemCall) -> System.Fault? = { made in
    guard made == call else { return nil }
    return time == nil || counter.next() == time ? .error(number) : nil
  }
  return try System.$fault.withValue(fault) { try body() }
}

/// Lets a system call fail a number of times before it succeeds.
func failing<Value>(
  _ call: SystemCall,
  _ number: Int32,
  first times: Int,
  _ body: () throws -> Value
) rethrows -> Value {
  let counter = Counter()
  let fault: @Sendable (SystemCall) -> System.Fault? = { made in
    made == call && counter.next() <= times ? .error(number) : nil
  }
  return try System.$fault.withValue(fault) { try body() }
}

/// Lets a system call take so many bytes at most.
func shortening<Value>(
  _ call: SystemCall,
  to bytes: Int,
  _ body: () throws -> Value
) rethrows -> Value {
  let fault: @Sendable (SystemCall) -> System.Fault? = { $0 == call ? .atMost(bytes) : nil }
  return try System.$fault.withValue(fault) { try body() }
}

/// Counts from several places.
final class Counter: @unchecked Sendable {
  // Guarded by the lock.
  private var count = 0
  private let lock = NSLock()

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
