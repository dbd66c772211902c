public import MinilabKit

/// A setting that the camera finds itself, or is told.
public enum Automatic<Value: ParameterValue>: ParameterValue {
  case auto
  case fixed(Value)

  public static var schema: Schema { .any([.choice(["auto"]), Value.schema]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    switch node.text {
    case "auto"?: .auto
    case .some: field.refuse(node, as: Self.self, &problems)
    case nil: Value.decode(node, as: field, &problems).map(Self.fixed)
    }
  }

  public var literal: String {
    switch self {
    case .auto: "auto".literal
    case .fixed(let value): value.literal
    }
  }
}

/// Controls of a camera by their names, with what they are set to.
public struct ControlSettings: ParameterValue {
  public enum Setting: Sendable, Equatable {
    case number(Int)
    case flag(Bool)
    /// The name of a menu's entry.
    case word(String)
  }

  public var settings: [String: Setting] = [:]

  public init() {}

  public static var schema: Schema { .table([]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let entries = node.entries else { return field.refuse(node, as: Self.self, &problems) }
    var controls = ControlSettings()
    let before = problems.count
    for entry in entries {
      switch entry.node.value {
      case .integer(let number): controls.settings[entry.key] = .number(Int(number))
      case .boolean(let flag): controls.settings[entry.key] = .flag(flag)
      case .string(let word): controls.settings[entry.key] = .word(word)
      default:
        problems.append(
          Problem(
            .wrongType,
            at: entry.node.place,
            key: "\(field.key).\(entry.key)",
            expected: "a whole number, true or false, or the name of a menu's entry",
            received: entry.node.shown
          )
        )
      }
    }
    return problems.count == before ? controls : nil
  }

  public var literal: String {
    let entries = settings.sorted { $0.key < $1.key }.map { name, setting in
      switch setting {
      case .number(let number): "\(name) = \(number)"
      case .flag(let flag): "\(name) = \(flag)"
      case .word(let word): "\(name) = \(word.literal)"
      }
    }
    return entries.isEmpty ? "{}" : "{ \(entries.joined(separator: ", ")) }"
  }
}
