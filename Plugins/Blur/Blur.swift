public import MinilabKit

/// Blurs the picture.
public struct Blur: ImageOperation {
  public static let name = "blur"
  public static let version = 1
  public static let summary = "Blur the picture with a Gaussian."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "sigma",
      \.sigma,
      in: 0.1...1000,
      unit: .pixels,
      help: "Standard deviation of the Gaussian."
    )
  ]
  public static let examples = [
    Example("A soft background.", "sigma = 8"),
    Example("Just less crisp.", ""),
  ]

  public var sigma = 1.5

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    // A wide kernel reads far up and down, further than a stream remembers.
    frame.pixels(size: .unchanged, access: .random) { image in
      try image.blurred(sigma: sigma)
    }
  }
}
