public import MinilabKit
public import Vips

public struct WebPEncoder: PictureEncoder {
  /// What libwebp tunes its lossy coding for.
  public enum Preset: String, CaseIterable, ParameterChoice {
    case usual = "default"
    case picture
    case photo
    case drawing
    case icon
    case text
  }

  public static let format = PictureFormat.webp
  /// WEBP_MAX_DIMENSION.
  public static let longestSide = 16_383
  public static let saver = "webpsave_target"
  public static let parameters: [Parameter<Self>] = [
    .quality(\.quality),
    Parameter("effort", \.effort, in: 0...6, help: "Higher is smaller and slower."),
    Parameter(
      "lossless",
      \.lossless,
      help: """
        Keep every pixel; quality then means effort. Where no option of the encoder is set, a lossless WebP \
        stays lossless.
        """
    ),
    Parameter(
      "near-lossless",
      \.nearLossless,
      help: "Lossless after a slight smoothing: the lower the quality the more, and the smaller."
    ),
    Parameter(
      "alpha-quality",
      \.alphaQuality,
      in: 0...100,
      help: "Of the transparency of a lossy picture; 100 keeps it as it is."
    ),
    Parameter(
      "smart-subsampling",
      \.smartSubsampling,
      help: "Sharper edges between colors, slower and larger."
    ),
    Parameter("preset", \.preset, help: "What a lossy picture shows."),
  ]
  public static let rules: [Rule<Self>] = [
    .atMostOne(of: ["lossless", "near-lossless"]),
    .qualityToChoose(\.quality) { $0.isLossless },
    Rule(
      "a lossy picture for alpha-quality, smart-subsampling and preset",
      keys: ["alpha-quality", "smart-subsampling", "preset"]
    ) { options, given in
      let found = ["alpha-quality", "smart-subsampling", "preset"].filter(given.contains)
      return found.isEmpty || !options.isLossless ? nil : "\(found[0]) with a lossless one"
    },
  ]

  public var quality = Quality.usual(80)
  public var effort = 4
  public var lossless = false
  public var nearLossless = false
  public var alphaQuality = 100
  public var smartSubsampling = false
  public var preset = Preset.usual

  public init() {}

  var isLossless: Bool { lossless || nearLossless }

  public var searched: Quality? { isLossless ? nil : quality }

  public func with(quality: Int) -> Self { with(\.quality, .fixed(quality)) }

  public func arguments(for image: Image) -> [Argument] {
    [
      .init("Q", .int(quality.number)), .init("effort", .int(effort)),
      .init("lossless", .bool(lossless)), .init("near-lossless", .bool(nearLossless)),
      .init("alpha-q", .int(alphaQuality)), .init("smart-subsample", .bool(smartSubsampling)),
      .init("preset", .enumeration(preset.rawValue)),
    ]
  }
}
