public import MinilabKit
public import Vips

public struct PNGEncoder: PictureEncoder {
  public enum Depth: Int, NumberChoice {
    case one = 1
    case two = 2
    case four = 4
    case eight = 8
    case sixteen = 16
  }

  /// What a row is told by (ISO/IEC 15948, 9.2).
  public enum Filter: String, CaseIterable, ParameterChoice {
    case none
    case sub
    case up
    case average
    case paeth
    /// Whichever suits each row best.
    case all
  }

  public static let format = PictureFormat.png
  /// PNG allows 2³¹ - 1; libvips stops at VIPS_MAX_COORD.
  public static let longestSide = 10_000_000
  public static let saver = "pngsave_target"
  public static let parameters: [Parameter<Self>] = [
    Parameter("effort", \.effort, in: 0...9, help: "zlib's level: higher is smaller and slower."),
    Parameter(
      "progressive",
      \.progressive,
      help: "Adam7 interlacing: a coarse picture first, and larger."
    ),
    Parameter(
      "filter",
      \.filter,
      help: "How rows are made ready for zlib; the pixels are the same."
    ),
    .bitDepth(
      \.bitDepth,
      help: "Bits of a channel; under 8 colors become a palette of that many bits."
    ),
    Parameter("palette", \.palette, help: "At most 256 colors, chosen for the picture: smaller."),
    Parameter(
      "palette-quality",
      \.paletteQuality,
      in: 0...100,
      help: "With a palette: lower may take fewer colors than there is room for."
    ),
    Parameter(
      "palette-effort",
      \.paletteEffort,
      in: 1...10,
      help: "With a palette: higher finds better colors, slower."
    ),
    Parameter("dither", \.dither, in: 0...1, help: "With a palette: how much dithering."),
  ]
  public static let rules: [Rule<Self>] = [
    Rule("at most bit-depth = 8 with palette", keys: ["palette", "bit-depth"]) { options, _ in
      options.palette && options.bitDepth == .sixteen ? "bit-depth = 16" : nil
    },
    Rule(
      "palette = true, or a bit-depth under 8, for palette-quality, palette-effort and dither",
      keys: ["palette-quality", "palette-effort", "dither"]
    ) { options, given in
      let found = ["palette-quality", "palette-effort", "dither"].filter(given.contains)
      return found.isEmpty || options.mayHavePalette ? nil : "\(found[0]) without a palette"
    },
  ]

  public var effort = 6
  public var progressive = false
  public var filter = Filter.none
  public var bitDepth: Depth?
  public var palette = false
  public var paletteQuality = 100
  public var paletteEffort = 7
  public var dither = 1.0

  public init() {}

  private var mayHavePalette: Bool { palette || isShallow }
  private var isShallow: Bool { bitDepth.map { $0.rawValue < 8 } ?? false }

  public var depth: Int { palette ? 8 : 16 }
  public var wantedDepth: Int? { bitDepth?.rawValue }
  // libvips 8.14 packs the low bits of what it is handed.
  public var lowDepth: LowDepth { .levels }

  public func makesPalette(of image: Image) -> Bool {
    // Gray of few bits is gray, but with transparency PNG has none (ISO/IEC 15948, table 11.1).
    palette || (isShallow && image.bands != 1)
  }

  public func arguments(for image: Image) -> [Argument] {
    var arguments: [Argument] = [
      .init("compression", .int(effort)), .init("interlace", .bool(progressive)),
      .init("filter", .int(filter.bits)),
    ]
    if let bitDepth { arguments.append(.init("bitdepth", .int(bitDepth.rawValue))) }
    if makesPalette(of: image) {
      arguments += [
        .init("palette", .bool(true)), .init("Q", .int(paletteQuality)),
        .init("effort", .int(paletteEffort)), .init("dither", .double(dither)),
      ]
    }
    return arguments
  }
}

extension PNGEncoder.Filter {
  /// libvips' and libpng's flags.
  var bits: Int {
    switch self {
    case .none: 0x08
    case .sub: 0x10
    case .up: 0x20
    case .average: 0x40
    case .paeth: 0x80
    case .all: 0xf8
    }
  }
}
