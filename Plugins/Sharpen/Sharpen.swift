public import MinilabKit

/// Sharpens edges.
public struct Sharpen: ImageOperation {
  public static let name = "sharpen"
  public static let version = 2
  public static let summary = "Sharpen edges with an unsharp mask on lightness."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "sigma",
      \.sigma,
      in: 0.01...10,
      unit: .pixels,
      help: "Standard deviation of the Gaussian."
    ),
    Parameter(
      "amount",
      \.amount,
      in: 0...100,
      help: "How much jagged areas gain; flat areas, where noise shows, gain nothing."
    ),
  ]
  public static let examples = [
    Example("As after a reduction for the screen.", ""),
    Example("Softer and wider, as for print.", "sigma = 1.5\namount = 2"),
  ]

  public var sigma = 0.5
  public var amount = 3.0

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    // What transparent pixels are given looks up and down, further than a stream remembers.
    frame.pixels(size: .unchanged, access: frame.hasAlpha ? .random : .sequential) { image in
      try image.sharpen(sigma: sigma, amount: amount)
    }
  }
}
