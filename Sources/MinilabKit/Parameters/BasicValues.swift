extension Double: ParameterValue {
  public static var schema: Schema { .number }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Double? {
    let number: Double
    switch node.value {
    case .integer(let whole): number = Double(whole)
    case .float(let float): number = float
    default: return field.refuse(node, as: Self.self, &problems)
    }
    return field.admits(number, node, &problems) ? number : nil
  }

  public var literal: String { self == rounded() && abs(self) < 1e15 ? "\(Int(self))" : "\(self)" }
}

extension Int: ParameterValue {
  public static var schema: Schema { .integer }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Int? {
    guard case .integer(let whole) = node.value else {
      return field.refuse(node, as: Self.self, &problems)
    }
    return field.admits(Double(whole), node, &problems) ? Int(whole) : nil
  }

  public var literal: String { "\(self)" }
}

extension Bool: ParameterValue {
  public static var schema: Schema { .boolean }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Bool? {
    guard case .boolean(let flag) = node.value else {
      return field.refuse(node, as: Self.self, &problems)
    }
    return flag
  }

  public var literal: String { "\(self)" }
}

extension String: ParameterValue {
  public static var schema: Schema { .string }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> String? {
    guard let text = node.text else { return field.refuse(node, as: Self.self, &problems) }
    return text
  }

  public var literal: String { tomlQuoted(self) }
}

/// Text as a TOML basic string.
func tomlQuoted(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": quoted += "\\\""
    case "\\": quoted += "\\\\"
    case "\n": quoted += "\\n"
    case "\t": quoted += "\\t"
    case _ where scalar.value < 0x20 || scalar.value == 0x7f:
      let digits = String(scalar.value, radix: 16)
      quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  return quoted + "\""
}

/// One of a fixed list of words: `enum Fit: String, CaseIterable, ParameterChoice`.
public protocol ParameterChoice: ParameterValue, CaseIterable, RawRepresentable
where RawValue == String {}

extension ParameterChoice {
  public static var schema: Schema { .choice(allCases.map(\.rawValue)) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let word = node.text else { return field.refuse(node, as: Self.self, &problems) }
    if let choice = Self(rawValue: word) { return choice }
    let names = allCases.map(\.rawValue)
    let hint = nearestName(to: word, among: names).map { " (did you mean \"\($0)\"?)" } ?? ""
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: field.key,
        expected: schema.text + hint,
        received: node.shown
      )
    )
    return nil
  }

  public var literal: String { tomlQuoted(rawValue) }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
  public static var schema: Schema { Wrapped.schema }

  public static func decode(
    _ node: Node,
    as field: Field,
    _ problems: inout [Problem]
  ) -> Wrapped?? {
    Wrapped.decode(node, as: field, &problems).map { .some($0) }
  }

  public var literal: String { self?.literal ?? "" }
}

extension Array: ParameterValue where Element: ParameterValue {
  public static var schema: Schema { .array(Element.schema, count: nil) }

  public static func decode(
    _ node: Node,
    as field: Field,
    _ problems: inout [Problem]
  ) -> [Element]? {
    guard let items = node.items else { return field.refuse(node, as: Self.self, &problems) }
    let before = problems.count
    let elements = items.enumerated().compactMap {
      Element.decode($1, as: field.element($0), &problems)
    }
    return problems.count == before ? elements : nil
  }

  public var literal: String { "[" + map(\.literal).joined(separator: ", ") + "]" }
}

/// Two values of one kind along the axes, x before y: `[w, h]`.
public struct Pair<Element: ParameterValue>: ParameterValue {
  public var x: Element
  public var y: Element

  public init(_ x: Element, _ y: Element) {
    self.x = x
    self.y = y
  }

  public static var schema: Schema { .array(Element.schema, count: 2) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let items = node.items, items.count == 2 else {
      return field.refuse(node, as: Self.self, &problems)
    }
    let x = Element.decode(items[0], as: field.element(0), &problems)
    let y = Element.decode(items[1], as: field.element(1), &problems)
    guard let x, let y else { return nil }
    return Self(x, y)
  }

  public var literal: String { "[\(x.literal), \(y.literal)]" }
}

extension Pair: Equatable where Element: Equatable {}
