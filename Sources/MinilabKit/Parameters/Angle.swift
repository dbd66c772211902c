/// An angle, clockwise positive, as the viewer sees the picture.
public struct Angle: ParameterValue, Equatable {
  public var degrees: Double

  public init(degrees: Double) {
    self.degrees = degrees
  }

  /// The number of quarter turns (0 to 3) where the angle is a whole number of them.
  public var quarterTurns: Int? {
    let turns = degrees / 90
    guard turns == turns.rounded() else { return nil }
    return Int(turns.remainder(dividingBy: 4) + 4) % 4
  }

  public static var schema: Schema { .number }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    Double.decode(node, as: field, &problems).map(Angle.init(degrees:))
  }

  public var literal: String { degrees.literal }
}
