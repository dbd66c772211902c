public import MinilabKit

/// Changes tones and colors evenly over the picture.
///
/// The order is fixed: levels, brightness, contrast and gamma, which together are one curve, then
/// saturation. Values are those of the picture's own profile, black 0 and white 1.
public struct Adjust: ImageOperation {
  public static let name = "adjust"
  public static let version = 1
  public static let summary =
    "Adjust levels, then brightness, contrast, gamma and saturation, in this order."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "auto-level",
      \.autoLevel,
      help: """
        Stretch the tones from black to white, all channels alike, so that no color gets a cast. \
        Transparent pixels do not count; a picture of one tone stays.
        """
    ),
    Parameter(
      "clip",
      \.clip,
      in: 0...25,
      unit: .percent,
      help: "The part of the pixels that `auto-level` may lose at either end."
    ),
    Parameter(
      "brightness",
      \.brightness,
      in: -100...100,
      unit: .percent,
      help: "The part of the way to white, or, below 0, to black, that every tone goes."
    ),
    Parameter(
      "contrast",
      \.contrast,
      in: -100...100,
      unit: .percent,
      help: "How much steeper tones are about middle gray: -100 is all gray, 100 a threshold."
    ),
    Parameter(
      "gamma",
      \.gamma,
      in: 0.1...10,
      unit: .ratio,
      help: "Above 1 the middle tones are lighter, below 1 darker; black and white stay."
    ),
    Parameter(
      "saturation",
      \.saturation,
      in: 0...10,
      unit: .ratio,
      help: "Of the colors: 0 is gray, 1 leaves them, 2 doubles them."
    ),
  ]
  public static let rules: [Rule<Self>] = [
    Rule("auto-level = true where clip is given", keys: ["clip"]) { step, given in
      given.contains("clip") && !step.autoLevel ? "auto-level = false" : nil
    }
  ]
  public static let examples = [
    Example("A flat scan made crisp.", "auto-level = true\nclip = 0.5"),
    Example("A little lighter and livelier.", "brightness = 5\ncontrast = 10\nsaturation = 1.2"),
    Example("Shadows opened.", "gamma = 1.3"),
  ]

  public var autoLevel = false
  public var clip = 0.1
  public var brightness = 0.0
  public var contrast = 0.0
  public var gamma = 1.0
  public var saturation = 1.0

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    var levels = Levels.all
    var isPlanned = true
    if autoLevel, let small = try context.reduction(of: frame, to: Self.reduction) {
      levels = try Levels(of: small, clip: clip / 100)
      isPlanned = false
    }
    let curve = ToneCurve(
      levels: levels,
      brightness: brightness / 100,
      contrast: contrast / 100,
      gamma: gamma
    )
    // Without pixels only the picture could tell that there is nothing to stretch.
    let mayStretch = autoLevel && isPlanned
    let changesTones = mayStretch || !curve.isIdentity
    guard changesTones || saturation != 1 else { return frame }
    return frame.pixels(size: .unchanged, access: .sequential) { image in
      // An alpha is taken along unchanged: pixels in two parts would be made twice.
      let full = Int(image.sampleMaximum)
      let keepsColors = saturation == 1 || image.isGray
      // In 16 bit between the two, so that 8 bits are rounded once.
      let between = keepsColors ? full : 65_535
      let toned = try image.mapped(
        through: curve.table(from: full, to: between),
        alpha: ToneCurve.identity.table(from: full, to: between),
        to: between > 255 ? .ushort : .uchar
      )
      let done =
        try keepsColors ? toned : toned.saturated(saturation, scale: Double(full) / 65_535)
      return try done.rounded(to: image.format).copy(interpretation: image.interpretation)
    }
  }

  /// The longest side of what `auto-level` looks at, in pixels.
  ///
  /// It is the frame and not an output, so that the result depends on nothing else.
  private static let reduction = 256
}

extension Image {
  /// Colors moved away from the gray of their own luma, or towards it, and all samples scaled.
  ///
  /// The matrix of `saturate` in W3C Filter Effects 1, 9.5, with the exact weights of ITU-R BT.709.
  fileprivate func saturated(_ factor: Double, scale: Double) throws -> Image {
    let weights = [0.2126, 0.7152, 0.0722]
    let matrix = (0..<3).map { row in
      (0..<3).map { (weights[$0] * (1 - factor) + ($0 == row ? factor : 0)) * scale }
    }
    return try recombined(matrix, alpha: scale)
  }
}
