import Glibc
import MinilabKit

/// A picture file, and its bytes where it is small.
///
/// A small file is read in one piece: a decoder that asks for 4 KB at a time costs more in calls
/// than in work, and what is decoded twice is then surely the same.
final class PictureData {
  /// Nil once it was spared.
  private var file: Descriptor?
  /// Nil where the file is somebody else's.
  private let path: Path?
  private let version: Version
  /// When it was opened.
  let status: FileStatus
  /// Nil for a file that is better read as it is decoded.
  let bytes: [UInt8]?

  /// What a file is up to.
  static let small = 1 << 20

  /// Which file it is, and in which state.
  private struct Version: Equatable {
    let identity: FileIdentity
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      identity = FileIdentity(status)
      size = Int(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  /// Opens a regular file.
  ///
  /// `most`: up to so many bytes it is read in one piece.
  init(_ path: Path, holding most: Int = small) throws(SystemError) {
    let opened = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
    let status = try System.status(of: opened.number)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError(call: .open, number: ENXIO)
    }
    let length = Int(status.st_size)
    bytes = length <= most ? try Self.read(opened.number, length) : nil
    version = Version(status)
    self.status = FileStatus(status)
    self.path = path
    file = consume opened
  }

  /// An open file that is somebody else's, and stays open longer than this.
  init(borrowing descriptor: Int32) throws(SystemError) {
    let opened = try Descriptor(opening: Path("/proc/self/fd/\(descriptor)"), O_RDONLY)
    let status = try System.status(of: opened.number)
    version = Version(status)
    self.status = FileStatus(status)
    path = nil
    bytes = nil
    file = consume opened
  }

  /// Of the open file; not to be asked once it was spared.
  var descriptor: Int32 {
    guard let number = file?.number else { preconditionFailure("a spared file is reopened") }
    return number
  }

  /// So many bytes from an offset; fewer at the end of the file.
  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    if let bytes {
      guard offset >= 0, offset < bytes.count else { return [] }
      return Array(bytes[offset..<min(bytes.count, offset + count)])
    }
    return try System.read(descriptor, at: offset, count: count)
  }

  /// Closes the file until it is asked for: of hundreds of pictures at once each would keep one.
  func spare() {
    if path != nil { file = nil }
  }

  /// The same file with a position of its own.
  func reopened() throws(SystemError) -> Descriptor {
    guard file == nil, let path else {
      return try Descriptor(opening: Path("/proc/self/fd/\(descriptor)"), O_RDONLY)
    }
    let again = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
    // Another one may have its name by now.
    guard Version(try System.status(of: again.number)) == version else {
      throw SystemError(call: .open, number: ESTALE)
    }
    return again
  }

  private static func read(_ descriptor: Int32, _ length: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      while count < length {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]
        )
        do throws(SystemError) {
          guard let got = try System.read(descriptor, into: rest), got > 0 else { return }
          count += got
        } catch {
          failure = error
          return
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
