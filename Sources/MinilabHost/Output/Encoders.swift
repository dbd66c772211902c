public import MinilabKit
public import Vips

public struct JPEGEncoder: PictureEncoder {
  public static let format = PictureFormat.jpeg
  /// JPEG itself allows 65535; libjpeg stops at JPEG_MAX_DIMENSION.
  public static let longestSide = 65_500
  public static let holdsAlpha = false
  public static let saver = "jpegsave_target"
  public static let parameters: [Parameter<Self>] = [
    Parameter("quality", \.quality, in: 1...100, help: "Higher is better and larger."),
    Parameter(
      "progressive",
      \.progressive,
      help: "Show a coarse picture first while it is loading."
    ),
  ]

  public var quality = 82
  public var progressive = false

  public init() {}

  public var arguments: [Argument] {
    [.init("Q", .int(quality)), .init("interlace", .bool(progressive))]
  }
}

public struct PNGEncoder: PictureEncoder {
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
  ]

  public var effort = 6
  public var progressive = false

  public init() {}

  public var depth: Int { 16 }
  public var arguments: [Argument] {
    [.init("compression", .int(effort)), .init("interlace", .bool(progressive))]
  }
}

public struct WebPEncoder: PictureEncoder {
  public static let format = PictureFormat.webp
  /// WEBP_MAX_DIMENSION.
  public static let longestSide = 16_383
  public static let saver = "webpsave_target"
  public static let parameters: [Parameter<Self>] = [
    Parameter("quality", \.quality, in: 1...100, help: "Higher is better and larger."),
    Parameter("effort", \.effort, in: 0...6, help: "Higher is smaller and slower."),
    Parameter("lossless", \.lossless, help: "Keep every pixel; quality then means effort."),
  ]

  public var quality = 80
  public var effort = 4
  public var lossless = false

  public init() {}

  public var arguments: [Argument] {
    [
      .init("Q", .int(quality)), .init("effort", .int(effort)), .init("lossless", .bool(lossless)),
    ]
  }
}

public struct TIFFEncoder: PictureEncoder {
  public enum Compression: String, CaseIterable, ParameterChoice {
    case none
    case deflate
    case lzw
    case jpeg
    case zstd
  }

  public static let format = PictureFormat.tiff
  public static let longestSide = 10_000_000
  public static let saver = "tiffsave_target"
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "compression",
      \.compression,
      help: "All but `jpeg` keep every pixel."
    ),
    Parameter(
      "quality",
      \.quality,
      in: 1...100,
      help: "With `compression = \"jpeg\"`: higher is better."
    ),
  ]
  public static let rules: [Rule<Self>] = [
    Rule("compression = \"jpeg\" where quality is given", keys: ["quality"]) { options, given in
      given.contains("quality") && options.compression != .jpeg
        ? "compression = \(options.compression.literal)" : nil
    }
  ]

  public var compression = Compression.deflate
  public var quality = 82

  public init() {}

  public var depth: Int { compression == .jpeg ? 8 : 16 }
  public var arguments: [Argument] {
    var arguments: [Argument] = [
      .init("compression", .enumeration(compression.rawValue)), .init("Q", .int(quality)),
    ]
    if compression == .deflate || compression == .lzw || compression == .zstd {
      arguments.append(.init("predictor", .enumeration("horizontal")))
    }
    return arguments
  }
}

public struct GIFEncoder: PictureEncoder {
  public static let format = PictureFormat.gif
  public static let longestSide = 65_535
  public static let saver = "gifsave_target"
  public static let parameters: [Parameter<Self>] = [
    Parameter("effort", \.effort, in: 1...10, help: "Higher finds a better palette, slower."),
    Parameter("dither", \.dither, in: 0...1, help: "How much Floyd-Steinberg dithering."),
  ]

  public var effort = 7
  public var dither = 1.0

  public init() {}

  public var arguments: [Argument] {
    [.init("effort", .int(effort)), .init("dither", .double(dither))]
  }
}

/// What AVIF and HEIC share: the container of ISO/IEC 23008-12, and libheif's saver.
public protocol HEIFContainerEncoder: PictureEncoder {
  var quality: Int { get set }
  var effort: Int { get set }
  var lossless: Bool { get set }
  /// libvips' name of the codec.
  static var compression: String { get }
}

extension HEIFContainerEncoder {
  public static var longestSide: Int { 16_384 }
  public static var saver: String { "heifsave_target" }

  public var arguments: [Argument] {
    [
      .init("compression", .enumeration(Self.compression)), .init("Q", .int(quality)),
      .init("effort", .int(effort)), .init("lossless", .bool(lossless)),
      // AVIF of bit depth 10 aborts inside the encoder of libheif 1.15.
      .init("bitdepth", .int(8)),
    ]
  }
}

extension HEIFContainerEncoder {
  fileprivate static func rows(
    _ quality: any WritableKeyPath<Self, Int> & Sendable,
    _ effort: any WritableKeyPath<Self, Int> & Sendable,
    _ lossless: any WritableKeyPath<Self, Bool> & Sendable
  ) -> [Parameter<Self>] {
    [
      Parameter("quality", quality, in: 1...100, help: "Higher is better and larger."),
      Parameter("effort", effort, in: 0...9, help: "Higher is smaller and slower."),
      Parameter("lossless", lossless, help: "Keep every pixel."),
    ]
  }
}

public struct AVIFEncoder: HEIFContainerEncoder {
  public static let format = PictureFormat.avif
  public static let compression = "av1"
  public static let parameters = rows(\.quality, \.effort, \.lossless)

  public var quality = 60
  public var effort = 4
  public var lossless = false

  public init() {}
}

public struct HEIFEncoder: HEIFContainerEncoder {
  public static let format = PictureFormat.heif
  public static let compression = "hevc"
  public static let parameters = rows(\.quality, \.effort, \.lossless)

  public var quality = 60
  public var effort = 4
  public var lossless = false

  public init() {}
}

public struct JXLEncoder: PictureEncoder {
  public static let format = PictureFormat.jxl
  public static let longestSide = 10_000_000
  public static let saver = "jxlsave_target"
  public static let parameters: [Parameter<Self>] = [
    Parameter("quality", \.quality, in: 1...100, help: "Higher is better and larger."),
    Parameter("effort", \.effort, in: 3...9, help: "Higher is smaller and slower."),
    Parameter("lossless", \.lossless, help: "Keep every pixel."),
  ]

  public var quality = 85
  public var effort = 7
  public var lossless = false

  public init() {}

  public var depth: Int { 16 }
  public var arguments: [Argument] {
    [
      .init("Q", .int(quality)), .init("effort", .int(effort)), .init("lossless", .bool(lossless)),
    ]
  }
}
