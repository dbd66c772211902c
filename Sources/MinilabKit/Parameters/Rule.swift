/// A condition between parameters of one table.
public struct Rule<Owner: ParameterTable>: Sendable {
  /// What is expected, for the error and the documentation.
  public let text: String
  /// The keys it is about; an error points at the last of them that was written.
  public let keys: [String]
  /// What was found instead, or nil where the rule holds.
  ///
  /// Handed the value and the keys given.
  let check: @Sendable (Owner, Set<String>) -> String?

  public init(
    _ text: String,
    keys: [String],
    _ check: @escaping @Sendable (Owner, Set<String>) -> String?
  ) {
    self.text = text
    self.keys = keys
    self.check = check
  }

  /// No two of these keys together.
  public static func atMostOne(of keys: [String]) -> Rule {
    Rule("at most one of \(keys.joined(separator: ", "))", keys: keys) { _, given in
      let found = keys.filter(given.contains)
      return found.count > 1 ? found.joined(separator: " and ") : nil
    }
  }

  /// One of these keys, and only one.
  public static func exactlyOne(of keys: [String]) -> Rule {
    Rule("one of \(keys.joined(separator: ", "))", keys: keys) { _, given in
      let found = keys.filter(given.contains)
      if found.count == 1 { return nil }
      return found.isEmpty ? "none" : found.joined(separator: " and ")
    }
  }

  /// At least one of these keys.
  public static func atLeastOne(of keys: [String]) -> Rule {
    Rule("at least one of \(keys.joined(separator: ", "))", keys: keys) { _, given in
      keys.contains(where: given.contains) ? nil : "none"
    }
  }

  /// Where the first key is given, one of the others must be.
  public static func requires(_ key: String, oneOf others: [String]) -> Rule {
    Rule(
      "\(key) together with \(others.joined(separator: " or "))",
      keys: [key] + others
    ) { _, given in
      given.contains(key) && !others.contains(where: given.contains) ? "\(key) alone" : nil
    }
  }
}
