public import MinilabKit

/// Cuts the same off every side.
public struct Trim: ImageOperation {
  public static let name = "trim"
  public static let version = 1
  public static let summary = "Cut the same amount off every side, as of a scan with a border."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "edge",
      \.edge,
      in: 0...100_000,
      unit: .pixels,
      help: "A percentage is of the side it is cut from."
    )
  ]
  public static let examples = [
    Example("A fiftieth of each side.", ""),
    Example("Five pixels all around.", "edge = 5"),
  ]

  public var edge = Length.fraction(0.02)

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    let x = Int(edge.pixels(of: frame.size.width).rounded())
    let y = Int(edge.pixels(of: frame.size.height).rounded())
    let rest = PixelRectangle(
      x: x,
      y: y,
      width: frame.size.width - 2 * x,
      height: frame.size.height - 2 * y
    )
    guard !rest.isEmpty else {
      throw context.error(
        .cropOutside,
        expected: "a picture larger than \(2 * x) × \(2 * y)",
        received: "\(frame.size)"
      )
    }
    if rest.size == frame.size { return frame }
    return frame.geometry { $0.crop(to: rest) }
  }
}
