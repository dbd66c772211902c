public import MinilabKit

/// Puts several pictures on one canvas.
public struct Compose: GroupOperation {
  public static let name = "compose"
  public static let version = 1
  public static let summary =
    "Put pictures on one canvas: layers freely placed, a strip, or a grid."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "canvas",
      \.canvas,
      in: 0...1_000_000,
      unit: .pixels,
      help: """
        Its size (a percentage is of the unit's first picture), or `frame`, that of the first picture \
        (default with layers), or `fit`, the smallest that holds all layers or tiles (default with \
        tiles); with `fit`, places and percentages of layers are of the tiles or the first picture.
        """
    ),
    Parameter(
      "background",
      \.background,
      help: """
        A color, `transparent`, or a picture that fills the canvas. Nothing by default, and white \
        behind tiles.
        """
    ),
    Parameter(
      "scale",
      \.scale,
      in: 0.001...1000,
      unit: .ratio,
      help: "Multiplies the canvas and every length; layers are still made from all their pixels."
    ),
    Parameter(
      "require-inside",
      \.requireInside,
      help: "Leave out, with a note, a layer that is not wholly inside the canvas."
    ),
    Parameter(
      "layout",
      \.layout,
      help: """
        `strip` is a row of tiles, one for each picture of the unit, `grid` is rows of them, `free` \
        is layers alone. Without it: layers if there are any, else a grid. Layers lie above tiles.
        """
    ),
    Parameter(
      "columns",
      \.columns,
      in: 1...10_000,
      help: "Of a grid; by default as many as make it nearly as high as wide, counted in tiles."
    ),
    Parameter(
      "gap",
      \.gap,
      in: 0...10_000,
      unit: .pixels,
      help: "Around and between tiles."
    ),
    Parameter("tile", \.tile, in: 1...100_000, unit: .pixels, help: "Width and height of a tile."),
    Parameter(
      "fit",
      \.fit,
      help: """
        `cover` fills a tile and cuts what sticks out, `contain` shows the whole picture in the \
        tile's middle, `stretch` changes the aspect.
        """
    ),
    Parameter(
      "caption",
      \.caption,
      help: """
        The line below each tile: text with `{stem}`, `{name}`, `{date}`, `{date:%d.%m.%Y}`, \
        `{exif:Model}`. Cut short where it is wider than the tile.
        """
    ),
    Parameter("caption-color", \.captionColor, help: "Of the letters."),
    Parameter(
      "caption-size",
      \.captionSize,
      in: 1...10_000,
      unit: .pixels,
      help: "Height of the letters' em square; the room for the line is half as high again."
    ),
    Parameter("caption-font", \.captionFont, help: "A font family of this machine."),
    Parameter("layer", \.layers, help: "A picture on the canvas; the lowest first."),
  ]
  public static let examples = [
    Example("A contact sheet.", "layout = \"grid\"\ncolumns = 4\ngap = 8\ncaption = \"{stem}\""),
    Example("A strip of small tiles.", "layout = \"strip\"\ngap = 4\nbackground = \"black\""),
    Example(
      "The picture on a colored card, tilted.",
      """
      canvas = [600, 400]
      background = "#dfe7ea"
      [[step.layer]]
      source = "frame"
      height = "80%"
      angle = -4
      """
    ),
    Example(
      "The picture, and itself small in a corner.",
      """
      [[step.layer]]
      source = "frame"
      [[step.layer]]
      source = "frame"
      width = "25%"
      gravity = "south-east"
      offset = ["-2%", "-2%"]
      opacity = 0.8
      """
    ),
    Example(
      "Twice the size, and nothing blurred that the picture has.",
      """
      canvas = [32, 24]
      scale = 2
      [[step.layer]]
      source = "frame"
      width = "100%"
      """
    ),
  ]

  public var canvas: Canvas?
  public var background: Background?
  public var scale = 1.0
  public var requireInside = false
  public var layout: Layout?
  public var columns: Int?
  public var gap = 0
  public var tile = Pair(80, 80)
  public var fit = Fit.cover
  public var caption: TextTemplate?
  public var captionColor = Color.black
  public var captionSize = 12.0
  public var captionFont = Fonts.usual
  public var layers: [Layer] = []

  public init() {}

  public var neededOutputs: [String] {
    layers.compactMap { if case .output(let name) = $0.source { name } else { nil } }
  }

  public func apply(to frames: [Frame], in context: Context) throws -> Frame {
    try Composition(of: self, frames, in: context).frame()
  }
}

/// How the pictures of a unit are placed.
public enum Layout: String, CaseIterable, ParameterChoice {
  case strip
  case grid
  case free
}
