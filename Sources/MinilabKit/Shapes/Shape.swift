/// A shape on a frame, as a profile describes it: the rows of `shape-mask`, and of the table `shape`
/// in a layer.
public struct Shape: ParameterTable {
  public enum Kind: String, CaseIterable, ParameterChoice {
    case rectangle
    case ellipse
    case roundedRectangle = "rounded-rectangle"
    case polygon
    case star
    case path
    case image
  }

  /// What the numbers of path data count.
  public enum PathUnit: String, CaseIterable, ParameterChoice {
    case pixels
    case percent
  }

  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "shape",
      \.kind,
      required: true,
      help: "What it looks like; `image` is a mask picture, `path` is SVG's path data."
    ),
    Parameter(
      "width",
      \.width,
      in: 0...1_000_000,
      unit: .pixels,
      help: """
        Of the shape before it is turned. Where only one of width and height is given, or the other is \
        0, it counts for both: a square, a circle. With neither, the shape fills the frame, but for a \
        polygon or a path, which then stays as large as it was drawn.
        """
    ),
    Parameter(
      "height",
      \.height,
      in: 0...1_000_000,
      unit: .pixels,
      help: """
        See width. A polygon or a path is stretched to width and height; with one of them it is scaled \
        to fit into the square.
        """
    ),
    Parameter(
      "center",
      \.center,
      in: -1_000_000...1_000_000,
      unit: .pixels,
      help: """
        Where the shape's center lies on the frame; the frame's center unless given. A polygon or a \
        path without width and height stays where it was drawn.
        """
    ),
    Parameter(
      "angle",
      \.angle,
      in: -360_000...360_000,
      unit: .degrees,
      help: "How far the shape is turned about its center, clockwise."
    ),
    Parameter(
      "radius",
      \.radius,
      in: 0...1_000_000,
      unit: .pixels,
      help: """
        Of the corners of a `rounded-rectangle`: one for all, or four, clockwise from the top left. A \
        percentage is of the rectangle's shorter side. Radii too large for a side shrink together.
        """
    ),
    Parameter(
      "points",
      \.points,
      unit: .pixels,
      help: "The corners of a `polygon`, each `[x, y]` on the frame."
    ),
    Parameter("spikes", \.spikes, in: 3...1000, help: "The points of a `star`; the first is up."),
    Parameter(
      "inner",
      \.inner,
      in: 0.01...1,
      unit: .ratio,
      help: "Where a `star` has its notches, as a part of its outer radius."
    ),
    Parameter(
      "path",
      \.path,
      help: """
        SVG path data, all commands; each part is closed, and what lies inside an even number of them \
        is outside.
        """
    ),
    Parameter(
      "path-unit",
      \.pathUnit,
      help: "What the path's numbers count: pixels of the frame, or hundredths of its sides."
    ),
    Parameter(
      "file",
      \.file,
      help: """
        The mask of an `image`, stretched to width and height: its alpha, or, where it has none, its \
        lightness.
        """
    ),
  ]

  public static let rules: [Rule<Self>] = [
    belongs("radius", to: .roundedRectangle),
    belongs("points", to: .polygon, isNeeded: true),
    Rule("three points or more", keys: ["points"]) { shape, given in
      given.contains("points") && shape.points.count < 3 ? "\(shape.points.count)" : nil
    },
    belongs("spikes", to: .star),
    belongs("inner", to: .star),
    belongs("path", to: .path, isNeeded: true),
    belongs("path-unit", to: .path),
    belongs("file", to: .image, isNeeded: true),
  ]

  public var kind = Kind.rectangle
  public var width: Length?
  public var height: Length?
  public var center: Pair<Length>?
  public var angle = Angle(degrees: 0)
  public var radius = CornerRadii(.fraction(0.1))
  public var points: [Pair<Length>] = []
  public var spikes = 5
  public var inner = 0.4
  public var path: PathData?
  public var pathUnit = PathUnit.pixels
  public var file: FileReference?

  public init() {}

  /// The key stands with this shape only, and where it is needed never without.
  private static func belongs(
    _ key: String,
    to kind: Kind,
    isNeeded: Bool = false
  ) -> Rule<Self> {
    let text = "\(key) with shape = \(kind.literal)\(isNeeded ? "" : " only")"
    return Rule(text, keys: ["shape", key]) { shape, given in
      if given.contains(key), shape.kind != kind { return "shape = \(shape.kind.literal)" }
      return isNeeded && shape.kind == kind && !given.contains(key) ? "no \(key)" : nil
    }
  }
}
