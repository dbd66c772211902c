/// How round the corners of a rectangle are: one radius for all, or one for each.
public struct CornerRadii: ParameterValue, Equatable {
  public var topLeft: Length
  public var topRight: Length
  public var bottomRight: Length
  public var bottomLeft: Length

  public init(topLeft: Length, topRight: Length, bottomRight: Length, bottomLeft: Length) {
    self.topLeft = topLeft
    self.topRight = topRight
    self.bottomRight = bottomRight
    self.bottomLeft = bottomLeft
  }

  /// The same at all four corners.
  public init(_ radius: Length) {
    self.init(topLeft: radius, topRight: radius, bottomRight: radius, bottomLeft: radius)
  }

  private var all: [Length] { [topLeft, topRight, bottomRight, bottomLeft] }

  public static var schema: Schema { .any([.length, .array(.length, count: 4)]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let items = node.items else {
      return Length.decode(node, as: field, &problems).map { Self($0) }
    }
    guard items.count == 4 else { return field.refuse(node, as: Self.self, &problems) }
    let radii = items.enumerated().compactMap {
      Length.decode($1, as: field.element($0), &problems)
    }
    guard radii.count == 4 else { return nil }
    return Self(
      topLeft: radii[0],
      topRight: radii[1],
      bottomRight: radii[2],
      bottomLeft: radii[3]
    )
  }

  public var literal: String {
    if all.allSatisfy({ $0 == topLeft }) { return topLeft.literal }
    return "[\(all.map(\.literal).joined(separator: ", "))]"
  }
}
