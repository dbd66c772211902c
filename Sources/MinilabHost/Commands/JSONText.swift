/// A JSON value whose keys keep their order.
indirect enum JSONText {
  case string(String)
  case integer(Int64)
  case number(Double)
  case boolean(Bool)
  case array([JSONText])
  case object([(key: String, value: JSONText)])

  /// Over several lines, indented by two spaces.
  ///
  /// Arrays of plain values stay on one line.
  func indented(by indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .array(let items) where items.contains(where: \.isComposed):
      let lines = items.map { inner + $0.indented(by: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
    case .array(let items):
      return "[" + items.map { $0.indented() }.joined(separator: ", ") + "]"
    case .object(let entries) where !entries.isEmpty:
      let lines = entries.map { "\(inner)\(quoted($0.key)): \($0.value.indented(by: inner))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    case .object: return "{}"
    case .string(let text): return quoted(text)
    case .integer(let number): return "\(number)"
    // JSON has no infinity; none is a default or a limit.
    case .number(let number): return number.isFinite ? "\(number)" : "null"
    case .boolean(let flag): return "\(flag)"
    }
  }

  private var isComposed: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  private func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      // Also line ends that some readers of JSON lines split at.
      case _ where scalar.value < 0x20, "\u{7f}", "\u{85}", "\u{2028}", "\u{2029}":
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
