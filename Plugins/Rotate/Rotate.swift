public import MinilabKit

/// Turns the picture by any angle.
public struct Rotate: ImageOperation {
  public static let name = "rotate"
  public static let version = 1
  public static let summary = "Turn the picture about its center, on a canvas that holds all of it."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "angle",
      \.angle,
      in: -360_000...360_000,
      unit: .degrees,
      required: true,
      help: "Clockwise."
    ),
    Parameter(
      "background",
      \.background,
      help: "What fills the corners; `transparent` becomes the output's background in JPEG."
    ),
  ]
  public static let examples = [
    Example("A horizon made level.", "angle = -1.5"),
    Example("A quarter turn clockwise, which loses nothing.", "angle = 90"),
    Example("Tilted on white.", "angle = 10\nbackground = \"white\""),
  ]

  public var angle = Angle(degrees: 0)
  public var background = Color.transparent

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    frame.geometry { geometry in
      switch angle.quarterTurns {
      case 0: break
      case 1: geometry.turn(.right)
      case 2: geometry.turn(.down)
      case 3: geometry.turn(.left)
      default: geometry.rotate(degrees: angle.degrees, background: background)
      }
    }
  }
}
