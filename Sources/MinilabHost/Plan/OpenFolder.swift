import Glibc
import MinilabKit

/// What makes a file or folder itself, whatever it is called.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
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
  private let folder: Descriptor
  let identity: FileIdentity

  var descriptor: Int32 { folder.number }

  /// Opens a folder that a person named, through links.
  convenience init(_ path: [UInt8]) throws(SystemError) {
    try self.init(openFile(path[...], flags: Int32(O_DIRECTORY)))
  }

  /// Opens a folder within this one.
  ///
  /// A link is not followed.
  convenience init(_ name: ArraySlice<UInt8>, in parent: OpenFolder) throws(SystemError) {
    let flags = Int32(O_DIRECTORY) | Int32(O_NOFOLLOW)
    try self.init(openFile(name, in: parent.descriptor, flags: flags))
  }

  private init(_ folder: consuming Descriptor) throws(SystemError) {
    identity = FileIdentity(try System.status(of: folder.number))
    self.folder = folder
  }

  /// Everything in the folder, in the order of the bytes of the paths below it.
  func entries() throws(SystemError) -> FolderEntries {
    // The stream takes over what it is given; ours stays for the calls that are relative to it.
    let copy = try System.attempt(.open) { _ in fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    guard let stream = fdopendir(copy) else {
      let number = errno
      close(copy)
      throw SystemError(call: .openFolder, number: number)
    }
    defer { closedir(stream) }
    var entries = FolderEntries()
    while let entry = try next(of: stream) {
      let name = nameBytes(of: entry)
      if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { continue }
      if let kind = try kind(of: entry, named: name) { entries.append(name, kind) }
    }
    entries.sort()
    return entries
  }

  private func next(of stream: OpaquePointer) throws(SystemError) -> UnsafeMutablePointer<dirent>? {
    var entry: UnsafeMutablePointer<dirent>?
    try System.attempt(.readFolder) { _ in
      // Only `errno` tells the end from a failure.
      errno = 0
      entry = readdir(stream)
      return entry == nil && errno != 0 ? -1 : 0
    }
    return entry
  }

  /// Nil where the entry has gone since it was listed.
  private func kind(
    of entry: UnsafeMutablePointer<dirent>,
    named name: UnsafeRawBufferPointer
  ) throws(SystemError) -> FileKind? {
    switch Int(entry.pointee.d_type) {
    case Int(DT_REG): return .file
    case Int(DT_DIR): return .folder
    case Int(DT_LNK): return .link
    case Int(DT_UNKNOWN): break
    default: return .other
    }
    // Some file systems do not say in the listing.
    var status = stat()
    guard let characters = name.bindMemory(to: CChar.self).baseAddress else { return nil }
    do {
      try System.attempt(.stat) { _ in
        fstatat(descriptor, characters, &status, AT_SYMLINK_NOFOLLOW)
      }
    } catch {
      // A file that cannot be looked at fails when it is opened, by its name.
      return error.number == ENOENT ? nil : .file
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
///
/// A path may be longer than the kernel takes in one call.
func openFile(
  _ path: ArraySlice<UInt8>,
  in folder: Int32 = AT_FDCWD,
  flags: Int32 = 0
) throws(SystemError) -> Descriptor {
  // PATH_MAX counts the NUL at the end.
  let longest = Int(PATH_MAX) - 1
  guard path.count > longest, let cut = path.prefix(longest).lastIndex(of: UInt8(ascii: "/")) else {
    return try Descriptor(opening: Path(bytes: path), in: folder, flags | O_RDONLY | O_NONBLOCK)
  }
  let above = try Descriptor(
    opening: Path(bytes: path[..<cut]),
    in: folder,
    O_RDONLY | Int32(O_DIRECTORY)
  )
  return try openFile(path[(cut + 1)...], in: above.number, flags: flags)
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
