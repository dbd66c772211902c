import Glibc
import MinilabKit

@testable import MinilabHost

/// What the system says of a file, and is told.
struct FileAttributes: Equatable {
  var seconds: Int
  var nanoseconds: Int
  var mode: UInt32

  init(seconds: Int, nanoseconds: Int, mode: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
    self.mode = mode
  }

  init(of path: Path) throws {
    let file = try Descriptor(opening: path, O_RDONLY)
    let status = try FileStatus(of: file.number)
    seconds = status.modified.seconds
    nanoseconds = status.modified.nanoseconds
    mode = status.mode & 0o7777
  }

  /// - Returns: false where the system refuses.
  func give(to path: Path) throws -> Bool {
    let file = try Descriptor(opening: path, O_RDONLY)
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    return futimens(file.number, [time, time]) == 0 && fchmod(file.number, mode) == 0
  }

  /// The rights that new files do not get.
  static var mask: UInt32 {
    let mask = umask(0)
    umask(mask)
    return mask
  }
}
