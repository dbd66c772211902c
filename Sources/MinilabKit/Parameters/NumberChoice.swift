/// One of a few whole numbers: `enum Depth: Int, NumberChoice`.
public protocol NumberChoice: ParameterValue, CaseIterable, RawRepresentable
where RawValue == Int {}

extension NumberChoice {
  public static var schema: Schema { .numbers(allCases.map(\.rawValue)) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard case .integer(let number) = node.value, let whole = Int(exactly: number),
      let choice = Self(rawValue: whole)
    else { return field.refuse(node, as: Self.self, &problems) }
    return choice
  }

  public var literal: String { rawValue.literal }
}
