/// A length along one side of the frame.
public enum Length: ParameterValue, Equatable {
  case pixels(Double)
  /// A part of the side: `"12.5%"` is 0.125, `"1/3"` is a third.
  case fraction(Double)

  /// In pixels, where a row sets no range of its own.
  ///
  /// Far more than any picture has, and few enough that sums and products of lengths and sides stay
  /// whole numbers.
  private static let longest = 1e9
  private static let largestFraction = 1e4

  /// The length in pixels along a side of that many pixels.
  public func pixels(of side: Int) -> Double { pixels(of: Double(side)) }

  /// The same along a side that is not of whole pixels, or in other units.
  public func pixels(of side: Double) -> Double {
    switch self {
    case .pixels(let pixels): pixels
    case .fraction(let fraction): fraction * side
    }
  }

  public static var schema: Schema { .length }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Length? {
    switch node.value {
    case .integer, .float:
      var field = field
      field.range = field.range ?? -longest...longest
      return Double.decode(node, as: field, &problems).map { .pixels($0) }
    case .string(let text):
      guard let fraction = fraction(text) else {
        return field.refuse(node, as: Self.self, &problems)
      }
      // The row's range is in pixels; of a fraction only the sign can be known here.
      if let range = field.range, range.lowerBound >= 0, fraction < 0 {
        problems.append(
          Problem(
            .outOfRange,
            at: node.place,
            key: field.key,
            expected: "0 or more",
            received: node.shown
          )
        )
        return nil
      }
      guard abs(fraction) <= largestFraction else {
        let percent = (largestFraction * 100).literal
        problems.append(
          Problem(
            .outOfRange,
            at: node.place,
            key: field.key,
            expected: "-\(percent)% to \(percent)%",
            received: node.shown
          )
        )
        return nil
      }
      return .fraction(fraction)
    default:
      return field.refuse(node, as: Self.self, &problems)
    }
  }

  private static func fraction(_ text: String) -> Double? {
    let value: Double?
    if text.hasSuffix("%") {
      value = Double(text.dropLast()).map { $0 / 100 }
    } else {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let over = Double(parts[0]), let under = Double(parts[1]) else {
        return nil
      }
      value = over / under
    }
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  public var literal: String {
    switch self {
    case .pixels(let pixels): pixels.literal
    case .fraction(let fraction): "\"\((fraction * 100).literal)%\""
    }
  }
}

/// A rectangle as a profile writes it: `[x, y, w, h]`.
public struct LengthRectangle: ParameterValue, Equatable {
  public var x: Length
  public var y: Length
  public var width: Length
  public var height: Length

  public init(x: Length, y: Length, width: Length, height: Length) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  public static var schema: Schema { .array(.length, count: 4) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let items = node.items, items.count == 4 else {
      return field.refuse(node, as: Self.self, &problems)
    }
    let lengths = items.enumerated().compactMap {
      Length.decode($1, as: field.element($0), &problems)
    }
    guard lengths.count == 4 else { return nil }
    return Self(x: lengths[0], y: lengths[1], width: lengths[2], height: lengths[3])
  }

  public var literal: String {
    "[\([x, y, width, height].map(\.literal).joined(separator: ", "))]"
  }
}
