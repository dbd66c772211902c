public import MinilabKit
public import Vips

public struct TIFFEncoder: PictureEncoder {
  public enum Compression: String, CaseIterable, ParameterChoice {
    case none
    case deflate
    case lzw
    case zstd
    case packbits
    case ccittfax4
    case jpeg

    var takesPredictor: Bool { self == .deflate || self == .lzw || self == .zstd }
  }

  public enum Predictor: String, CaseIterable, ParameterChoice {
    case none
    /// Each sample as its difference from the one beside it.
    case horizontal
  }

  public enum Depth: Int, NumberChoice {
    case one = 1
    case two = 2
    case four = 4
    case eight = 8
    case sixteen = 16
  }

  public static let format = PictureFormat.tiff
  public static let longestSide = 10_000_000
  public static let saver = "tiffsave_target"
  public static let parameters: [Parameter<Self>] = [
    Parameter("compression", \.compression, help: "All but `jpeg` keep every pixel."),
    .quality(\.quality, help: "With `compression = \"jpeg\"`: higher is better."),
    Parameter(
      "predictor",
      \.predictor,
      help: "With `deflate`, `lzw` and `zstd`: `horizontal` makes photographs smaller."
    ),
    .bitDepth(\.bitDepth, help: "Bits of a channel; under 8 for gray alone."),
    Parameter("tile", \.tile, help: "Tiles in place of strips: parts can be read alone."),
    Parameter(
      "tile-size",
      \.tileSize,
      in: 16...32_768,
      unit: .pixels,
      help: "A side of the tiles, a multiple of 16."
    ),
    Parameter("pyramid", \.pyramid, help: "Halves of halves as further pages, all of them tiled."),
    Parameter("bigtiff", \.bigtiff, help: "For files past 4 GB; old programs cannot read it."),
  ]
  public static let rules: [Rule<Self>] = [
    Rule("compression = \"jpeg\" where quality is given", keys: ["quality"]) { options, given in
      given.contains("quality") && options.compression != .jpeg
        ? "compression = \(options.compression.literal)" : nil
    },
    Rule(
      "deflate, lzw or zstd, of 8 bit or more, where predictor is given",
      keys: ["predictor"]
    ) { options, given in
      guard given.contains("predictor") else { return nil }
      if options.isShallow { return "fewer bits" }
      return options.compression.takesPredictor
        ? nil : "compression = \(options.compression.literal)"
    },
    Rule("bit-depth = 1 with compression = \"ccittfax4\"", keys: ["compression", "bit-depth"]) {
      options,
      _ in
      options.compression == .ccittfax4 && options.bitDepth != .one
        ? "bit-depth = \(options.bitDepth?.literal ?? "as the picture's")" : nil
    },
    Rule("bit-depth = 8 with compression = \"jpeg\"", keys: ["compression", "bit-depth"]) {
      options,
      _ in
      guard options.compression == .jpeg, let depth = options.bitDepth, depth != .eight else {
        return nil
      }
      return "bit-depth = \(depth.literal)"
    },
    Rule("tile or pyramid with tile-size", keys: ["tile-size"]) { options, given in
      given.contains("tile-size") && !options.tile && !options.pyramid ? "strips" : nil
    },
    Rule("a tile-size that is a multiple of 16", keys: ["tile-size"]) { options, _ in
      options.tileSize % 16 == 0 ? nil : "\(options.tileSize)"
    },
  ]

  public var compression = Compression.deflate
  public var quality = Quality.usual(82)
  public var predictor = Predictor.horizontal
  public var bitDepth: Depth?
  public var tile = false
  public var tileSize = 256
  public var pyramid = false
  public var bigtiff = false
  /// Further directories are pages, so a pyramid's stand below those.
  private var isPage = false

  public init() {}

  /// Such samples share bytes, and libtiff has no predictor for them.
  private var isShallow: Bool { bitDepth.map { $0.rawValue < 8 } ?? false }

  public var depth: Int { compression == .jpeg ? 8 : 16 }
  public var wantedDepth: Int? { bitDepth?.rawValue }
  public var lowDepth: LowDepth { .grayAlone }

  public var searched: Quality? { compression == .jpeg ? quality : nil }

  public func with(quality: Int) -> Self { with(\.quality, .fixed(quality)) }

  public var forPages: Self { with(\.isPage, true) }

  public func arguments(for image: Image) -> [Argument] {
    // Left to itself libvips takes one, and libtiff then writes what it cannot read.
    let predictor = compression.takesPredictor && !isShallow ? predictor : .none
    var arguments: [Argument] = [
      .init("predictor", .enumeration(predictor.rawValue)),
      .init("compression", .enumeration(compression.rawValue)),
      .init("Q", .int(quality.number)), .init("bigtiff", .bool(bigtiff)),
    ]
    if let bits = wantedDepth, bits < 8 { arguments.append(.init("bitdepth", .int(bits))) }
    if tile || pyramid {
      arguments += [
        .init("tile", .bool(true)), .init("pyramid", .bool(pyramid)),
        .init("subifd", .bool(isPage)),
        .init("tile-width", .int(tileSize)), .init("tile-height", .int(tileSize)),
      ]
    }
    return arguments
  }
}
