import Glibc
import MinilabKit

/// What a file's own record says of its content: as long as it stays, nobody has changed the file.
///
/// The time of the last change of the record itself is in it, as programs that change a picture's
/// metadata in place often put the time of the content back.
struct FileStamp: Codable, Hashable, Sendable {
  /// In bytes.
  var size: Int
  /// When the content was changed last, in nanoseconds since 1970.
  var modified: Int
  /// When the content or the record was changed last, likewise.
  var changed: Int

  init(size: Int, modified: Int, changed: Int) {
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  init(_ status: stat) {
    size = Int(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  /// A damaged file system can give any number.
  private static func nanoseconds(_ time: timespec) -> Int {
    time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
  }

  /// The file can no longer be changed without the stamp showing it.
  ///
  /// Times go in steps: of a few milliseconds where they have parts of a second, else of up to two
  /// seconds, as on FAT. Within the step of its last change a file could be changed once more.
  ///
  /// `now`: in nanoseconds since 1970, read before the file is.
  func isSettled(at now: Int) -> Bool {
    let last = max(modified, changed)
    let step = last % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
    return now >= last && now - last > step
  }

  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }
}
