import MinilabKit

/// `docs/operations.md`: what every key of a profile accepts, from the parameter tables.
struct OperationsPage {
  let operations: [OperationEntry]

  var markdown: String {
    """
    # Operations and keys

    This page is made by `minilab ops --markdown`. How a profile is put together tells
    [profiles.md](profiles.md).

    ## Operations

    \(operations.map { "- [`\($0.name)`](#\($0.name)): \($0.summary)" }.joined(separator: "\n"))

    \(operations.map(Self.section).joined(separator: "\n"))
    ## `[input]`

    \(Self.table(InputPolicy.descriptions))

    ## `[gather]`

    \(Self.table(Gather.descriptions))

    ## `[[output]]`

    \(Self.table(OutputSettings.descriptions))

    Beside these stand the options of the format. An output without `format` may name any of
    them; each format takes those it has.

    \(pictureEncoders.map { Self.section($0) }.joined(separator: "\n"))
    ## Codes

    Notes tell a loss or a choice on a picture that was done.

    | note | meaning |
    |---|---|
    \(Note.Code.allCases.map { "| `\($0.rawValue)` | \($0.meaning) |" }.joined(separator: "\n"))

    Errors tell why a picture failed.

    | error | meaning |
    |---|---|
    \(ItemError.Code.allCases.map { "| `\($0.rawValue)` | \($0.meaning) |" }.joined(separator: "\n"))

    """
  }

  private static func section(_ operation: OperationEntry) -> String {
    var text = "### \(operation.name)\n\n\(operation.summary)\n\n"
    if !operation.parameters.isEmpty { text += table(operation.parameters) + "\n\n" }
    for row in operation.parameters { text += nestedTables(row, below: "step") }
    if !operation.rules.isEmpty {
      text += "Expected: \(operation.rules.joined(separator: "; ")).\n\n"
    }
    for example in operation.examples {
      text += "\(example.summary)\n\n```toml\n\(operation.step(example))\n```\n\n"
    }
    return text
  }

  /// The tables that stand below a row, at any depth.
  private static func nestedTables(_ row: ParameterDescription, below path: String) -> String {
    guard !row.nested.isEmpty else { return "" }
    let address = "\(path).\(row.name)"
    let header = if case .table = row.schema { "[\(address)]" } else { "[[\(address)]]" }
    return row.nested.reduce("`\(header)`:\n\n\(table(row.nested))\n\n") {
      $0 + nestedTables($1, below: address)
    }
  }

  private static func section(_ encoder: any PictureEncoder.Type) -> String {
    let alpha = encoder.holdsAlpha ? "holds transparency" : "holds no transparency"
    var text = "### \(encoder.format.shown)\n\n"
    text +=
      "`format = \"\(encoder.format.rawValue)\"`, extension `\(encoder.format.fileExtension)`; "
    text += "at most \(encoder.longestSide) pixels a side; \(alpha).\n\n"
    text += table(encoder.descriptions) + "\n"
    let rules = ruleTexts(encoder)
    if !rules.isEmpty { text += "\nExpected: \(rules.joined(separator: "; ")).\n" }
    return text
  }

  private static func ruleTexts<Encoder: PictureEncoder>(_ type: Encoder.Type) -> [String] {
    type.rules.map(\.text)
  }

  private static func table(_ rows: [ParameterDescription]) -> String {
    let lines = rows.map { row in
      let value =
        row.isRequired
        ? "required" : row.defaultLiteral.isEmpty ? "unset" : "`\(row.defaultLiteral)`"
      return "| `\(row.name)` | \(cell(row.accepted)) | \(cell(value)) | \(cell(row.help)) |"
    }
    return (["| key | accepts | default | meaning |", "|---|---|---|---|"] + lines)
      .joined(separator: "\n")
  }

  /// A bar would end the cell.
  private static func cell(_ text: String) -> String {
    text.map { $0 == "|" ? "\\|" : String($0) }.joined()
  }
}
