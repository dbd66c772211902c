public import MinilabKit

/// Makes dark pictures brighter.
public struct AutoBright: ImageOperation {
  public static let name = "auto-bright"
  public static let version = 1
  public static let summary = "Brighten a picture that is darker, on average, than it should be."
  public static let parameters: [Parameter<Self>] = [
    Parameter("target", \.target, in: 0.05...0.95, unit: .ratio, help: "The wanted average.")
  ]
  public static let examples = [Example("Up to the middle.", "target = 0.5")]

  public var target = 0.4

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    // Nil while only headers are read. The size is the same either way, and that is what counts.
    guard let small = try context.reduction(of: frame, to: 128) else { return frame }
    let colors = try small.extractBands(0, count: small.isGray ? 1 : 3)
    let average = try colors.average() / small.sampleMaximum
    guard average > 0, average < target else { return frame }
    let gain = target / average
    return frame.pixels(size: .unchanged, access: .sequential) { image in
      let gains = (0..<image.bands).map { $0 < (image.isGray ? 1 : 3) ? gain : 1 }
      let zeros = gains.map { _ in 0.0 }
      let bright = try image.call(
        "linear",
        [.init("a", .doubles(gains)), .init("b", .doubles(zeros))]
      )
      return try bright.rounded(to: image.format).copy(interpretation: image.interpretation)
    }
  }
}
