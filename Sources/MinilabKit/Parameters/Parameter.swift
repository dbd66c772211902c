/// What a parameter is measured in.
public enum Unit: String, Sendable {
  /// A count, a word, a switch: nothing that is measured.
  case none
  case pixels
  /// Of a view or a frame that somebody drew on, whatever they are.
  case viewUnits = "view units"
  case pixelsPerInch = "pixels per inch"
  case percent
  case degrees
  case seconds
  case levels
  case ratio
  case kelvin
}

/// One row of a parameter table: a key, where its value goes, and what is allowed.
///
/// The default is whatever the owner's initializer leaves at the key path, written once.
public struct Parameter<Owner: ParameterTable>: Sendable {
  public let name: String
  public let help: String
  public let unit: Unit
  public let schema: Schema
  public let range: ClosedRange<Double>?
  public let isRequired: Bool
  /// The rows of a nested table, described; empty for a plain value.
  public let nested: @Sendable () -> [ParameterDescription]
  /// The rules of a nested table, in words.
  private let nestedRules: @Sendable () -> [String]
  let decode: @Sendable (Node, String, inout Owner, inout [Problem]) -> Void
  /// What the owner holds at the key path, as TOML writes it.
  let literal: @Sendable (Owner) -> String

  public init<Value: ParameterValue>(
    _ name: String,
    _ keyPath: any WritableKeyPath<Owner, Value> & Sendable,
    in range: ClosedRange<Double>? = nil,
    unit: Unit = .none,
    required: Bool = false,
    help: String
  ) {
    self.name = name
    self.help = help
    self.unit = unit
    self.range = range
    schema = Value.schema
    isRequired = required
    nested = { [] }
    nestedRules = { [] }
    decode = { node, key, owner, problems in
      if let value = Value.decode(node, as: Field(key, in: range), &problems) {
        owner[keyPath: keyPath] = value
      }
    }
    literal = { $0[keyPath: keyPath].literal }
  }

  /// A list of tables, such as `[[step.layer]]`.
  public init<Item: ParameterTable>(
    _ name: String,
    _ keyPath: any WritableKeyPath<Owner, [Item]> & Sendable,
    help: String
  ) {
    self.name = name
    self.help = help
    unit = .none
    range = nil
    schema = .array(.table(Item.parameters.map(\.name)), count: nil)
    isRequired = false
    nested = { Item.descriptions }
    nestedRules = { Item.rules.map(\.text) }
    decode = { node, key, owner, problems in
      guard let items = node.items else {
        problems.append(
          Problem(
            .wrongType,
            at: node.place,
            key: key,
            expected: "a list of tables ([[\(key)]])",
            received: node.shown
          )
        )
        return
      }
      owner[keyPath: keyPath] = items.enumerated().compactMap {
        Item.decode($1, key: "\(key)[\($0)]", &problems)
      }
    }
    literal = { _ in "[]" }
  }

  /// A table that may be left out, such as the `shape` of a layer: `shape = { … }` or
  /// `[step.layer.shape]`.
  public init<Item: ParameterTable>(
    table name: String,
    _ keyPath: any WritableKeyPath<Owner, Item?> & Sendable,
    help: String
  ) {
    self.name = name
    self.help = help
    unit = .none
    range = nil
    schema = .table(Item.parameters.map(\.name))
    isRequired = false
    nested = { Item.descriptions }
    nestedRules = { Item.rules.map(\.text) }
    decode = { node, key, owner, problems in
      owner[keyPath: keyPath] = Item.decode(node, key: key, &problems)
    }
    literal = { _ in "" }
  }

  /// A row of a table that the owner holds, as a row of the owner's own.
  fileprivate init<Part: ParameterTable>(
    _ row: Parameter<Part>,
    of part: any WritableKeyPath<Owner, Part> & Sendable
  ) {
    name = row.name
    help = row.help
    unit = row.unit
    range = row.range
    schema = row.schema
    isRequired = row.isRequired
    nested = row.nested
    nestedRules = row.nestedRules
    decode = { node, key, owner, problems in
      row.decode(node, key, &owner[keyPath: part], &problems)
    }
    literal = { row.literal($0[keyPath: part]) }
  }

  public var description: ParameterDescription {
    ParameterDescription(
      name: name,
      help: help,
      unit: unit,
      schema: schema,
      range: range,
      isRequired: isRequired,
      defaultLiteral: literal(Owner()),
      nested: nested(),
      nestedRules: nestedRules()
    )
  }
}

extension ParameterTable {
  /// The rows of this table as rows of an owner that holds one: its keys then stand among the
  /// owner's, on one level.
  public static func rows<Owner: ParameterTable>(
    at part: any WritableKeyPath<Owner, Self> & Sendable
  ) -> [Parameter<Owner>] {
    parameters.map { Parameter($0, of: part) }
  }

  /// The rules of this table as rules of an owner that holds its rows.
  public static func rules<Owner: ParameterTable>(
    at part: any WritableKeyPath<Owner, Self> & Sendable
  ) -> [Rule<Owner>] {
    rules.map { rule in
      Rule(rule.text, keys: rule.keys) { owner, given in rule.check(owner[keyPath: part], given) }
    }
  }
}

/// A row without its owner's type: what help, documentation and the JSON Schema are made from.
public struct ParameterDescription: Sendable {
  public let name: String
  public let help: String
  public let unit: Unit
  public let schema: Schema
  public let range: ClosedRange<Double>?
  public let isRequired: Bool
  /// The default as TOML, empty where the parameter is unset by default.
  public let defaultLiteral: String
  /// The rows of a nested table; empty for a plain value.
  public let nested: [ParameterDescription]
  /// The rules of a nested table, in words.
  public let nestedRules: [String]

  /// What may be written, in words, with range and unit.
  public var accepted: String {
    var text = schema.text
    if let range { text += ", \(shownRange(range))" }
    switch unit {
    case .none, .ratio: break
    default: text += " (\(unit.rawValue))"
    }
    return text
  }
}
