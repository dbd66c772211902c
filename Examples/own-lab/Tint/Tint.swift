public import MinilabKit

/// Mixes a color into the picture.
public struct Tint: ImageOperation {
  public static let name = "tint"
  public static let version = 1
  public static let summary = "Mix a color into the picture, evenly."
  public static let parameters: [Parameter<Self>] = [
    Parameter("color", \.color, required: true, help: "What is mixed in; its alpha is ignored."),
    Parameter("strength", \.strength, in: 0...1, unit: .ratio, help: "0 is nothing, 1 covers all."),
  ]
  public static let examples = [
    Example("A warm evening.", "color = \"#ff9a3c\""),
    Example("Nearly navy.", "color = \"navy\"\nstrength = 0.8"),
  ]

  public var color = Color.black
  public var strength = 0.25

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    guard strength > 0 else { return frame }
    return frame.pixels(size: .unchanged, access: .sequential) { image in
      let able = try image.holding(color)
      let samples = try able.samples(of: color)
      // The last band is the alpha, where there is one: it stays as it is.
      let colors = able.hasAlpha ? samples.count - 1 : samples.count
      let keep = samples.indices.map { $0 < colors ? 1 - strength : 1 }
      let add = samples.indices.map { $0 < colors ? strength * samples[$0] : 0 }
      let mixed = try able.call("linear", [.init("a", .doubles(keep)), .init("b", .doubles(add))])
      return try mixed.rounded(to: able.format).copy(interpretation: able.interpretation)
    }
  }
}
