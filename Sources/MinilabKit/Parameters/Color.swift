/// A color as a profile writes it: sRGB with straight alpha, each 0 to 1.
public struct Color: ParameterValue, Equatable, Codable {
  public var red: Double
  public var green: Double
  public var blue: Double
  public var alpha: Double

  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  public static let white = Color(red: 1, green: 1, blue: 1)
  public static let black = Color(red: 0, green: 0, blue: 0)
  public static let transparent = Color(red: 0, green: 0, blue: 0, alpha: 0)

  /// Without a hue: black, white, or between.
  public var isNeutral: Bool { red == green && green == blue }

  public var isOpaque: Bool { alpha >= 1 }

  public static var schema: Schema { .color }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    switch node.value {
    case .string(let text):
      return parse(text) ?? field.refuse(node, as: Self.self, &problems)
    case .array(let items) where items.count == 3 || items.count == 4:
      // [r, g, b] counts in 0…255, a fourth number is the alpha in 0…1.
      let levels = items.prefix(3).enumerated().compactMap {
        Double.decode($1, as: Field("\(field.key)[\($0)]", in: 0...255), &problems)
      }
      let alpha =
        items.count == 4
        ? Double.decode(items[3], as: Field("\(field.key)[3]", in: 0...1), &problems) : 1
      guard levels.count == 3, let alpha else { return nil }
      return Color(
        red: levels[0] / 255,
        green: levels[1] / 255,
        blue: levels[2] / 255,
        alpha: alpha
      )
    default:
      return field.refuse(node, as: Self.self, &problems)
    }
  }

  /// A name of `names`, or `#rgb`, `#rrggbb`, `#rrggbbaa`.
  static func parse(_ text: String) -> Color? {
    if let named = names[text.lowercased()] { return named }
    guard text.hasPrefix("#") else { return nil }
    var digits = Array(text.dropFirst())
    if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
    guard digits.count == 6 || digits.count == 8, digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    let levels = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16).map { Double($0) / 255 }
    }
    guard levels.count * 2 == digits.count else { return nil }
    return Color(
      red: levels[0],
      green: levels[1],
      blue: levels[2],
      alpha: levels.count == 4 ? levels[3] : 1
    )
  }

  /// The sixteen names of HTML 4.01 with their values there, and `transparent`.
  static let names: [String: Color] = {
    let hex: [String: UInt32] = [
      "black": 0x00_0000, "silver": 0xc0_c0c0, "gray": 0x80_8080, "white": 0xff_ffff,
      "maroon": 0x80_0000, "red": 0xff_0000, "purple": 0x80_0080, "fuchsia": 0xff_00ff,
      "green": 0x00_8000, "lime": 0x00_ff00, "olive": 0x80_8000, "yellow": 0xff_ff00,
      "navy": 0x00_0080, "blue": 0x00_00ff, "teal": 0x00_8080, "aqua": 0x00_ffff,
    ]
    var names = hex.mapValues {
      Color(
        red: Double($0 >> 16) / 255,
        green: Double($0 >> 8 & 255) / 255,
        blue: Double($0 & 255) / 255
      )
    }
    names["transparent"] = .transparent
    return names
  }()

  public var literal: String {
    if let name = Self.names.filter({ $0.value == self }).keys.min() { return tomlQuoted(name) }
    let levels = [red, green, blue].map { ($0 * 255).rounded().literal }
    let all = isOpaque ? levels : levels + [alpha.literal]
    return "[\(all.joined(separator: ", "))]"
  }
}
