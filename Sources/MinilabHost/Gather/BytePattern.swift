import CGLib

/// A regular expression over bytes, for names that may be no text.
///
/// GRegex never changes once it is made and may be used by several threads, which makes this
/// sendable.
final class BytePattern: @unchecked Sendable {
  /// As it was written.
  let text: String
  private let regex: OpaquePointer

  /// Why a text is no pattern.
  struct Fault: Error, Equatable {
    /// In GLib's words.
    let reason: String
    /// The character before which it was found, from 1: past the last one for something that is
    /// missing; nil where GLib does not say.
    let position: Int?
  }

  /// A name made a pattern take more steps than any sensible one does.
  struct TooManySteps: Error {}

  /// PCRE2 counts steps and gives up after so many: some hundredths of a second.
  ///
  /// Its own limit is ten times that, for each of what may be a million names, and 20 GB of memory.
  private static let limit = "(*LIMIT_MATCH=1000000)(*LIMIT_HEAP=65536)"

  init(_ text: String) throws(Fault) {
    self.text = text
    if text.utf8.contains(0) {
      throw Fault(reason: "a NUL byte", position: text.utf8.prefix { $0 != 0 }.count + 1)
    }
    var error: UnsafeMutablePointer<GError>?
    let regex = g_regex_new(
      Self.limit + text,
      G_REGEX_RAW,
      GRegexMatchFlags(rawValue: 0),
      &error
    )
    guard let regex else {
      let message = error.flatMap { $0.pointee.message.map { String(cString: $0) } } ?? ""
      if let error { g_error_free(error) }
      throw Self.fault(message)
    }
    self.regex = regex
  }

  deinit { g_regex_unref(regex) }

  /// What the pattern's first group captures, or all that matches where the pattern has no group.
  ///
  /// Nil where it does not match, or its group has no part in the match.
  func capture(in bytes: [UInt8]) throws(TooManySteps) -> [UInt8]? {
    // GLib counts in C's `int`. A path is never as long.
    guard bytes.count < Int(Int32.max) else { return nil }
    let group: Int32 = g_regex_get_capture_count(regex) > 0 ? 1 : 0
    var start: Int32 = -1
    var end: Int32 = -1
    var failed = false
    let characters = bytes.map { CChar(bitPattern: $0) } + [0]
    var match: OpaquePointer?
    var error: UnsafeMutablePointer<GError>?
    // The match points into the characters.
    characters.withUnsafeBufferPointer { buffer in
      let matches = g_regex_match_full(
        regex,
        buffer.baseAddress,
        bytes.count,
        0,
        GRegexMatchFlags(rawValue: 0),
        &match,
        &error
      )
      failed = error != nil
      if matches != 0, g_match_info_fetch_pos(match, group, &start, &end) == 0 { start = -1 }
      g_match_info_unref(match)
    }
    if let error { g_error_free(error) }
    if failed { throw TooManySteps() }
    guard start >= 0, end >= start else { return nil }
    return Array(bytes[Int(start)..<Int(end)])
  }

  /// GLib tells the position in its message only: `… at char 7: missing closing parenthesis`.
  private static func fault(_ message: String) -> Fault {
    let mark = " at char "
    guard let found = message.ranges(of: mark).last else {
      return Fault(reason: message, position: nil)
    }
    let rest = message[found.upperBound...]
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let offset = Int(digits), rest.dropFirst(digits.count).hasPrefix(": ") else {
      return Fault(reason: message, position: nil)
    }
    // In characters, those of the limit in front included.
    return Fault(
      reason: String(rest.dropFirst(digits.count + 2)),
      position: max(0, offset - limit.count) + 1
    )
  }
}
