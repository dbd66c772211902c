public import MinilabKit
import Vips

/// What AVIF and HEIC share: the container of ISO/IEC 23008-12, and libheif's saver.
public protocol HEIFContainerEncoder: PictureEncoder {
  var quality: Quality { get set }
  var lossless: Bool { get }
  var subsampling: HEIFSubsampling { get }
  /// libvips' name of the codec.
  static var compression: String { get }
}

/// How finely colors are kept, beside lightness.
public enum HEIFSubsampling: String, CaseIterable, ParameterChoice {
  /// Every pixel from quality 90 on, else every second along both axes.
  case automatic = "auto"
  case everyPixel = "4:4:4"
  case everySecond = "4:2:0"

  /// libvips' name.
  var nick: String {
    switch self {
    case .automatic: "auto"
    case .everyPixel: "off"
    case .everySecond: "on"
    }
  }
}

extension HEIFContainerEncoder {
  public static var longestSide: Int { 16_384 }
  public static var saver: String { "heifsave_target" }

  /// 8 unless the output says more: few viewers show more.
  public var depth: Int { 8 }
  public var searched: Quality? { lossless ? nil : quality }

  public func with(quality: Int) -> Self { with(\.quality, .fixed(quality)) }

  public static var rules: [Rule<Self>] {
    [
      .qualityToChoose(\.quality) { $0.lossless },
      Rule(
        "subsampling = \"4:4:4\" with lossless",
        keys: ["lossless", "subsampling"]
      ) { options, _ in
        options.lossless && options.subsampling == .everySecond ? "subsampling = \"4:2:0\"" : nil
      },
    ]
  }

  /// What both tell the saver.
  var containerArguments: [Argument] {
    [
      .init("compression", .enumeration(Self.compression)), .init("Q", .int(quality.number)),
      .init("lossless", .bool(lossless)), .init("bitdepth", .int(wantedDepth ?? 8)),
      .init("subsample-mode", .enumeration(lossless ? "off" : subsampling.nick)),
    ]
  }

  static func sharedRows(
    lossless: any WritableKeyPath<Self, Bool> & Sendable,
    subsampling: any WritableKeyPath<Self, HEIFSubsampling> & Sendable
  ) -> [Parameter<Self>] {
    [
      Parameter(
        "lossless",
        lossless,
        help: "Lose nothing but the rounding to luma and chroma: one level, or none."
      ),
      Parameter(
        "subsampling",
        subsampling,
        help: "How finely colors are kept; `auto` keeps all of them from quality 90 on."
      ),
    ]
  }
}
