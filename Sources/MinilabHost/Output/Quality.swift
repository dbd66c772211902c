public import MinilabKit

/// How good a lossy picture is to be, on the scale of its encoder: 1 to 100.
public enum Quality: ParameterValue, Equatable, ExpressibleByIntegerLiteral {
  /// The format's own, which nobody has named.
  case usual(Int)
  case fixed(Int)
  /// The lowest at which nothing is seen.
  case automatic

  public init(integerLiteral number: Int) {
    self = .fixed(number)
  }

  /// As an encoder takes it; the best for one that is still to be found.
  public var number: Int {
    switch self {
    case .usual(let number), .fixed(let number): number
    case .automatic: Self.best
    }
  }

  /// Nil for one that is still to be found.
  var known: Int? { self == .automatic ? nil : number }

  static let best = 100

  public static var schema: Schema { .any([.integer, .choice([automaticWord])]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    switch node.value {
    case .string(automaticWord): return .automatic
    case .integer: return Int.decode(node, as: field, &problems).map(Self.fixed)
    default: return field.refuse(node, as: Self.self, &problems)
    }
  }

  public var literal: String { self == .automatic ? Self.automaticWord.literal : number.literal }

  private static let automaticWord = "auto"
}
