import MinilabKit

/// What a table of a profile says, for a caption: a line for each key, as TOML writes it.
enum SettingsText {
  /// Longer values are cut: a caption is no place for a path of a thousand points.
  private static let longestLine = 180
  private static let mostLines = 14

  static func lines(of table: Node, leavingOut left: Set<String>) -> [String] {
    var lines: [String] = []
    for entry in table.entries ?? [] where !left.contains(entry.key) {
      lines += self.lines(of: entry)
    }
    let more = lines.count - mostLines
    guard more > 0 else { return lines }
    return lines.prefix(mostLines - 1) + ["… and \(more + 1) more lines"]
  }

  /// A list of tables, such as the layers of a composition, has a line for each.
  private static func lines(of entry: Node.Entry) -> [String] {
    if let items = entry.node.items, items.count > 1, items.allSatisfy({ $0.entries != nil }) {
      return items.enumerated().map { index, item in
        cut("\(shownAddress([entry.key])) \(index + 1): \(inside(item))")
      }
    }
    return [cut("\(shownAddress([entry.key])) = \(literal(entry.node))")]
  }

  private static func literal(_ node: Node) -> String {
    switch node.value {
    case .string(let text): "\"\(Path(text).shown)\""
    case .integer(let number): "\(number)"
    case .float(let number): number.literal
    case .boolean(let flag): "\(flag)"
    case .date(let text): text
    case .array(let items): "[" + items.map(literal).joined(separator: ", ") + "]"
    case .table: "{ \(inside(node)) }"
    }
  }

  private static func inside(_ table: Node) -> String {
    (table.entries ?? []).map { "\(shownAddress([$0.key])) = \(literal($0.node))" }
      .joined(separator: ", ")
  }

  private static func cut(_ line: String) -> String {
    line.count > longestLine ? line.prefix(longestLine - 1) + "…" : line
  }
}
