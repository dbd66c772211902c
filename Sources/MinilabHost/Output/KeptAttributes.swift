import Glibc

/// What a file's own record says, as far as outputs take it over.
struct FileStatus {
  /// In bytes.
  let size: Int
  /// When the content was changed last: since 1970, and the part of a second.
  let modified: (seconds: Int, nanoseconds: Int)
  /// Who may do what.
  let mode: UInt32

  init(_ status: stat) {
    size = Int(status.st_size)
    modified = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    mode = status.st_mode
  }

  init(of descriptor: Int32) throws(SystemError) {
    self.init(try System.status(of: descriptor))
  }
}

/// What an output takes over from its input's file, beside the picture.
struct KeptAttributes {
  /// When the content was changed last; nil: now.
  private var modified: (seconds: Int, nanoseconds: Int)?
  /// Who may read and write it, without the bits that give rights to whoever runs it; nil: as the
  /// umask says.
  private var mode: UInt32?

  /// What the settings want of a file's status.
  init(_ settings: OutputSettings, of status: FileStatus) {
    if settings.timestamps == .input { modified = status.modified }
    if settings.mode == .input { mode = status.mode & 0o777 }
  }

  /// Nothing.
  init() {}

  /// To be called when all is written.
  func apply(to descriptor: Int32) throws(SystemError) {
    if let mode { try System.attempt(.fchmod) { _ in fchmod(descriptor, mode) } }
    if let modified {
      // The first is when it was read last, which is nobody's business: now.
      let times = [
        timespec(tv_sec: 0, tv_nsec: Self.now),
        timespec(tv_sec: modified.seconds, tv_nsec: modified.nanoseconds),
      ]
      try System.attempt(.futimens) { _ in futimens(descriptor, times) }
    }
  }

  /// UTIME_NOW of <sys/stat.h>, which Swift cannot import.
  private static let now = 1 << 30 - 1
}
