public import MinilabKit

/// Where a crop of a known size goes: one of the nine places, or where the picture is interesting.
public enum CropGravity: ParameterValue, Equatable {
  case fixed(Gravity)
  case interesting(Interest)

  /// libvips' measures of what is worth keeping.
  public enum Interest: String, CaseIterable, Sendable {
    /// Edges, skin tones and saturated colors.
    case attention
    /// Most information in the histogram.
    case entropy
  }

  private static let words = Gravity.allCases.map(\.rawValue) + Interest.allCases.map(\.rawValue)

  public static var schema: Schema { .choice(words) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let word = node.text else { return field.refuse(node, as: Self.self, &problems) }
    if let gravity = Gravity(rawValue: word) { return .fixed(gravity) }
    if let interest = Interest(rawValue: word) { return .interesting(interest) }
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: field.key,
        expected: expectedName("a gravity", for: word, among: words),
        received: node.shown
      )
    )
    return nil
  }

  public var literal: String {
    switch self {
    case .fixed(let gravity): gravity.literal
    case .interesting(let interest): "\"\(interest.rawValue)\""
    }
  }
}

extension CropGravity.Interest {
  /// The top left corner of the most interesting box of that size.
  ///
  /// `small`: the picture, reduced.
  func position(of box: Size, in size: Size, seenOn small: Image) throws -> (x: Int, y: Int) {
    let scaleX = Double(size.width) / Double(small.width)
    let scaleY = Double(size.height) / Double(small.height)
    func reduced(_ length: Int, _ scale: Double, _ side: Int) -> Int {
      min(side, max(1, Int((Double(length) / scale).rounded())))
    }
    let found = try small.call(
      "smartcrop",
      [
        .init("width", .int(reduced(box.width, scaleX, small.width))),
        .init("height", .int(reduced(box.height, scaleY, small.height))),
        .init("interesting", .enumeration(rawValue)),
      ],
      input: "input"
    )
    func start(_ offset: Int, _ scale: Double, _ length: Int, _ side: Int) -> Int {
      min(max(0, Int((Double(offset) * scale).rounded())), side - length)
    }
    return (
      start(found.cutLeft, scaleX, box.width, size.width),
      start(found.cutTop, scaleY, box.height, size.height)
    )
  }
}
