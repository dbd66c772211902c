public import Drawing

/// SVG path data, as a profile writes it: `"M 10 10 h 80 v 80 z"`.
public struct PathData: ParameterValue, Equatable {
  /// As written.
  public let text: String
  public let outline: Outline

  /// Reads path data.
  ///
  /// - Throws: `SVGPathError` with the place of the fault.
  public init(_ text: String) throws(SVGPathError) {
    self.text = text
    outline = try Outline(svgPath: text)
  }

  public static var schema: Schema { .string }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let text = node.text else { return field.refuse(node, as: Self.self, &problems) }
    let expected: String
    let received: String
    do {
      let data = try Self(text)
      if !data.outline.isEmpty { return data }
      expected = "path data that draws something"
      received = node.shown
    } catch {
      // Counted from 1, as columns are.
      expected = "\(error.expected) at character \(error.offset + 1) of the path data"
      received = error.received
    }
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: field.key,
        expected: expected,
        received: received
      )
    )
    return nil
  }

  public var literal: String { text.literal }
}
