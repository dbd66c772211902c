public import MinilabKit

/// Keeps a shape of the picture, and treats the rest.
public struct ShapeMask: ImageOperation {
  public static let name = "shape-mask"
  public static let version = 1
  public static let summary =
    "Keep a shape of the picture; make the rest transparent, a color, or dim."
  public static let parameters: [Parameter<Self>] =
    Shape.rows(at: \.shape) + [
      Parameter(
        "outside",
        \.outside,
        help: """
          What becomes of the rest: `transparent` (its colors stay in the file, under an alpha of 0), \
          a color, or `dim`, which lays black on what is visible there.
          """
      ),
      Parameter(
        "dim-opacity",
        \.dimOpacity,
        in: 0...1,
        unit: .ratio,
        help: "How dark `dim` is: 1 is black."
      ),
      Parameter(
        "stroke",
        \.stroke,
        help: "The color of a line along the shape's edge; none unless given, white with `dim`."
      ),
      Parameter(
        "stroke-width",
        \.strokeWidth,
        in: 0...10_000,
        unit: .pixels,
        help: """
          Of that line, half of it on either side of the edge; 0 is no line. A percentage is of the \
          frame's shorter side.
          """
      ),
      Parameter(
        "feather",
        \.feather,
        in: 0...1000,
        unit: .pixels,
        help: "How soft the edge is: the standard deviation of a Gaussian."
      ),
      Parameter("invert", \.invert, help: "Keep what is outside the shape, and treat the inside."),
      Parameter(
        "trim",
        \.trim,
        help: "Crop to the whole pixels that hold the shape, as far as they lie on the picture."
      ),
    ]
  public static let rules: [Rule<Self>] =
    Shape.rules(at: \.shape) + [
      Rule("dim-opacity with outside = \"dim\" only", keys: ["outside", "dim-opacity"]) {
        step,
        given in
        given.contains("dim-opacity") && step.outside != .dim
          ? "outside = \(step.outside.literal)" : nil
      },
      Rule(
        "stroke-width with stroke or outside = \"dim\"",
        keys: ["stroke", "stroke-width", "outside"]
      ) {
        step,
        given in
        given.contains("stroke-width") && step.stroke == nil && step.outside != .dim
          ? "stroke-width alone" : nil
      },
      Rule("no stroke with shape = \"image\", which has no edge", keys: ["shape", "stroke"]) {
        step,
        given in
        step.shape.kind == .image && (step.stroke != nil || given.contains("stroke-width"))
          ? "a stroke" : nil
      },
    ]
  public static let examples = [
    Example("A round picture of a face.", "shape = \"ellipse\"\nwidth = \"100%\"\ntrim = true"),
    Example(
      "Round corners on white.",
      "shape = \"rounded-rectangle\"\nradius = \"8%\"\noutside = \"white\""
    ),
    Example(
      "What a crop would keep, as an editor shows it.",
      "shape = \"rectangle\"\nwidth = \"60%\"\nheight = \"60%\"\noutside = \"dim\""
    ),
    Example(
      "A star with a soft edge and a golden line.",
      """
      shape = "star"
      height = "80%"
      inner = 0.5
      feather = 3
      stroke = "#d4a017"
      stroke-width = 4
      """
    ),
    Example(
      "A frame: the middle cut out of the picture.",
      """
      shape = "path"
      path = "M 10 10 H 90 V 90 H 10 Z"
      path-unit = "percent"
      invert = true
      """
    ),
  ]

  public var shape = Shape()
  public var outside = Outside.transparent
  public var dimOpacity = 0.6
  public var stroke: Color?
  public var strokeWidth: Length?
  public var feather = 0.0
  public var invert = false
  public var trim = false

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    let size = frame.size
    let (outline, box) = try located(in: size, context)
    if let file = shape.file { _ = try context.frame(of: file) }
    let window = trim ? box : PixelRectangle(size)
    var result = frame.showing(.outline(outline))
    if window.size != size { result = result.geometry { $0.crop(to: window) } }
    let line = line(in: size)
    if line == nil, keepsAll(of: window, outline) { return result }
    return result.pixels(
      size: .unchanged,
      access: .sequential,
      alpha: outside.addsTransparency ? .added : .unchanged
    ) { image in
      let mask = try shape.mask(
        in: size,
        window: window,
        feather: feather,
        inverted: invert,
        picture: context.picture
      )
      let masked = try treated(image, mask)
      guard let line else { return masked }
      let edge = try outline.mask(.stroke(width: line.width, join: .miter), window: window)
      return try masked.painted(line.color, through: edge)
    }
  }

  private func located(
    in size: Size,
    _ context: Context
  ) throws -> (outline: Outline, box: PixelRectangle) {
    do {
      return try (shape.outline(in: size), shape.box(in: size))
    } catch let error as ItemError {
      throw context.error(error.code, expected: error.expected, received: error.received)
    }
  }

  private func treated(_ image: Image, _ mask: Image) throws -> Image {
    switch outside {
    case .transparent: try image.masked(by: mask)
    case .color(let color): try image.masked(by: mask, on: color)
    case .dim: try image.dimmed(outside: mask, opacity: dimOpacity)
    }
  }

  /// The line along the edge; nil where there is none.
  private func line(in size: Size) -> (color: Color, width: Double)? {
    guard let color = stroke ?? (outside == .dim ? .white : nil), shape.kind != .image else {
      return nil
    }
    let width = (strokeWidth ?? .pixels(1)).pixels(of: min(size.width, size.height))
    return width > 0 ? (color, width) : nil
  }

  /// There is no rest: an upright rectangle with hard edges is all of the picture.
  private func keepsAll(of window: PixelRectangle, _ outline: Outline) -> Bool {
    guard shape.kind == .rectangle, shape.angle.quarterTurns != nil, feather == 0, !invert,
      let bounds = outline.bounds
    else { return false }
    return bounds.left <= Double(window.x) && bounds.top <= Double(window.y)
      && bounds.right >= Double(window.x + window.width)
      && bounds.bottom >= Double(window.y + window.height)
  }
}
