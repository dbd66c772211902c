import Glibc
import MinilabKit

/// An open picture file, and its bytes where it is small.
///
/// A small file is read in one piece: a decoder that asks for 4 KB at a time costs more in calls
/// than in work, and what is decoded twice is then surely the same.
final class PictureData {
  private let file: Descriptor
  /// Nil for a file that is better read as it is decoded.
  let bytes: [UInt8]?

  private static let small = 1 << 20

  /// Opens a regular file.
  init(_ path: Path) throws(SystemError) {
    let opened = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
    let status = try System.status(of: opened.number)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError(call: .open, number: ENXIO)
    }
    let length = Int(status.st_size)
    bytes = length <= Self.small ? try Self.read(opened.number, length) : nil
    file = opened
  }

  var descriptor: Int32 { file.number }

  /// An open file that is somebody else's, and stays open longer than this.
  init(borrowing descriptor: Int32) throws(SystemError) {
    file = try Descriptor(opening: Path("/proc/self/fd/\(descriptor)"), O_RDONLY)
    bytes = nil
  }

  /// The same file with a position of its own.
  func reopened() throws(SystemError) -> Descriptor {
    try Descriptor(opening: Path("/proc/self/fd/\(descriptor)"), O_RDONLY)
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
