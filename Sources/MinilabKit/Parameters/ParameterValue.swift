/// A type that a parameter can hold: how it reads from a profile, and how it describes itself.
public protocol ParameterValue: Sendable {
  /// What a profile may write here.
  static var schema: Schema { get }
  /// Reads a value; what is wrong with it is added to `problems`, and then the result is nil.
  static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self?
  /// The value as TOML writes it, for the documentation of defaults.
  var literal: String { get }
}

/// Where a value is being read: the key's path for messages, and the limits of its row.
public struct Field: Sendable {
  public var key: String
  public var range: ClosedRange<Double>?

  public init(_ key: String, in range: ClosedRange<Double>? = nil) {
    self.key = key
    self.range = range
  }

  public func element(_ index: Int) -> Field { Field("\(key)[\(index)]", in: range) }

  /// True where the number may stand here; else a problem is added.
  public func admits(_ number: Double, _ node: Node, _ problems: inout [Problem]) -> Bool {
    let isInside = number.isFinite && (range?.contains(number) ?? true)
    if !isInside {
      problems.append(
        Problem(
          .outOfRange,
          at: node.place,
          key: key,
          expected: range.map(shownRange) ?? "a finite number",
          received: node.shown
        )
      )
    }
    return isInside
  }

  /// Adds the problem of a value of another kind.
  public func refuse<Value: ParameterValue>(
    _ node: Node,
    as type: Value.Type,
    _ problems: inout [Problem]
  ) -> Value? {
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: key,
        expected: type.schema.text,
        received: node.shown
      )
    )
    return nil
  }
}

/// A range in words: `0.01 to 10`, `1 or more`, `1 to 300_000_000`.
public func shownRange(_ range: ClosedRange<Double>) -> String {
  func shown(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? grouped(Int(number)) : "\(number)"
  }
  if range.upperBound >= 1e15 { return "\(shown(range.lowerBound)) or more" }
  return "\(shown(range.lowerBound)) to \(shown(range.upperBound))"
}

/// As TOML lets one write it: large numbers in groups of three digits.
private func grouped(_ number: Int) -> String {
  let digits = Array("\(number.magnitude)")
  guard digits.count > 4 else { return "\(number)" }
  let groups = digits.enumerated().map { place, digit in
    (place > 0 && (digits.count - place) % 3 == 0 ? "_" : "") + String(digit)
  }
  return (number < 0 ? "-" : "") + groups.joined()
}

/// What a parameter accepts, as data: the source of help texts and of the JSON Schema.
public indirect enum Schema: Sendable, Equatable {
  case number
  case integer
  case boolean
  case string
  case choice([String])
  case numbers([Int])
  case length
  case color
  case file
  case array(Schema, count: Int?)
  case table([String])
  case any([Schema])

  public var text: String {
    switch self {
    case .number: "a number"
    case .integer: "a whole number"
    case .boolean: "true or false"
    case .string: "text"
    case .choice(let names): names.map { "\"\($0)\"" }.joined(separator: " | ")
    case .numbers(let numbers): numbers.map { "\($0)" }.joined(separator: " | ")
    case .length: "a length (120, \"12.5%\" or \"1/3\")"
    case .color: "a color (\"white\", \"#rrggbb\" or [r, g, b])"
    case .file: "a file"
    case .array(let element, let count?): "[\(count) × \(element.text)]"
    case .array(let element, nil): "an array of \(element.text)"
    case .table([]): "a table"
    case .table(let keys): "a table (\(keys.joined(separator: ", ")))"
    case .any(let schemas): schemas.map(\.text).joined(separator: " or ")
    }
  }
}
