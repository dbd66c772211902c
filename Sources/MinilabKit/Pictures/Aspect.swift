/// The proportion of width to height.
public enum Aspect: ParameterValue, Equatable {
  case ratio(Double, Double)
  /// The picture's own.
  case original

  private static let words: [String: Aspect] = [
    "square": .ratio(1, 1), "portrait": .ratio(3, 4), "landscape": .ratio(4, 3),
    "original": .original,
  ]

  public static var schema: Schema {
    .any([.choice(["square", "portrait", "landscape", "original"]), .string])
  }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let text = node.text else { return field.refuse(node, as: Self.self, &problems) }
    if let word = words[text] { return word }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1],
      (1e-3...1e6).contains(width), (1e-3...1e6).contains(height)
    else {
      let hint = nearestName(to: text, among: Array(words.keys)).map { ", \"\($0)\"" } ?? ""
      problems.append(
        Problem(
          .wrongType,
          at: node.place,
          key: field.key,
          expected: "an aspect such as \"4:3\"\(hint)",
          received: node.shown
        )
      )
      return nil
    }
    return .ratio(width, height)
  }

  public var literal: String {
    switch self {
    case .ratio(let width, let height): "\"\(width.literal):\(height.literal)\""
    case .original: "\"original\""
    }
  }

  /// Width over height, for a picture of that size.
  public func value(for size: Size) -> Double {
    switch self {
    case .ratio(let width, let height): width / height
    case .original: Double(size.width) / Double(size.height)
    }
  }

  /// The largest size of this aspect inside another.
  public func inside(_ size: Size) -> Size {
    let aspect = value(for: size)
    let width = Double(size.height) * aspect
    if width <= Double(size.width) {
      return Size(width: min(size.width, max(1, Int(width.rounded()))), height: size.height)
    }
    let height = Double(size.width) / aspect
    return Size(width: size.width, height: min(size.height, max(1, Int(height.rounded()))))
  }

  /// The smallest size of this aspect around another.
  public func around(_ size: Size) -> Size {
    let aspect = value(for: size)
    let width = Double(size.height) * aspect
    if width >= Double(size.width) {
      return Size(width: max(size.width, Int(width.rounded())), height: size.height)
    }
    let height = Double(size.width) / aspect
    return Size(width: size.width, height: max(size.height, Int(height.rounded())))
  }
}
