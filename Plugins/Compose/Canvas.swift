public import MinilabKit

/// The size of the canvas.
public enum Canvas: ParameterValue, Equatable {
  case size(Pair<Length>)
  /// That of the unit's first frame.
  case frame
  /// The smallest that holds all layers.
  case fit

  public static var schema: Schema {
    .any([.array(.length, count: 2), .choice(["frame", "fit"])])
  }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    switch node.text {
    case "frame": return .frame
    case "fit": return .fit
    case nil where node.items != nil:
      guard let size = Pair<Length>.decode(node, as: field, &problems) else { return nil }
      for side in [size.x, size.y] where side.pixels(of: 1000) <= 0 {
        problems.append(
          Problem(
            .outOfRange,
            at: node.place,
            key: field.key,
            expected: "sides above 0",
            received: side.literal
          )
        )
        return nil
      }
      return .size(size)
    default: return field.refuse(node, as: Self.self, &problems)
    }
  }

  public var literal: String {
    switch self {
    case .size(let size): size.literal
    case .frame: "frame".literal
    case .fit: "fit".literal
    }
  }
}

/// What lies behind all layers.
public enum Background: ParameterValue, Equatable {
  case color(Color)
  /// Fills the canvas; what sticks out is cut.
  case picture(FileReference)

  public static var schema: Schema { .any([.color, .file]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    var ignored: [Problem] = []
    if let color = Color.decode(node, as: field, &ignored) { return .color(color) }
    guard let text = node.text, !text.isEmpty, !text.hasPrefix("#") else {
      problems += ignored
      return nil
    }
    var missing: [Problem] = []
    if let file = FileReference.decode(node, as: field, &missing) { return .picture(file) }
    problems.append(
      Problem(
        .noSuchFile,
        at: node.place,
        key: field.key,
        expected: "\(Color.schema.text) or a file that can be read",
        received: node.shown
      )
    )
    return nil
  }

  public var literal: String {
    switch self {
    case .color(let color): color.literal
    case .picture(let file): file.literal
    }
  }
}
