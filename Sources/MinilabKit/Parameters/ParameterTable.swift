/// A type whose values come from a table of a profile: an operation, a layer, an output format.
public protocol ParameterTable: Sendable {
  static var parameters: [Parameter<Self>] { get }
  /// What must hold between parameters.
  static var rules: [Rule<Self>] { get }
  /// All defaults.
  init()

  /// Reads a table. Every problem in it is added to `problems`; the result is nil where there was
  /// one. The usual way reads by `parameters` and `rules`; a type writes its own only where its
  /// keys cannot be known before the profile is read.
  ///
  /// `key`: the table's own path, for messages.
  /// `ignoring`: keys of the table that are somebody else's, such as `op`.
  static func decode(
    _ node: Node,
    key: String,
    ignoring: Set<String>,
    _ problems: inout [Problem]
  ) -> Self?
}

extension ParameterTable {
  public static var rules: [Rule<Self>] { [] }

  public static var descriptions: [ParameterDescription] { parameters.map(\.description) }

  public static func decode(
    _ node: Node,
    key: String,
    _ problems: inout [Problem]
  ) -> Self? {
    decode(node, key: key, ignoring: [], &problems)
  }

  public static func decode(
    _ node: Node,
    key: String,
    ignoring: Set<String>,
    _ problems: inout [Problem]
  ) -> Self? {
    guard let entries = node.entries else {
      problems.append(
        Problem(
          .wrongType,
          at: node.place,
          key: key,
          expected: "a table",
          received: node.shown
        )
      )
      return nil
    }
    let before = problems.count
    var owner = Self()
    var given: [String: Place] = [:]
    let rows = parameters
    for entry in entries where !ignoring.contains(entry.key) {
      given[entry.key] = entry.keyPlace
      guard let row = rows.first(where: { $0.name == entry.key }) else {
        problems.append(
          Problem(
            .unknownKey,
            at: entry.keyPlace,
            key: key,
            expected: expectedName(
              "a known key",
              for: entry.key,
              among: rows.map(\.name) + ignoring
            ),
            received: "\"\(entry.key)\""
          )
        )
        continue
      }
      row.decode(entry.node, key.isEmpty ? row.name : "\(key).\(row.name)", &owner, &problems)
    }
    for row in rows where row.isRequired && given[row.name] == nil {
      problems.append(
        Problem(
          .missing,
          at: node.place,
          key: key,
          expected: "the key \"\(row.name)\"",
          received: "none"
        )
      )
    }
    // A rule is about values; it says nothing useful about a table whose values are wrong.
    guard problems.count == before else { return nil }
    for rule in rules {
      guard let fault = rule.check(owner, Set(given.keys)) else { continue }
      let place =
        rule.keys.compactMap { given[$0] }.max { ($0.line, $0.column) < ($1.line, $1.column) }
      problems.append(
        Problem(
          .conflict,
          at: place ?? node.place,
          key: key,
          expected: rule.text,
          received: fault
        )
      )
    }
    return problems.count == before ? owner : nil
  }
}
