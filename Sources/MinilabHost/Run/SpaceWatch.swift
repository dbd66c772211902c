import Glibc
import MinilabKit

/// Keeps a run from filling the disk, and from writing more than it was allowed.
final class SpaceWatch {
  private let limits: RunLimits
  /// What the file system of the results says of itself; nil where it says nothing.
  private let look: () -> FileSystemRoom?
  private(set) var written = 0
  /// How much may be written before it is looked at again.
  private var credit = 0
  private var nextLook = SuspendingClock.now

  /// Others write, too: so often it is looked at whatever was written here.
  private static let interval = Duration.seconds(1)

  init(_ limits: RunLimits, look: @escaping () -> FileSystemRoom?) {
    self.limits = limits
    self.look = look
  }

  /// Takes note of results that were written.
  ///
  /// `bytes`: how large they are. Returns why the run should stop.
  func check(after bytes: Int) -> RunStop? {
    written += bytes
    if let most = limits.maxOutput?.bytes, written >= most {
      return .outputLimit(written: written, most: most)
    }
    credit -= bytes
    let now = SuspendingClock.now
    guard credit < 0 || now >= nextLook else { return nil }
    nextLook = now + Self.interval
    guard let room = look() else { return nil }
    let kept = limits.keepFree.bytes(of: room.size)
    if room.free < kept { return .spaceLow(free: room.free, kept: kept) }
    // What workers have in hand is not counted yet.
    credit = (room.free - kept) / 4
    return nil
  }

  /// Before anything is begun.
  func check() -> RunStop? {
    credit = -1
    return check(after: 0)
  }
}

/// In bytes.
struct FileSystemRoom: Equatable {
  var size: Int
  /// For those who are not root.
  var free: Int

  init(size: Int, free: Int) {
    self.size = size
    self.free = free
  }

  /// Of the file system that an open file lies on.
  ///
  /// Nil where it says nothing, as some of those do that are programs.
  init?(of descriptor: Int32) {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0, status.f_blocks > 0 else { return nil }
    size = Self.bytes(status.f_blocks, status.f_frsize)
    free = Self.bytes(status.f_bavail, status.f_frsize)
  }

  private static func bytes(_ blocks: UInt, _ block: UInt) -> Int {
    let (bytes, overflow) = blocks.multipliedReportingOverflow(by: block)
    return overflow ? .max : Int(clamping: bytes)
  }
}

/// As people read it, in thousands; whole where that is exact.
func bytesShown(_ bytes: Int) -> String {
  for (name, unit) in [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)] where Double(bytes) >= unit {
    let value = (Double(bytes) / unit * 10).rounded() / 10
    return "\(value == value.rounded() ? "\(Int(value))" : "\(value)") \(name)"
  }
  return bytes == 1 ? "1 byte" : "\(bytes) bytes"
}
