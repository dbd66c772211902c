import MinilabKit

/// A syntax error of toml++, put into the words of every other problem.
///
/// The messages read `Error while parsing SCOPE: expected THIS, saw THAT` or
/// `Error while parsing SCOPE: REMARK`. Of a message of another form nothing is lost: it is shown
/// whole.
struct SyntaxError {
  let message: String
  let text: [UInt8]
  let place: Place

  var problem: Problem {
    let (expected, received) = words
    return Problem(.syntax, at: place, key: "", expected: expected, received: received)
  }

  private var words: (expected: String, received: String) {
    let parts = message.trimmingPrefix("Error while parsing ").split(
      separator: ": ",
      maxSplits: 1
    )
    guard message.hasPrefix("Error while parsing "), parts.count == 2 else {
      if message.hasPrefix("nested too deeply") {
        return ("arrays and tables of a sane depth", message)
      }
      if message.contains("utf-8") { return ("UTF-8 text", "bytes that are none") }
      return ("TOML", message)
    }
    let scope = String(parts[0])
    let remark = String(parts[1])
    if remark.hasPrefix("could not determine value type") {
      return ("a value\(Self.quotesHint)", token)
    }
    if remark == "encountered end-of-file" {
      if scope == "key-value pair" { return ("an equals sign and a value", "the end of the file") }
      return ("the end of the \(scope)", "the end of the file")
    }
    if remark.hasPrefix("cannot redefine") {
      return ("each key and each table once", "\(quoted(in: remark)) again")
    }
    if remark.contains("is not representable in 64 bits") {
      return ("a whole number of at most 64 bits", quoted(in: remark))
    }
    if remark.hasPrefix("exceeded maximum nested value depth") {
      return ("arrays and tables of a sane depth", "hundreds inside each other")
    }
    if scope == "string", remark.hasPrefix("unescaped control characters") {
      return ("the closing quotes of the string", "a line break or another control character")
    }
    guard remark.hasPrefix("expected "), let saw = remark.firstRange(of: ", saw ") else {
      return ("a correct \(scope)", "an error in it: \(remark)")
    }
    let start = remark.index(remark.startIndex, offsetBy: "expected ".count)
    // A ratio or a time of day without quotes is taken for a number or a date that goes wrong.
    let hint = Self.scopesOfBareValues.contains(scope) ? Self.quotesHint : ""
    return (
      String(remark[start..<saw.lowerBound]) + hint, Self.named(String(remark[saw.upperBound...]))
    )
  }

  private static let quotesHint = " (text stands in quotes)"

  private static let scopesOfBareValues: Set<String> = [
    "value", "date", "time", "date-time", "decimal integer", "floating-point", "boolean",
  ]

  /// A character that cannot be seen, by its name.
  private static func named(_ received: String) -> String {
    switch received {
    case "'\\n'", "'\\r'": "the end of the line"
    default: received
    }
  }

  /// What a message has in quotes, with them.
  private func quoted(in message: String) -> String {
    guard let start = message.firstIndex(of: "'"), let end = message.lastIndex(of: "'"),
      start < end
    else { return "the same" }
    return String(message[start...end])
  }

  /// The word at the place of the error.
  private var token: String {
    let lines = String(decoding: text, as: UTF8.self).split(
      omittingEmptySubsequences: false,
      whereSeparator: { $0 == "\n" || $0 == "\r\n" }
    )
    guard lines.indices.contains(place.line - 1) else { return "something else" }
    let scalars = lines[place.line - 1].unicodeScalars.dropFirst(place.column - 1)
    let word = scalars.prefix { !" \t,]}#".unicodeScalars.contains($0) }
    return word.isEmpty ? "something else" : Path(String(word.prefix(60))).shown
  }
}
