public import MinilabKit

/// Puts the picture on a larger canvas.
public struct Pad: ImageOperation {
  public static let name = "pad"
  public static let version = 1
  public static let summary = "Put the picture on a larger canvas: a border, a size, or an aspect."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "border",
      \.border,
      in: 0...100_000,
      unit: .pixels,
      help: "Added on every side; a percentage is of the shorter side."
    ),
    Parameter(
      "size",
      \.size,
      in: 1...1_000_000,
      unit: .pixels,
      help: "Of the canvas; a side shorter than the picture's stays the picture's."
    ),
    Parameter("aspect", \.aspect, help: "Of the canvas: the smallest one that holds the picture."),
    Parameter("gravity", \.gravity, help: "Where the picture goes on the canvas."),
    Parameter("background", \.background, help: "What fills the rest of the canvas."),
  ]
  public static let rules: [Rule<Self>] = [.exactlyOne(of: ["border", "size", "aspect"])]
  public static let examples = [
    Example("A white border of 20 pixels.", "border = 20"),
    Example("A square with the picture in the middle.", "aspect = \"1:1\"\nbackground = \"black\""),
    Example(
      "On a canvas of 1000 × 1000, at its lower edge.",
      "size = [1000, 1000]\ngravity = \"south\"\nbackground = \"transparent\""
    ),
  ]

  public var border: Length?
  public var size: Pair<Length>?
  public var aspect: Aspect?
  public var gravity = Gravity.center
  public var background = Color.white

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    let canvas = canvas(around: frame.size)
    if canvas == frame.size { return frame }
    let (left, top) = gravity.position(of: frame.size, on: canvas)
    return frame.geometry { geometry in
      geometry.view(
        through: .translation(x: -Double(left), y: -Double(top)),
        size: canvas,
        background: background
      )
    }
  }

  private func canvas(around size: Size) -> Size {
    if let border {
      let shorter = min(size.width, size.height)
      let pixels = Int(border.pixels(of: shorter).rounded())
      return Size(width: size.width + 2 * pixels, height: size.height + 2 * pixels)
    }
    if let wanted = self.size {
      return Size(
        width: max(size.width, Int(wanted.x.pixels(of: size.width).rounded())),
        height: max(size.height, Int(wanted.y.pixels(of: size.height).rounded()))
      )
    }
    guard let aspect else { return size }
    return aspect.around(size)
  }
}
