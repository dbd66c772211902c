import Glibc

/// An open device file: the one way from the binding to the kernel.
///
/// Retries what a signal has interrupted.
struct Handle {
  let calls: any VideoCalls
  let descriptor: Int32

  init(opening path: String, _ calls: any VideoCalls) throws(CallError) {
    self.calls = calls
    descriptor = try Self.retried { () throws(CallError) in try calls.open(path) }
  }

  private init(_ calls: any VideoCalls, _ descriptor: Int32) {
    self.calls = calls
    self.descriptor = descriptor
  }

  /// Of no file: the number may soon be that of another one.
  var closed: Handle { Handle(calls, -1) }

  func adopt() throws(CallError) {
    try Self.retried { () throws(CallError) in try calls.adopt(descriptor) }
  }

  /// Makes a request; the argument is what it reads and writes.
  ///
  /// `direct`: past libv4l2, where that would answer for the device.
  func request<Argument>(
    _ request: Request,
    _ argument: inout Argument,
    direct: Bool = false
  ) throws(CallError) {
    try withUnsafeMutablePointer(to: &argument) { (pointer) throws(CallError) in
      try Self.retried { () throws(CallError) in
        try calls.request(request, descriptor, pointer, direct: direct)
      }
    }
  }

  /// Makes a request for something that may not be there.
  ///
  /// - Returns: false where the device does not have it.
  func has<Argument>(_ request: Request, _ argument: inout Argument) throws(CallError) -> Bool {
    do {
      try self.request(request, &argument)
      return true
    } catch  where [EINVAL, ENOTTY, ENODATA].contains(error.number) {
      return false
    }
  }

  func map(length: Int, offset: Int64) throws(CallError) -> UnsafeMutableRawPointer {
    try Self.retried { () throws(CallError) in
      try calls.map(descriptor, length: length, offset: offset)
    }
  }

  func unmap(_ start: UnsafeMutableRawPointer, length: Int) {
    // Nothing can be done where it fails: the device is gone, and the memory goes with the process.
    try? calls.unmap(start, length: length)
  }

  /// Waits for a frame.
  ///
  /// `deadline`: of CLOCK_MONOTONIC, in nanoseconds; a signal does not extend it.
  /// Returns nothing ready where the time was over.
  func wait(until deadline: Int64, alsoFor other: Int32?) throws(CallError) -> Readiness {
    try Self.retried { () throws(CallError) in
      // Rounded up: a wait that ends before the deadline would be taken for one that is over.
      let left = max(0, deadline - calls.now + 999_999) / 1_000_000
      return try calls.poll(
        descriptor,
        alsoFor: other,
        milliseconds: Int32(clamping: left)
      )
    }
  }

  func close() {
    // Not retried: Linux has closed the descriptor even where it says EINTR.
    try? calls.close(descriptor)
  }

  private static func retried<Value>(
    _ body: () throws(CallError) -> Value
  ) throws(CallError) -> Value {
    while true {
      do {
        return try body()
      } catch  where error.number == EINTR {
        continue
      }
    }
  }
}
