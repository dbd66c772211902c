import Glibc
import MinilabKit

/// A file that is being written.
///
/// Removed with its owner unless it got its final name.
final class TemporaryFile {
  /// Its final path, relative to the output root.
  let path: Path
  private let name: Path
  private let folder: SharedDescriptor
  private let file: Descriptor
  private var isPlaced = false

  /// Open for reading and writing.
  var descriptor: Int32 { file.number }

  /// In bytes; nil where the file system does not say.
  var length: Int? { (try? System.status(of: descriptor)).map { Int($0.st_size) } }

  init(path: Path, name: Path, folder: SharedDescriptor) throws(SystemError) {
    file = try Descriptor(
      opening: name,
      in: folder.number,
      O_RDWR | Int32(O_CREAT) | Int32(O_EXCL)
    )
    self.path = path
    self.name = name
    self.folder = folder
  }

  /// An empty file for what is on its way into this one.
  func beside() throws(SystemError) -> TemporaryFile {
    try TemporaryFile(
      path: path,
      name: Path(bytes: name.bytes + Array("-page".utf8)),
      folder: folder
    )
  }

  deinit {
    if !isPlaced { try? System.remove(name, in: folder.number) }
  }

  /// What it takes over from its input when it is done.
  var kept = KeptAttributes()
  /// What stands under its final name, it replaces.
  var mayReplace = true
  /// How to tell that nobody has changed it since it got its final name.
  var stamp: FileStamp?

  /// Takes back what has been written.
  func empty() throws(SystemError) {
    try System.attempt(.write) { _ in ftruncate(descriptor, 0) }
    try System.attempt(.write) { _ in lseek(descriptor, 0, SEEK_SET) }
  }

  func contents() throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(try System.status(of: descriptor).st_size))
    var count = 0
    while count < bytes.count {
      let got = try bytes.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in
          let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
          return try System.attempt(.read) {
            pread(descriptor, rest.baseAddress, min($0, rest.count), off_t(count))
          }
        }
      }.get()
      if got == 0 { break }
      count += got
    }
    return Array(bytes[..<count])
  }

  /// Gives the file its final name.
  ///
  /// - Returns: what takes that back.
  func place(
    as final: Path,
    in target: SharedDescriptor,
    replacing: Bool
  ) throws(SystemError)
    -> Placement
  {
    if replacing {
      do {
        try System.exchange(name, in: folder.number, with: final, in: target.number)
        // Our name holds the old file now, and it goes with us, whatever becomes of the rest.
        return Placement(final: final, target: target, old: (name, folder))
      } catch {
        // Not every file system swaps; gone since we looked, there is nothing to swap with.
      }
    }
    if mayReplace {
      try System.rename(name, in: folder.number, to: final, in: target.number)
    } else {
      try System.renameToNew(name, in: folder.number, to: final, in: target.number)
    }
    isPlaced = true
    return Placement(final: final, target: target, old: nil)
  }
}

/// A final name that was given, and can be taken back as long as `TemporaryFile` lives.
struct Placement {
  fileprivate let final: Path
  fileprivate let target: SharedDescriptor
  /// Where the file is that had the name before.
  fileprivate let old: (name: Path, folder: SharedDescriptor)?

  func takeBack() throws(SystemError) {
    if let old {
      try System.exchange(old.name, in: old.folder.number, with: final, in: target.number)
    } else {
      try System.remove(final, in: target.number)
    }
  }
}
