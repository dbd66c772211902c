/// A value of a profile together with its place: what TOML text becomes before anything knows
/// what it means.
public struct Node: Sendable, Codable {
  public indirect enum Value: Sendable, Codable {
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    /// A date or a time, as TOML writes it. No parameter takes one.
    case date(String)
    case array([Node])
    case table([Entry])
  }

  /// One key of a table.
  public struct Entry: Sendable, Codable {
    public var key: String
    public var keyPlace: Place
    public var node: Node

    public init(key: String, keyPlace: Place, node: Node) {
      self.key = key
      self.keyPlace = keyPlace
      self.node = node
    }
  }

  public var value: Value
  public var place: Place

  public init(_ value: Value, at place: Place) {
    self.value = value
    self.place = place
  }

  /// How an error message speaks of this value: on one line, and not longer than a line.
  public var shown: String {
    switch value {
    case .string(let text):
      // Not letters: one of them can have any number of marks.
      "\"\(Path(String(text.unicodeScalars.prefix(80))).shown)\(text.unicodeScalars.count > 80 ? "…" : "")\""
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date(let text): "the date \(text)"
    case .array(let items): "an array of \(items.count)"
    case .table: "a table"
    }
  }

  /// The entries of a table; nil for anything else.
  public var entries: [Entry]? {
    if case .table(let entries) = value { entries } else { nil }
  }

  /// The items of an array; nil for anything else.
  public var items: [Node]? {
    if case .array(let items) = value { items } else { nil }
  }

  /// The text of a string; nil for anything else.
  public var text: String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// The value under a key of a table.
  public subscript(key: String) -> Node? {
    entries?.first { $0.key == key }?.node
  }
}
