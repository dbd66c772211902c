public import MinilabKit
public import Vips

public struct JPEGEncoder: PictureEncoder {
  /// How finely colors are kept, beside lightness.
  public enum Subsampling: String, CaseIterable, ParameterChoice {
    /// Every pixel from quality 90 on, else every second along both axes.
    case automatic = "auto"
    case everyPixel = "4:4:4"
    case everySecond = "4:2:0"
  }

  public static let format = PictureFormat.jpeg
  /// JPEG itself allows 65535; libjpeg stops at JPEG_MAX_DIMENSION.
  public static let longestSide = 65_500
  public static let holdsAlpha = false
  public static let saver = "jpegsave_target"
  public static let parameters: [Parameter<Self>] = [
    .quality(\.quality),
    Parameter(
      "progressive",
      \.progressive,
      help: "Show a coarse picture first while it is loading."
    ),
    Parameter(
      "subsampling",
      \.subsampling,
      help: "How finely colors are kept; `auto` keeps all of them from quality 90 on."
    ),
    Parameter(
      "optimize",
      \.optimize,
      help:
        "Code tables made for the picture: smaller, and slower. Progressive ones always have it."
    ),
    Parameter("trellis", \.trellis, help: "Choose coefficients by what they cost (mozjpeg)."),
    Parameter(
      "deringing",
      \.deringing,
      help: "Let black and white overshoot, for cleaner edges (mozjpeg)."
    ),
    Parameter(
      "optimize-scans",
      \.optimizeScans,
      help: "With `progressive`: look for the smallest order of scans (mozjpeg)."
    ),
    Parameter(
      "quant-table",
      \.quantTable,
      in: 0...8,
      help: "One of mozjpeg's tables by its number; 0 is that of the standard (mozjpeg)."
    ),
  ]
  public static let rules: [Rule<Self>] = [
    Rule(
      "the libjpeg of mozjpeg for \(mozjpegKeys.joined(separator: ", "))",
      keys: mozjpegKeys
    ) { _, given in
      guard !MozJPEG.isThere else { return nil }
      let found = mozjpegKeys.filter(given.contains)
      return found.isEmpty ? nil : "\(found.joined(separator: " and ")), which this libjpeg lacks"
    },
    Rule("optimize-scans together with progressive = true", keys: ["optimize-scans"]) {
      options,
      _ in
      options.optimizeScans && !options.progressive ? "progressive = false" : nil
    },
  ]

  private static let mozjpegKeys = ["trellis", "deringing", "optimize-scans", "quant-table"]

  public var quality = Quality.usual(82)
  public var progressive = false
  public var subsampling = Subsampling.automatic
  public var optimize = false
  public var trellis = false
  public var deringing = false
  public var optimizeScans = false
  public var quantTable = 0

  public init() {}

  public var searched: Quality? { quality }

  public func with(quality: Int) -> Self { with(\.quality, .fixed(quality)) }

  public func arguments(for image: Image) -> [Argument] {
    var arguments: [Argument] = [
      .init("Q", .int(quality.number)), .init("interlace", .bool(progressive)),
      .init("subsample-mode", .enumeration(subsampling.nick)),
      .init("optimize-coding", .bool(optimize)),
    ]
    // libvips warns of what its libjpeg cannot do even where it is not asked for.
    if trellis { arguments.append(.init("trellis-quant", .bool(true))) }
    if deringing { arguments.append(.init("overshoot-deringing", .bool(true))) }
    if optimizeScans { arguments.append(.init("optimize-scans", .bool(true))) }
    if quantTable > 0 { arguments.append(.init("quant-table", .int(quantTable))) }
    return arguments
  }
}

extension JPEGEncoder.Subsampling {
  /// libvips' name.
  var nick: String {
    switch self {
    case .automatic: "auto"
    case .everyPixel: "off"
    case .everySecond: "on"
    }
  }
}
