import MinilabKit

/// An operation in full, as a terminal shows it.
struct OperationText {
  let operation: OperationEntry

  var text: String {
    var sections = ["\(operation.name), version \(operation.version)\n\(operation.summary)\n"]
    if !operation.parameters.isEmpty {
      let rows = operation.parameters.map { Self.row($0, indent: "  ") }
      sections.append("Parameters\n\(rows.joined(separator: "\n"))")
    }
    if !operation.rules.isEmpty {
      sections.append("Rules\n" + operation.rules.map { "  \($0)\n" }.joined())
    }
    if !operation.examples.isEmpty {
      let examples = operation.examples.map { example in
        "  \(example.summary)\n\n\(Self.indented(operation.step(example), by: "    "))"
      }
      sections.append("Examples\n\(examples.joined(separator: "\n"))")
    }
    return sections.joined(separator: "\n")
  }

  private static func row(_ row: ParameterDescription, indent: String) -> String {
    var lines = [
      wrapped("\(row.name) = \(row.accepted)", first: indent, rest: indent + "      "),
      wrapped(row.help, first: indent + "    ", rest: indent + "    "),
    ]
    if row.isRequired {
      lines.append("\(indent)    Required.")
    } else if !row.defaultLiteral.isEmpty, row.nested.isEmpty {
      lines.append("\(indent)    Default: \(row.defaultLiteral)")
    }
    let inner = indent + "    "
    lines += row.nested.map { Self.row($0, indent: inner) }
    if !row.nestedRules.isEmpty {
      lines.append("\(inner)Rules of \(row.name)")
      lines += row.nestedRules.map { wrapped($0, first: inner + "  ", rest: inner + "    ") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Broken between words, so that no line is wider than a terminal of 80 columns.
  private static func wrapped(_ text: String, first: String, rest: String) -> String {
    var lines: [String] = []
    var line = first
    for word in text.split(separator: " ") {
      let isStart = line == first || line == rest
      if !isStart, line.count + 1 + word.count > 79 {
        lines.append(line)
        line = rest + word
      } else {
        line += isStart ? word : " " + word
      }
    }
    return (lines + [line]).joined(separator: "\n")
  }

  private static func indented(_ text: String, by indent: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "\n" : "\(indent)\($0)\n" }.joined()
  }
}

extension OperationEntry {
  /// An example as it stands in a profile.
  func step(_ example: Example) -> String {
    let toml = example.toml.split(separator: "\n", omittingEmptySubsequences: false)
      .reversed().drop(while: \.isEmpty).reversed().joined(separator: "\n")
    return "[[step]]\nop = \"\(name)\"" + (toml.isEmpty ? "" : "\n\(toml)")
  }
}
