public import MinilabKit

/// What becomes of a picture outside a shape.
public enum Outside: ParameterValue, Equatable {
  case transparent
  case color(Color)
  /// Darker, and still to be seen.
  case dim

  public static var schema: Schema { .any([.choice(["transparent", "dim"]), .color]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    switch node.text {
    case "transparent": return .transparent
    case "dim": return .dim
    case .some:
      // What is no color may be meant as one of the words.
      var ignored: [Problem] = []
      guard let color = Color.decode(node, as: field, &ignored) else {
        return field.refuse(node, as: Self.self, &problems)
      }
      return .color(color)
    case nil: return Color.decode(node, as: field, &problems).map(Outside.color)
    }
  }

  public var literal: String {
    switch self {
    case .transparent: "transparent".literal
    case .dim: "dim".literal
    case .color(let color): color.literal
    }
  }

  /// Where a picture was opaque, it may no longer be.
  var addsTransparency: Bool {
    switch self {
    case .transparent: true
    case .color(let color): !color.isOpaque
    case .dim: false
    }
  }
}
