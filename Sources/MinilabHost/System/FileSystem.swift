import CSystem
import Glibc
import MinilabKit

/// Names in folders. A folder is an open descriptor, and a name never leads through a link.
extension System {
  /// What is under a name.
  enum Kind: Equatable {
    case nothing
    case file
    case folder
    case link
    case other
  }

  static func kind(of name: Path, in folder: Int32 = AT_FDCWD) throws(SystemError) -> Kind {
    var status = stat()
    do {
      try name.withCString { (name) throws(SystemError) in
        try attempt(.stat) { _ in fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }
      }
    } catch  where error.number == ENOENT {
      return .nothing
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    case S_IFLNK: return .link
    default: return .other
    }
  }

  static func makeFolder(_ name: Path, in folder: Int32 = AT_FDCWD) throws(SystemError) {
    try name.withCString { (name) throws(SystemError) in
      try attempt(.mkdir) { _ in mkdirat(folder, name, 0o777) }
    }
  }

  /// Opens a folder below another one, and makes it where it is missing.
  ///
  /// - Throws: `ELOOP` or `ENOTDIR` where a link or a file is in its place.
  static func openFolder(
    _ name: Path,
    in folder: Int32,
    making: Bool
  ) throws(SystemError)
    -> Descriptor
  {
    let flags = O_RDONLY | Int32(O_DIRECTORY) | Int32(O_NOFOLLOW)
    do {
      return try Descriptor(opening: name, in: folder, flags)
    } catch  where error.number == ENOENT && making {
      do {
        try makeFolder(name, in: folder)
      } catch  where error.number == EEXIST {
        // Another worker was faster.
      }
      return try Descriptor(opening: name, in: folder, flags)
    }
  }

  static func rename(
    _ from: Path,
    in fromFolder: Int32,
    to name: Path,
    in folder: Int32
  )
    throws(SystemError)
  {
    try from.withCString { (from) throws(SystemError) in
      try name.withCString { (name) throws(SystemError) in
        try attempt(.rename) { _ in renameat(fromFolder, from, folder, name) }
      }
    }
  }

  /// Gives a name that nothing has.
  ///
  /// - Throws: `EEXIST` where something has it.
  static func renameToNew(
    _ from: Path,
    in fromFolder: Int32,
    to name: Path,
    in folder: Int32
  )
    throws(SystemError)
  {
    do {
      try from.withCString { (from) throws(SystemError) in
        try name.withCString { (name) throws(SystemError) in
          try attempt(.exchange) { _ in csystem_rename_new(fromFolder, from, folder, name) }
        }
      }
    } catch  where error.number == EINVAL || error.number == ENOSYS {
      // Not every file system can. Whoever asks has looked before.
      try rename(from, in: fromFolder, to: name, in: folder)
    }
  }

  /// Swaps two names in one step.
  static func exchange(
    _ from: Path,
    in fromFolder: Int32,
    with name: Path,
    in folder: Int32
  )
    throws(SystemError)
  {
    try from.withCString { (from) throws(SystemError) in
      try name.withCString { (name) throws(SystemError) in
        try attempt(.exchange) { _ in csystem_exchange(fromFolder, from, folder, name) }
      }
    }
  }

  static func remove(_ name: Path, in folder: Int32, isFolder: Bool = false) throws(SystemError) {
    try name.withCString { (name) throws(SystemError) in
      try attempt(.unlink) { _ in unlinkat(folder, name, isFolder ? AT_REMOVEDIR : 0) }
    }
  }

  static func flush(_ descriptor: Int32) throws(SystemError) {
    try attempt(.fdatasync) { _ in fdatasync(descriptor) }
  }

  static func status(of descriptor: Int32) throws(SystemError) -> stat {
    var status = stat()
    try attempt(.fstat) { _ in fstat(descriptor, &status) }
    return status
  }

  /// False where this process cannot have so many more files open at a time.
  static func canOpen(_ count: Int) -> Bool {
    if count == 0 { return true }
    do throws(SystemError) {
      let one = try Descriptor(opening: Path("/dev/null"), O_RDONLY)
      return withExtendedLifetime(one) { canOpen(count - 1) }
    } catch {
      return error.number != EMFILE && error.number != ENFILE
    }
  }

  /// Lets this process have as many files open as it may.
  static func liftFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Copies all of one file to another, both from their start.
  static func copy(_ from: Int32, to: Int32) throws(SystemError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var offset: off_t = 0
    while true {
      let count = try buffer.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in
          try attempt(.read) { pread(from, buffer.baseAddress, min($0, buffer.count), offset) }
        }
      }.get()
      if count == 0 { return }
      try writeAll(to, Array(buffer[..<count]))
      offset += off_t(count)
    }
  }

  /// The names in a folder but `.` and `..`.
  static func names(in folder: Int32) throws(SystemError) -> [Path] {
    // `fdopendir` takes its descriptor over, and reading moves the offset of what it shares.
    let own = try attempt(.open) { _ in
      openat(folder, ".", O_RDONLY | Int32(O_DIRECTORY) | Int32(O_CLOEXEC))
    }
    guard let stream = fdopendir(own) else {
      let number = errno
      close(own)
      throw SystemError(call: .openFolder, number: number)
    }
    defer { closedir(stream) }
    var names: [Path] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { Path(bytes: $0.prefix { $0 != 0 }) }
      if name != Path(".") && name != Path("..") { names.append(name) }
    }
    return names
  }

  /// A mounted file system: a name can be renamed within one.
  ///
  /// The same one mounted twice counts as two, as it does for a rename.
  struct FileSystem: Equatable {
    var device: UInt64 = 0
    var mount: UInt64 = 0
  }

  static func fileSystem(of descriptor: Int32) throws(SystemError) -> FileSystem {
    var system = FileSystem()
    try attempt(.statx) { _ in csystem_file_system(descriptor, &system.device, &system.mount) }
    return system
  }
}
