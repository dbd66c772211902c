import Glibc
import MinilabKit

/// When a frame was taken, as EXIF writes it.
struct Moment {
  /// On this machine's clock on the wall.
  let clock: WallClock
  /// `YYYY:MM:DD HH:MM:SS`.
  let date: String
  /// From UTC, `+01:00`.
  let offset: String
  /// Three digits behind the second.
  let fraction: String

  /// - Parameter nanoseconds: since 1970, UTC.
  init(nanoseconds: Int64) {
    var seconds = time_t(nanoseconds / 1_000_000_000)
    let milliseconds = Int(nanoseconds % 1_000_000_000 / 1_000_000)
    var fields = tm()
    let minutes = localtime_r(&seconds, &fields) == nil ? 0 : fields.tm_gmtoff / 60
    clock = WallClock(fileTime: Int64(seconds))
    date = String(decoding: clock.written(as: "%Y:%m:%d %H:%M:%S"), as: UTF8.self)
    let size = abs(minutes)
    offset = "\(minutes < 0 ? "-" : "+")\(Self.two(size / 60)):\(Self.two(size % 60))"
    fraction = String("\(1000 + milliseconds)".suffix(3))
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
