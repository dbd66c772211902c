import CSystem
import Glibc
import MinilabKit

/// The hidden command `source`: the process in which a source makes its items.
///
/// Requests come on descriptor 0, replies go to 3, and 4 is the lock on the output root. Unlike a
/// worker it is not killed with its coordinator: it must put a device back into its state first.
enum SourceLoop {
  private static let requests: Int32 = 0
  private static let replies: Int32 = 3
  private static let lock: Int32 = 4

  /// How long a source may take to end when no more is wanted of it.
  static let patience = Duration.seconds(4)

  static func run(operations: [OperationEntry]) -> Int32 {
    _ = csystem_ignore_interrupts()
    _ = csystem_let_writes_fail()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    for descriptor in [requests, replies, lock] { System.setCloseOnExec(descriptor) }
    do {
      try serve(operations)
      return 0
    } catch {
      return 1
    }
  }

  private static func serve(_ operations: [OperationEntry]) throws {
    let desk = try SourceDesk(requests: requests, replies: replies)
    guard case .setup(let setup)? = try setupLine() else { return }
    let profile = try Profile(resolved: setup.profile, operations: operations)
    guard let step = profile.source, let source = step.operation as? any SourceOperation else {
      return
    }
    if let output = setup.output { desk.files = try CapturedFiles(root: output) }
    try desk.open { left in
      // The device may hang, and the main thread with it: then this one puts back what it can.
      usleep(UInt32(patience / .microseconds(1)))
      if let record = left() { try? source.restore(record) }
      _exit(1)
    }
    while let order = desk.nextOrder() {
      do {
        switch order {
        case .setup, .room: break
        case .announce: try desk.send(.announced(source.announce()))
        case .begin:
          try source.makeItems(for: desk)
          try desk.send(.ended)
        case .restore(let record):
          try source.restore(record)
          try desk.send(.ended)
        }
      } catch var error as ItemError {
        error.step = error.step ?? step.id
        try desk.send(.failed(error))
      }
    }
  }

  /// The set-up, read before there is a second thread.
  private static func setupLine() throws -> SourceRequest? {
    // One byte at a time: what comes behind the line is the desk's.
    var line: [UInt8] = []
    var byte: [UInt8] = [0]
    while true {
      let count = try byte.withUnsafeMutableBytes { try System.read(requests, into: $0) }
      guard count == 1 else { return nil }
      if byte[0] == UInt8(ascii: "\n") { break }
      line.append(byte[0])
    }
    return try Line.decode(SourceRequest.self, from: line)
  }
}
