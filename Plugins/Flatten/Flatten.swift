public import MinilabKit

/// Lays the picture on a color.
public struct Flatten: ImageOperation {
  public static let name = "flatten"
  public static let version = 1
  public static let summary = "Lay a transparent picture on a color, so that it is opaque."
  public static let parameters: [Parameter<Self>] = [
    Parameter("background", \.background, help: "What shows through. Its own alpha is ignored.")
  ]
  public static let examples = [
    Example("On white.", ""),
    Example("On a color of the house.", "background = \"#1d3557\""),
  ]

  public var background = Color.white

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    guard frame.hasAlpha else { return frame }
    return frame.pixels(size: .unchanged, access: .sequential, alpha: .removed) { image in
      try image.flattened(on: background)
    }
  }
}
