import Glibc

/// What makes a file or folder itself, whatever it is called.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// A system call's answer that is none, as the number it left.
struct FileError: Error, Equatable {
  let number: Int32

  var text: String { String(cString: strerror(number)) }
}

enum FileKind: UInt8 {
  case file
  case folder
  case link
  /// FIFO, device or socket.
  case other

  init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    case S_IFLNK: self = .link
    default: self = .other
    }
  }
}

/// A folder held by its descriptor, so that what is asked of it stays with it when names change.
///
/// Closed when the last reference goes.
final class OpenFolder {
  let descriptor: Int32
  let identity: FileIdentity

  /// Opens a folder that a person named, through links.
  convenience init(_ path: [UInt8]) throws(FileError) {
    try self.init(path, in: AT_FDCWD, flags: 0)
  }

  /// Opens a folder within this one.
  ///
  /// A link is not followed.
  convenience init(_ name: [UInt8], in parent: OpenFolder) throws(FileError) {
    try self.init(name, in: parent.descriptor, flags: O_NOFOLLOW)
  }

  private init(_ path: [UInt8], in parent: Int32, flags: Int32) throws(FileError) {
    descriptor = try openFile(path, in: parent, flags: flags | O_DIRECTORY)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      close(descriptor)
      throw FileError(number: number)
    }
    identity = FileIdentity(status)
  }

  deinit { close(descriptor) }

  /// Everything in the folder, in the order of the bytes of the paths below it.
  func entries() throws(FileError) -> FolderEntries {
    // The stream has a descriptor of its own; this one stays for the calls that are relative to it.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw FileError(number: errno) }
    guard let stream = fdopendir(copy) else {
      let number = errno
      close(copy)
      throw FileError(number: number)
    }
    defer { closedir(stream) }
    var entries = FolderEntries()
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw FileError(number: errno) }
        break
      }
      let name = nameBytes(of: entry)
      if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { continue }
      if let kind = try kind(of: entry, named: name) { entries.append(name, kind) }
    }
    entries.sort()
    return entries
  }

  /// Nil where the entry has gone since it was listed.
  private func kind(
    of entry: UnsafeMutablePointer<dirent>,
    named name: UnsafeRawBufferPointer
  ) throws(FileError) -> FileKind? {
    switch Int(entry.pointee.d_type) {
    case Int(DT_REG): return .file
    case Int(DT_DIR): return .folder
    case Int(DT_LNK): return .link
    case Int(DT_UNKNOWN): break
    default: return .other
    }
    // Some file systems do not say in the listing.
    var status = stat()
    let characters = name.bindMemory(to: CChar.self).baseAddress
    guard let characters else { return nil }
    guard fstatat(descriptor, characters, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      // A file that cannot be looked at fails when it is opened, by its name.
      return errno == ENOENT ? nil : .file
    }
    return FileKind(mode: status.st_mode)
  }
}

/// The names in a folder, in one block: a folder may hold millions.
struct FolderEntries {
  private struct Entry {
    var start: Int
    var length: Int32
    var kind: FileKind
  }

  private var names: [UInt8] = []
  private var entries: [Entry] = []

  var count: Int { entries.count }

  subscript(index: Int) -> (name: ArraySlice<UInt8>, kind: FileKind) {
    let entry = entries[index]
    return (names[entry.start..<entry.start + Int(entry.length)], entry.kind)
  }

  mutating func append(_ name: some Sequence<UInt8>, _ kind: FileKind) {
    let start = names.count
    names += name
    entries.append(Entry(start: start, length: Int32(names.count - start), kind: kind))
  }

  /// A folder's name counts with the slash that follows it in the paths below.
  mutating func sort() {
    names.withUnsafeBytes { names in
      entries.sort { left, right in
        let shared = Int(min(left.length, right.length))
        if shared > 0, let base = names.baseAddress {
          let order = memcmp(base + left.start, base + right.start, shared)
          if order != 0 { return order < 0 }
        }
        func next(_ entry: Entry) -> Int {
          if Int(entry.length) > shared { return Int(names[entry.start + shared]) }
          return entry.kind == .folder ? Int(UInt8(ascii: "/")) : -1
        }
        return next(left) < next(right)
      }
    }
  }
}

/// Opens for reading and never waits: a FIFO that took a file's place returns at once.
func openFile(
  _ path: some Collection<UInt8>,
  in folder: Int32,
  flags: Int32
) throws(FileError) -> Int32 {
  let characters = path.map { CChar(bitPattern: $0) } + [0]
  while true {
    let descriptor = openat(folder, characters, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags)
    if descriptor >= 0 { return descriptor }
    if errno != EINTR { throw FileError(number: errno) }
  }
}

/// The name within a directory entry, which ends with NUL and may be longer than the type says.
private func nameBytes(of entry: UnsafeMutablePointer<dirent>) -> UnsafeRawBufferPointer {
  let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 19
  let start = UnsafeRawPointer(entry) + offset
  return UnsafeRawBufferPointer(
    start: start,
    count: strlen(start.assumingMemoryBound(to: CChar.self))
  )
}
