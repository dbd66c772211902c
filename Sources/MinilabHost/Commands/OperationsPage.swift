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

    ## `[limits]`

    What a run as a whole may use up; the limits of a single picture are keys of `[input]`. On the
    command line each is `--limit KEY=VALUE`.

    \(Self.table(RunLimits.descriptions))

    ## `[gather]`

    \(Self.table(Gather.descriptions))

    ## `[notes]`

    \(Self.table(NotePolicy.descriptions))

    The codes stand at the end of this page.

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
    var paragraphs = ["### \(operation.name)", operation.summary]
    if !operation.parameters.isEmpty { paragraphs.append(table(operation.parameters)) }
    paragraphs += expected(operation.rules)
    paragraphs += operation.parameters.flatMap { nestedTables($0, below: "step") }
    paragraphs += operation.examples.flatMap {
      [$0.summary, "```toml\n\(operation.step($0))\n```"]
    }
    return joined(paragraphs)
  }

  /// The tables that stand below a row, at any depth.
  private static func nestedTables(_ row: ParameterDescription, below path: String) -> [String] {
    guard !row.nested.isEmpty else { return [] }
    let address = "\(path).\(row.name)"
    let header = if case .table = row.schema { "[\(address)]" } else { "[[\(address)]]" }
    return ["`\(header)`:", table(row.nested)] + expected(row.nestedRules)
      + row.nested.flatMap { nestedTables($0, below: address) }
  }

  private static func section(_ encoder: any PictureEncoder.Type) -> String {
    let alpha = encoder.holdsAlpha ? "holds transparency" : "holds no transparency"
    let head =
      "`format = \"\(encoder.format.rawValue)\"`, extension `\(encoder.format.fileExtension)`; "
      + "at most \(encoder.longestSide) pixels a side; \(alpha)."
    return joined(
      ["### \(encoder.format.shown)", head, table(encoder.descriptions)]
        + expected(ruleTexts(encoder))
    )
  }

  /// Rules, as a paragraph of their own.
  private static func expected(_ rules: [String]) -> [String] {
    rules.isEmpty ? [] : ["Expected: \(rules.joined(separator: "; "))."]
  }

  private static func joined(_ paragraphs: [String]) -> String {
    paragraphs.joined(separator: "\n\n") + "\n"
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
