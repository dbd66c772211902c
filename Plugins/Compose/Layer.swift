public import MinilabKit

/// A picture on the canvas: `[[step.layer]]`, bottom first.
public struct Layer: ParameterTable {
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "source",
      \.source,
      required: true,
      help: """
        The picture: `frame` is the unit's first, `frame:2` the second of a gathered one (left out, \
        with a note, where there are fewer), `output:NAME` what an output listed above has made, \
        before it is encoded; anything else is a file.
        """
    ),
    Parameter(
      "center",
      \.center,
      unit: .pixels,
      help:
        "Where the layer's middle goes; a percentage is of the canvas. In the middle by default."
    ),
    Parameter(
      "gravity",
      \.gravity,
      help: "The edges or the corner of the canvas that the layer, turned as it is, lies at."
    ),
    Parameter(
      "offset",
      \.offset,
      unit: .pixels,
      help: """
        A shift to the right and down from where `gravity` puts the layer. A percentage is of the \
        canvas.
        """
    ),
    Parameter(
      "width",
      \.width,
      in: 0...1_000_000,
      unit: .pixels,
      help:
        "Of the layer before it is turned; a percentage is of the canvas. Alone it keeps the aspect."
    ),
    Parameter(
      "height",
      \.height,
      in: 0...1_000_000,
      unit: .pixels,
      help:
        "Of the layer before it is turned; a percentage is of the canvas. Alone it keeps the aspect."
    ),
    Parameter(
      "fit",
      \.fit,
      help: """
        Between `width` and `height`: `contain` keeps the whole picture, `cover` fills the box and \
        cuts what sticks out, `stretch` changes the aspect.
        """
    ),
    Parameter(
      "zoom",
      \.zoom,
      in: 0.0001...10_000,
      unit: .ratio,
      help:
        "Canvas pixels for one of the picture's. Without it and a size, a layer has its own size."
    ),
    Parameter(
      "angle",
      \.angle,
      in: -360_000...360_000,
      unit: .degrees,
      help: "Clockwise, about the layer's middle."
    ),
    Parameter("opacity", \.opacity, in: 0...1, unit: .ratio, help: "Multiplies the layer's alpha."),
    Parameter(
      "blend",
      \.blend,
      help: """
        How the layer mixes with what lies below: Porter and Duff's operators and the blend modes of \
        the W3C, by libvips' names. `clear`, `source`, `in`, `out`, `dest-in` and `dest-atop` count \
        everywhere: outside its box the layer is transparent.
        """
    ),
    Parameter(
      table: "shape",
      \.shape,
      help: """
        What is seen of the layer. Lengths are in pixels of the profile, percentages of the layer as \
        it lies on the canvas, before it is turned.
        """
    ),
  ]
  public static let rules: [Rule<Self>] = [
    .atMostOne(of: ["center", "gravity"]),
    .requires("offset", oneOf: ["gravity"]),
    .atMostOne(of: ["zoom", "width"]),
    .atMostOne(of: ["zoom", "height"]),
    Rule("fit together with width and height", keys: ["fit"]) { _, given in
      guard given.contains("fit"), !given.isSuperset(of: ["width", "height"]) else { return nil }
      return given.isDisjoint(with: ["width", "height"]) ? "fit alone" : "one of them"
    },
    Rule("a width and a height above 0", keys: ["width", "height"]) { layer, _ in
      let sides = [layer.width, layer.height].compactMap { $0 }
      return sides.first { $0.pixels(of: 1000) <= 0 }?.literal
    },
  ]

  public var source = LayerSource.frame(1)
  public var center: Pair<Length>?
  public var gravity: Gravity?
  public var offset = Pair(Length.pixels(0), Length.pixels(0))
  public var width: Length?
  public var height: Length?
  public var fit = Fit.contain
  public var zoom = 1.0
  public var angle = Angle(degrees: 0)
  public var opacity = 1.0
  public var blend = BlendMode.over
  public var shape: Shape?

  public init() {}
}

/// Where a layer's picture comes from.
public enum LayerSource: ParameterValue, Equatable {
  /// One of the unit's frames, counted from 1.
  case frame(Int)
  case file(FileReference)
  /// The picture of an output that stands above.
  case output(String)

  public static var schema: Schema { .any([.choice(["frame"]), .string, .file]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let text = node.text else { return field.refuse(node, as: Self.self, &problems) }
    if text == "frame" { return .frame(1) }
    if text.hasPrefix("output:") { return .output(String(text.dropFirst("output:".count))) }
    if text.hasPrefix("frame:") {
      if let number = Int(text.dropFirst("frame:".count)), number >= 1 { return .frame(number) }
      problems.append(
        Problem(
          .wrongType,
          at: node.place,
          key: field.key,
          expected: "\"frame:1\", \"frame:2\" …",
          received: node.shown
        )
      )
      return nil
    }
    return FileReference.decode(node, as: field, &problems).map { .file($0) }
  }

  public var literal: String { shown.literal }

  /// As a profile writes it.
  var shown: String {
    switch self {
    case .frame(1): "frame"
    case .frame(let number): "frame:\(number)"
    case .file(let file): file.given
    case .output(let name): "output:\(name)"
    }
  }
}
