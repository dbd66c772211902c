import CSystem
import MinilabKit

/// Memory that this process was refused, by the limit of its data or by the machine.
///
/// What becomes of it is told by each library in its own words, or by none: a decoder calls the picture broken, an
/// encoder says that it has failed, others end the process. So what counts is the request itself, whoever made it
/// (`docs/decisions/0025-refused-memory.md`).
enum RefusedMemory {
  /// Ends a worker that a library has given up for want of memory.
  static let exitStatus: Int32 = 12

  /// A unit begins: what was refused before is not its matter.
  static func forget() { csystem_forget_refusals() }

  /// The largest piece that was refused since then, in bytes; nil where none was.
  static var largest: Int? {
    let bytes = csystem_refused()
    return bytes > 0 ? Int(bytes) : nil
  }

  /// Lets this process end with a status of its own where it ends for want of memory.
  static func watch() { _ = csystem_exit_on_refusals(exitStatus) }

  /// The error of a unit that has failed while memory was refused: nil where none was.
  ///
  /// `limit`: what this process may hold, in bytes.
  static func error(limit: Int?) -> ItemError? {
    largest.map { .outOfMemory(limit, "that \(bytesShown($0)) more were refused") }
  }
}

extension ItemError {
  /// The same, or what is really to blame where memory was refused.
  ///
  /// `limit`: what this process may hold, in bytes.
  func blamingMemory(limit: Int?) -> ItemError {
    switch code {
    case .damaged, .operationFailed, .outOfMemory, .tooManyWarnings, .unreadable, .unsupported,
      .writeFailed:
      RefusedMemory.error(limit: limit) ?? self
    default: self
    }
  }
}
