public import MinilabKit

extension Crop {
  public static let parameters: [Parameter<Self>] = [
    Parameter("rect", \.rect, unit: .pixels, help: "Left, top, width and height."),
    Parameter(
      "view",
      \.view,
      in: 1...1_000_000,
      unit: .viewUnits,
      help: """
        Width and height of the view on which `frame` or `frame-rect` was drawn, in units of its own.
        """
    ),
    Parameter(
      "frame",
      \.viewFrame,
      unit: .viewUnits,
      help: "Left, top, width and height on a `view` that shows the picture."
    ),
    Parameter("fit", \.fit, help: "How the `view` shows the picture to which `frame` belongs."),
    Parameter("size", \.size, in: 1...1_000_000, unit: .pixels, help: "Width and height."),
    Parameter("aspect", \.aspect, help: "The largest rectangle of this aspect."),
    Parameter(
      "follow-orientation",
      \.followOrientation,
      help:
        "A tall picture takes a wide `size` or `aspect` upright, and a wide picture a tall one lying."
    ),
    Parameter(
      "gravity",
      \.gravity,
      help: """
        Where a `size` or `aspect` is cut: `attention` finds what people look at, `entropy` where \
        most is to be seen.
        """
    ),
    Parameter(
      "focus",
      \.focus,
      unit: .pixels,
      help: "A point kept as near the middle as the picture allows, in place of `gravity`."
    ),
    Parameter(
      "frame-size",
      \.frameSize,
      in: 1...1_000_000,
      unit: .viewUnits,
      help: """
        Width and height of the frame of an editor, in units of its own. At zoom 1 the picture, \
        centered, just covers it.
        """
    ),
    Parameter(
      "frame-rect",
      \.frameRect,
      unit: .viewUnits,
      help: """
        The same frame where it is not in the middle of its `view`: left, top, width and height. \
        `pan` then counts from the view's center.
        """
    ),
    Parameter("zoom", \.zoom, in: zooms, unit: .ratio, help: "Of the picture behind the frame."),
    Parameter(
      "min-zoom",
      \.minZoom,
      in: zooms,
      unit: .ratio,
      help: "A smaller `zoom` becomes this."
    ),
    Parameter(
      "max-zoom",
      \.maxZoom,
      in: zooms,
      unit: .ratio,
      help: "A larger `zoom` becomes this, unless the picture would not cover the frame."
    ),
    Parameter(
      "pan",
      \.pan,
      in: -1_000_000...1_000_000,
      unit: .viewUnits,
      help: "From the frame's center to the picture's, right and down, in the frame's units."
    ),
    Parameter(
      "angle",
      \.angle,
      in: -360_000...360_000,
      unit: .degrees,
      help: "Of the picture behind the frame, clockwise about the picture's center."
    ),
    Parameter(
      "check-bounds",
      \.checkBounds,
      help: """
        Raise the zoom and move the pan, as little as possible, until the picture covers the frame.
        """
    ),
    Parameter("background", \.background, help: "What shows where the picture does not reach."),
    Parameter(
      "output-width",
      \.outputWidth,
      in: 1...1_000_000,
      unit: .pixels,
      help: """
        Of the result behind an editor's frame; the height follows. By default as many pixels as the \
        frame holds of the picture, so that nothing is enlarged; `source`: as wide as the picture.
        """
    ),
    Parameter(
      "clamp",
      \.clamp,
      help: """
        A `rect` or `frame` that sticks out is `cut`, or `move`d inside if it fits, or `reject`ed: a \
        `rect` is cut by default and a `frame` moved.
        """
    ),
    Parameter(
      "min-size",
      \.minSize,
      in: 0...1_000_000,
      help: """
        A `rect` or `frame` with a shorter side grows in place, and stays inside the picture. For a \
        `frame` it is in the view's units, and 60 by default.
        """
    ),
    .lossless(\.lossless),
  ]

  private static let zooms = 0.01...1_000

  private static let ways = ["rect", "frame", "size", "aspect", "frame-size", "frame-rect"]
  private static let editorFrames = ["frame-size", "frame-rect"]

  public static let rules: [Rule<Self>] =
    [
      .atMostOne(of: ways),
      .atMostOne(of: ["gravity", "focus"]),
      .requires("frame", oneOf: ["view"]),
      .requires("frame-rect", oneOf: ["view"]),
      .requires("view", oneOf: ["frame", "frame-rect"]),
      .requires("fit", oneOf: ["frame"]),
      .requires("follow-orientation", oneOf: ["size", "aspect"]),
      .requires("gravity", oneOf: ["size", "aspect"]),
      .requires("focus", oneOf: ["size", "aspect"]),
      .requires("clamp", oneOf: ["rect", "frame"]),
      .requires("min-size", oneOf: ["rect", "frame"]),
    ]
    + [
      "zoom", "min-zoom", "max-zoom", "pan", "angle", "check-bounds", "background", "output-width",
    ].map { .requires($0, oneOf: editorFrames) }
    + [
      hasArea("rect", \.rect), hasArea("frame", \.viewFrame), hasArea("frame-rect", \.frameRect),
      Rule("min-zoom not above max-zoom", keys: ["min-zoom", "max-zoom"]) { crop, _ in
        guard let least = crop.minZoom, let most = crop.maxZoom, least > most else { return nil }
        return "\(least.literal) above \(most.literal)"
      },
    ]

  private static func hasArea(
    _ key: String,
    _ rectangle: any KeyPath<Self, LengthRectangle?> & Sendable
  ) -> Rule<Self> {
    Rule("a \(key) with a width and a height", keys: [key]) { crop, _ in
      guard let rectangle = crop[keyPath: rectangle] else { return nil }
      let sides = [rectangle.width, rectangle.height].map { $0.pixels(of: 1_000) }
      return sides.allSatisfy { $0 > 0 } ? nil : rectangle.literal
    }
  }

  public static let examples = [
    Example("The center half.", ""),
    Example("A rectangle in pixels.", "rect = [10, 20, 30, 40]"),
    Example("The right half.", "rect = [\"50%\", 0, \"50%\", \"100%\"]"),
    Example(
      "A frame that was drawn on a preview of 400 × 400.",
      "view = [400, 400]\nframe = [100, 120, 200, 150]"
    ),
    Example("A square around what people look at.", "aspect = \"square\"\ngravity = \"attention\""),
    Example("4:3 with a point near the middle.", "aspect = \"4:3\"\nfocus = [\"1/3\", \"30%\"]"),
    Example(
      "For a print of 10 × 15 cm, whichever way the picture is held.",
      "aspect = \"3:2\"\nfollow-orientation = true"
    ),
    Example(
      "Of a JPEG, in whole blocks, which are not encoded again.",
      "rect = [\"10%\", \"10%\", \"80%\", \"80%\"]\nlossless = \"trim\""
    ),
    Example("The lower right corner.", "size = [32, 32]\ngravity = \"south-east\""),
    Example(
      "An editor's frame, zoomed in, moved and made level.",
      "frame-size = [300, 200]\nzoom = 1.4\npan = [-20, 10]\nangle = -2.5"
    ),
    Example(
      "A tilted picture on white, 600 pixels wide.",
      """
      frame-size = [3, 2]
      zoom = 0.8
      angle = 12
      check-bounds = false
      background = "white"
      output-width = 600
      """
    ),
  ]
}
