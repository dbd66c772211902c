public import MinilabKit

/// Takes the color away.
public struct Grayscale: ImageOperation {
  public enum Method: String, CaseIterable, ParameterChoice {
    case luminance
    case luma
  }

  public static let name = "grayscale"
  public static let version = 1
  public static let summary =
    "Make the picture gray, in one channel without a profile; transparency stays."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "method",
      \.method,
      help: """
        `luminance` keeps how light each color looks; `luma` weighs the stored values as video does, \
        which leaves bright colors darker.
        """
    ),
    Parameter(
      "mix",
      \.mix,
      in: -2...2,
      unit: .ratio,
      help: """
        How much red, green and blue give, in place of `method`; usually they add up to 1. More red \
        darkens skies as a red filter does.
        """
    ),
  ]
  public static let rules: [Rule<Self>] = [
    .atMostOne(of: ["method", "mix"]),
    Rule("a mix of three numbers", keys: ["mix"]) { step, _ in
      step.mix.flatMap { $0.count == 3 ? nil : "\($0.count)" }
    },
  ]
  public static let examples = [
    Example("As light as the colors are.", ""),
    Example("As black-and-white video.", "method = \"luma\""),
    Example("Through a red filter.", "mix = [1.2, 0, -0.2]"),
  ]

  public var method = Method.luminance
  public var mix: [Double]?

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    // Gray stays as it is, to its profile and to its bytes.
    if frame.isGray { return frame }
    return frame.pixels(size: .unchanged, access: .sequential) { image in
      if image.isGray { return image }
      let gray = try image.changingColors(gray)
      // A profile for colors fits no gray picture, and the gray is that of sRGB now.
      let untagged = try gray.copy()
      untagged.remove("icc-profile-data")
      return untagged
    }
  }

  private func gray(_ colors: Image) throws -> Image {
    if let mix { return try colors.inSRGB().recombined([mix]) }
    return switch method {
    case .luminance: try colors.luminance()
    case .luma: try colors.inSRGB().recombined([Self.weights])
    }
  }

  /// Of red, green and blue (ITU-R BT.709, 3.2).
  fileprivate static let weights = [0.2126, 0.7152, 0.0722]
}

extension Image {
  private var hasProfile: Bool { has("icc-profile-data") }

  fileprivate func inSRGB() throws -> Image {
    try hasProfile ? toSRGB(depth: format == .ushort ? 16 : 8) : self
  }

  /// The luminance in linear light, stored as sRGB stores it.
  ///
  /// From light that is not clipped: by way of sRGB a color that it cannot show would become another
  /// lightness. libvips' own way to gray weighs with 0.2, 0.7 and 0.1.
  fileprivate func luminance() throws -> Image {
    let light = try lightOfSRGB().recombined([Grayscale.weights])
    return try light.call("linear", [.init("a", .doubles([1, 1, 1])), .init("b", .doubles([0]))])
      .copy(interpretation: .scrgb)
      .colourspace(format == .ushort ? .rgb16 : .srgb).extractBands(0, count: 1)
  }
}
