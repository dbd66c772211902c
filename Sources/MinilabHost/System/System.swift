import CSystem
import Glibc
import MinilabKit

/// The one way to the kernel: retries interrupted calls, turns `errno` into errors, and can be made
/// to fail by tests.
enum System {
  /// What a test makes of a call instead of the kernel.
  enum Fault: Sendable {
    case error(Int32)
    /// Of `read` and `write`: at most so many bytes.
    case atMost(Int)
  }

  /// Set by tests around what they test.
  ///
  /// Asked before each try of a call.
  @TaskLocal static var fault: (@Sendable (SystemCall) -> Fault?)?

  /// Makes a call until it is not interrupted.
  @discardableResult
  static func attempt<Value: SignedInteger>(
    _ call: SystemCall,
    _ body: (_ limit: Int) -> Value
  ) throws(SystemError) -> Value {
    while true {
      var limit = Int.max
      switch fault?(call) {
      case .error(EINTR): continue
      case .error(let number): throw SystemError(call: call, number: number)
      case .atMost(let bytes): limit = bytes
      case nil: break
      }
      let result = body(limit)
      if result >= 0 { return result }
      let number = errno
      if number != EINTR { throw SystemError(call: call, number: number) }
    }
  }

  /// Has the kernel end this process before others when memory is short.
  static func offerToBeEnded() {
    guard let file = try? Descriptor(opening: Path("/proc/self/oom_score_adj"), O_WRONLY) else {
      return
    }
    try? writeAll(file.number, Array("1000".utf8))
  }

  /// Bytes that were read: none at the end, nil where none are there yet.
  static func read(
    _ descriptor: Int32,
    into buffer: UnsafeMutableRawBufferPointer
  )
    throws(SystemError) -> Int?
  {
    do {
      return try attempt(.read) {
        Glibc.read(descriptor, buffer.baseAddress, min($0, buffer.count))
      }
    } catch  where error.number == EAGAIN {
      return nil
    }
  }

  /// Bytes that were written; nil where none can be taken now.
  static func read(
    _ descriptor: Int32,
    at offset: Int,
    count: Int
  ) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = try bytes.withUnsafeMutableBytes { buffer in
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        return Result { () throws(SystemError) in
          try attempt(.read) {
            pread(descriptor, rest.baseAddress, min($0, rest.count), off_t(offset + done))
          }
        }
      }.get()
      if got == 0 { break }
      done += got
    }
    return Array(bytes.prefix(done))
  }

  static func writeAll(
    _ descriptor: Int32,
    at offset: Int,
    _ bytes: [UInt8]
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      done += try bytes.withUnsafeBytes { buffer in
        let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
        return Result { () throws(SystemError) in
          try attempt(.write) {
            pwrite(descriptor, rest.baseAddress, min($0, rest.count), off_t(offset + done))
          }
        }
      }.get()
    }
  }

  /// Ends a file after so many bytes.
  static func cut(_ descriptor: Int32, to length: Int) throws(SystemError) {
    try attempt(.write) { _ in ftruncate(descriptor, off_t(length)) }
  }

  static func write(
    _ descriptor: Int32,
    _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError)
    -> Int?
  {
    do {
      return try attempt(.write) {
        Glibc.write(descriptor, bytes.baseAddress, min($0, bytes.count))
      }
    } catch  where error.number == EAGAIN {
      return nil
    }
  }

  /// Writes all of it to a descriptor that blocks.
  static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemError) {
    var start = 0
    while start < bytes.count {
      // `withUnsafeBytes` does not pass a typed error on.
      let result = bytes.withUnsafeBytes { buffer in
        Result { () throws(SystemError) in
          try write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[start...]))
        }
      }
      if let count = try result.get() {
        start += count
      } else {
        // Somebody who shares a terminal or a pipe with us has made it non-blocking.
        var waiting = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        try poll(&waiting, milliseconds: -1)
      }
    }
  }

  /// Waits for one of the descriptors, at most so long; -1 is for ever.
  ///
  /// A signal ends no wait early.
  static func poll(_ descriptors: inout [pollfd], milliseconds: Int32) throws(SystemError) {
    try attempt(.poll) { _ in
      Glibc.poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }
  }

  /// Where to read and where to write.
  ///
  /// Not inherited by children.
  static func pipe() throws(SystemError) -> Pipe {
    var ends: [Int32] = [-1, -1]
    try attempt(.pipe) { _ in csystem_pipe(&ends) }
    return Pipe(read: Descriptor(adopting: ends[0]), write: Descriptor(adopting: ends[1]))
  }

  static func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | Int32(O_NONBLOCK))
  }

  static func setCloseOnExec(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Opens /dev/null under each of the numbers 0 to 2 that is closed, so that no file of ours is
  /// ever taken for standard output.
  static func openStandardDescriptors() {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is the one that is closed.
      _ = Glibc.open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY)
    }
  }

  /// All bytes of a small file; nil where it cannot be read.
  static func contents(of path: Path, atMost limit: Int = 1 << 20) -> [UInt8]? {
    guard let file = try? Descriptor(opening: path, O_RDONLY) else { return nil }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < limit {
      let count = buffer.withUnsafeMutableBytes { try? read(file.number, into: $0) }
      guard let count, count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes
  }
}

/// The two ends of a pipe.
struct Pipe: ~Copyable {
  var read: Descriptor
  var write: Descriptor
}

/// An open file, closed with its owner.
struct Descriptor: ~Copyable {
  let number: Int32

  init(adopting number: Int32) {
    self.number = number
  }

  /// Relative to a folder, or to the working folder.
  ///
  /// Not inherited by children.
  init(
    opening path: Path,
    in folder: Int32 = AT_FDCWD,
    _ flags: Int32,
    mode: mode_t = 0o666
  )
    throws(SystemError)
  {
    number = try path.withCString { (path) throws(SystemError) in
      try System.attempt(.open) { _ in openat(folder, path, flags | Int32(O_CLOEXEC), mode) }
    }
  }

  deinit {
    // Linux has closed it even where the call is interrupted: no retry.
    close(number)
  }
}

/// An open file with several owners, closed with the last.
final class SharedDescriptor {
  private let descriptor: Descriptor

  var number: Int32 { descriptor.number }

  init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }
}
