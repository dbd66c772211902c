public import MinilabKit

/// Makes the picture upright, and turns or mirrors it as told.
public struct Orient: ImageOperation {
  public enum Mode: String, CaseIterable, ParameterChoice {
    case auto
    case rotate90 = "rotate-90"
    case rotate180 = "rotate-180"
    case rotate270 = "rotate-270"
    case flipHorizontal = "flip-horizontal"
    case flipVertical = "flip-vertical"
    case transpose
    case transverse
  }

  public static let name = "orient"
  public static let version = 1
  public static let summary =
    "Make the picture upright by its orientation tag, then turn it if told."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "mode",
      \.mode,
      help: "`auto` follows the tag; any other turn comes after it, clockwise."
    ),
    Parameter("ignore-tag", \.ignoreTag, help: "Take the picture as it is stored."),
    .lossless(\.lossless),
  ]
  public static let examples = [
    Example("Upright by the tag.", ""),
    Example("Upright, then a quarter turn clockwise.", "mode = \"rotate-90\""),
    Example("Mirrored, whatever the tag says.", "mode = \"flip-horizontal\"\nignore-tag = true"),
    Example(
      "A JPEG turned without loss, if need be without its edge.",
      "mode = \"rotate-90\"\nlossless = \"trim\""
    ),
  ]

  public var mode = Mode.auto
  public var ignoreTag = false
  public var lossless = LosslessPolicy.perfect

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    frame.upright().geometry { geometry in
      // A frame is upright already; as stored is the same picture turned back. Behind another `orient`
      // there is no tag any more.
      if ignoreTag, !frame.isUpright { geometry.turn(frame.origin.orientation.inverse) }
      geometry.turn(mode.orientation)
    }
    .lossless(lossless)
  }
}

extension Orient.Mode {
  /// The tag that asks a viewer for this turn.
  fileprivate var orientation: Orientation {
    switch self {
    case .auto: .up
    case .rotate90: .right
    case .rotate180: .down
    case .rotate270: .left
    case .flipHorizontal: .upMirrored
    case .flipVertical: .downMirrored
    case .transpose: .leftMirrored
    case .transverse: .rightMirrored
    }
  }
}
