import Glibc

/// Text for people and scripts, written at once and whole.
enum Console {
  /// To standard output.
  ///
  /// Where that takes no more, the program ends: a script must not take half
  /// an answer for a whole one.
  static func print(_ text: String) {
    guard let code = write(text, to: STDOUT_FILENO) else { return }
    warn("minilab: standard output: \(String(cString: strerror(code)))\n")
    exit(ExitStatus.someFailed.rawValue)
  }

  /// To standard error; where that is closed there is nobody to tell.
  static func warn(_ text: String) {
    _ = write(text, to: STDERR_FILENO)
  }

  /// - Returns: `errno` where not all could be written.
  private static func write(_ text: String, to descriptor: CInt) -> CInt? {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
