import Glibc

/// The system calls that go through this layer, as their manual pages name them.
enum SystemCall: String, Sendable {
  case access = "faccessat"
  case capabilities = "capset"
  case close
  case copy = "copy_file_range"
  case exchange = "renameat2"
  case fchmod
  case fdatasync
  case flock
  case fstat
  case futimens
  case kill
  case landlock = "landlock_restrict_self"
  case mkdir = "mkdirat"
  case open = "openat"
  case openFolder = "fdopendir"
  case pipe = "pipe2"
  case poll
  case read
  case readFolder = "readdir"
  case rename = "renameat"
  case resolve = "realpath"
  case seccomp
  case setrlimit
  case signalDescriptor = "signalfd"
  case spawn = "posix_spawn"
  case stat = "fstatat"
  case statx
  case unlink = "unlinkat"
  case wait = "wait4"
  case write
}

/// A system call that failed, with the kernel's reason.
struct SystemError: Error, Equatable {
  let call: SystemCall
  /// `errno`.
  let number: Int32

  /// The kernel's reason as people write it within a sentence.
  var reason: String {
    switch number {
    case EACCES, EPERM: return "no permission"
    case EDQUOT: return "the disk quota is used up"
    case EEXIST: return "something is there already"
    case EFBIG: return "the file would be larger than the limit of this process allows"
    case EIO: return "the device reports an error"
    case EISDIR: return "a folder is there"
    // Only files are opened without following a link that has their name.
    case ELOOP: return call == .open ? "a symbolic link" : "symbolic links that lead in a circle"
    case EMFILE, ENFILE: return "too many open files"
    case ENAMETOOLONG: return "the name is too long"
    case ENOENT: return "nothing is there"
    case ENOSPC: return "the disk is full"
    case ENOTDIR: return "a file where a folder should be"
    case ENXIO: return "something else than a file"
    case EROFS: return "the file system is read-only"
    case ESTALE: return "it is no longer the file that was there (a stale handle)"
    default: break
    }
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
  }

  var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

  /// What was written to fails as a whole, and not for one file: a device, or the way to a network folder.
  var isOfDevice: Bool {
    switch number {
    case EIO, EROFS, ESTALE, ENODEV, ENOMEDIUM, EREMOTEIO, ENOTCONN, ESHUTDOWN, EHOSTDOWN,
      EHOSTUNREACH, ENETDOWN, ENETUNREACH, ETIMEDOUT:
      true
    default: false
    }
  }
}
