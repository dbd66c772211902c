public import MinilabKit

/// A small picture of a large one.
public struct ThumbnailPreview: ImageOperation {
  public enum WithinLimit: String, CaseIterable, ParameterChoice {
    case pass
    case skip
  }

  public static let name = "thumbnail-preview"
  public static let version = 1
  public static let summary = "Make a small picture of a large one; never enlarge."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "max-side",
      \.maxSide,
      in: 1...1_000_000,
      unit: .pixels,
      help: "The longer side of the result."
    ),
    Parameter(
      "within-limit",
      \.withinLimit,
      help: "A picture that is small enough already: `pass` it through, or `skip` the output."
    ),
    Parameter("linear", \.linear, help: "Reduce in linear light: fine bright detail stays bright."),
    Parameter("sharpen", \.sharpen, help: "Sharpen a little after the reduction."),
  ]
  public static let examples = [
    Example("At most 1024 pixels on the longer side.", ""),
    Example("A sharp thumbnail.", "max-side = 64\nsharpen = true"),
    Example(
      "Only of pictures that are larger.",
      "max-side = 120\nwithin-limit = \"skip\"\nlinear = true"
    ),
  ]

  public var maxSide = 1024
  public var withinLimit = WithinLimit.pass
  public var linear = false
  public var sharpen = false

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    let size = frame.size
    guard size.longerSide > maxSide else {
      let noted = frame.noting(
        .withinLimit,
        "\(size) is within \(maxSide) pixels already and was not enlarged"
      )
      return withinLimit == .skip ? noted.skipped() : noted
    }
    let scale = Double(maxSide) / Double(size.longerSide)
    let wanted = Size(
      width: max(1, Int((Double(size.width) * scale).rounded())),
      height: max(1, Int((Double(size.height) * scale).rounded()))
    )
    let reduced = frame.geometry { $0.resize(to: wanted, linear: linear) }
    guard sharpen else { return reduced }
    return reduced.pixels(size: .unchanged, access: .sequential) { image in
      try image.sharpen(sigma: 0.5)
    }
  }
}
