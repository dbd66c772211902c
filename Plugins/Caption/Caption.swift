public import MinilabKit

/// Writes on the picture.
public struct Caption: ImageOperation {
  public static let name = "caption"
  public static let version = 1
  public static let summary = "Write plain text on the picture."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "text",
      \.text,
      required: true,
      help: """
        Never markup; `\\n` begins a line. `{stem}` and `{name}` are the file's, `{date}` or \
        `{date:%d.%m.%Y}` is when the picture was taken, `{exif:Model}` any EXIF tag: each is empty \
        where the picture does not say. Empty text leaves the picture as it is.
        """
    ),
    Parameter("font", \.font, help: "A font family that is installed."),
    Parameter("style", \.style, help: "Of the letters."),
    Parameter(
      "size",
      \.size,
      in: 1...10_000,
      unit: .pixels,
      help:
        "Of the letters; a percentage is of the picture's height. Text that is too long shrinks."
    ),
    Parameter("color", \.color, help: "Of the letters."),
    Parameter("background", \.background, help: "Of a box behind the text."),
    Parameter(
      "padding",
      \.padding,
      in: 0...10_000,
      unit: .pixels,
      help: """
        Between the text and the edges of its box, a third of the size unless told; a percentage is \
        of the picture's height.
        """
    ),
    Parameter("opacity", \.opacity, in: 0...1, unit: .ratio, help: "Of text and box together."),
    Parameter("gravity", \.gravity, help: "Where on the picture the text goes."),
    Parameter(
      "margin",
      \.margin,
      in: 0...1_000_000,
      unit: .pixels,
      help: "Kept free along the picture's edges; a percentage is of its shorter side."
    ),
    Parameter(
      "offset",
      \.offset,
      unit: .pixels,
      help: "A shift to the right and down from where `gravity` puts the text, inside the picture."
    ),
    Parameter(
      "width",
      \.width,
      in: 1...1_000_000,
      unit: .pixels,
      help: "Where lines are broken; as wide as the picture allows unless told."
    ),
    Parameter(
      "align",
      \.align,
      help: "How shorter lines stand to longer ones; unless told, as `gravity` says."
    ),
  ]
  public static let rules: [Rule<Self>] = [
    .requires("padding", oneOf: ["background"]),
    Rule("a text of at most \(longestText) characters", keys: ["text"]) { step, _ in
      step.text.given.count > longestText ? "\(step.text.given.count)" : nil
    },
  ]
  public static let examples = [
    Example("A line at the bottom.", "text = \"© Harbor Archive {date}\""),
    Example(
      "On a dark box, from the lower left corner.",
      """
      text = "Lot 17\\nOak, about 1900"
      gravity = "south-west"
      background = "#000000a0"
      padding = 12
      size = "6%"
      """
    ),
    Example(
      "A faint proof mark over the middle.",
      "text = \"PROOF\"\nstyle = \"bold\"\nsize = \"30%\"\nopacity = 0.3\ngravity = \"center\""
    ),
    Example(
      "A long credit in narrow lines, set in from the right.",
      """
      text = "Photograph by Ada Byron for the Harbor Archive"
      font = "DejaVu Serif"
      color = "yellow"
      gravity = "north-east"
      width = "30%"
      align = "left"
      margin = 8
      offset = [0, 12]
      """
    ),
  ]

  /// A page and more: whatever is longer is a mistake.
  private static let longestText = 10_000

  public var text = TextTemplate(plain: "")
  public var font = Fonts.usual
  public var style = TextBlock.Style.regular
  public var size = Length.fraction(0.04)
  public var color = Color.white
  public var background: Color?
  public var padding: Length?
  public var opacity = 1.0
  public var gravity = Gravity.south
  public var margin = Length.fraction(0.02)
  public var offset = Pair<Length>(.pixels(0), .pixels(0))
  public var width: Length?
  public var align: TextBlock.Alignment?

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    let layout = CaptionLayout(self, on: frame.size)
    let block = layout.block(text.filled(for: frame, in: context))
    if block.isBlank || opacity == 0 { return frame }
    // What the letters become is told when they are drawn.
    guard context.hasPixels else { return drawing(nil, on: frame) }
    let noted = try frame.checkingFont(font, in: context)
    guard let fitted = try block.fitted(in: layout.room) else { return frame }
    let drawn = drawing(Drawing(caption: self, coverage: fitted.coverage, layout), on: noted)
    guard fitted.size < block.size || fitted.isCut else { return drawn }
    let size = (fitted.size * 10).rounded() / 10
    let cut = fitted.isCut ? ", and its end was cut off" : ""
    return drawn.noting(
      .textShrunk,
      "\(context.step): the text is too long for \(block.size.literal) pixels and was drawn at "
        + "\(size.literal)\(cut)"
    )
  }

  private func drawing(_ drawing: Drawing?, on frame: Frame) -> Frame {
    frame.pixels(size: .unchanged, access: .sequential) { image in
      guard let drawing else { preconditionFailure("drawn where pixels are made") }
      return try drawing.drawn(on: image)
    }
  }
}
