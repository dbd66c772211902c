import Glibc

/// A date and time of day as a clock on the wall showed it, in no time zone: EXIF's own notion.
public struct WallClock: Sendable, Equatable, Codable {
  /// Since 1970-01-01 00:00:00 on that clock.
  public var seconds: Int64

  public init(seconds: Int64) {
    self.seconds = seconds
  }

  /// A file's time, on this machine's clock.
  public init(fileTime: Int64) {
    var time = time_t(fileTime)
    var fields = tm()
    // A time beyond what a calendar year can hold stays as it is.
    let offset = localtime_r(&time, &fields) == nil ? 0 : fields.tm_gmtoff
    seconds = fileTime + Int64(offset)
  }

  /// EXIF's `YYYY:MM:DD HH:MM:SS`; nil where that is no date, as cameras without a clock write it.
  public init?(exif text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 19 else { return nil }
    func number(_ range: Range<Int>) -> Int32? {
      var value: Int32 = 0
      for byte in bytes[range] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + Int32(byte - UInt8(ascii: "0"))
      }
      return value
    }
    guard let year = number(0..<4), year > 0,
      let month = number(5..<7), (1...12).contains(month),
      let day = number(8..<10), (1...Self.days(of: month, year)).contains(day),
      let hour = number(11..<13), hour < 24,
      let minute = number(14..<16), minute < 60,
      let second = number(17..<19), second <= 60
    else { return nil }
    var fields = tm()
    fields.tm_year = year - 1900
    fields.tm_mon = month - 1
    fields.tm_mday = day
    fields.tm_hour = hour
    fields.tm_min = minute
    fields.tm_sec = second
    seconds = Int64(timegm(&fields))
  }

  private static func days(of month: Int32, _ year: Int32) -> Int32 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The letters of `strftime` that a template may use: those whose text needs no time zone.
  ///
  /// The process stays in the C locale, so names are English and the same everywhere.
  public static let letters = Array("YymdHIMSpjaAbBuVGFT%")

  /// The text of a form of `strftime`.
  public func written(as form: String) -> [UInt8] {
    var time = time_t(seconds)
    var fields = tm()
    guard gmtime_r(&time, &fields) != nil else { return [] }
    // The longest letter gives 26 bytes where the form has two.
    let room = form.utf8.count * 16 + 64
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) { characters in
        strftime(characters.baseAddress, room, form, &fields)
      }
    }
  }
}
