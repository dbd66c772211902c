public import MinilabKit
public import Vips

public struct JXLEncoder: PictureEncoder {
  public enum Depth: Int, NumberChoice {
    case eight = 8
    case sixteen = 16
  }

  public static let format = PictureFormat.jxl
  public static let longestSide = 10_000_000
  public static let saver = "jxlsave_target"
  public static let parameters: [Parameter<Self>] = [
    .quality(\.quality),
    Parameter(
      "distance",
      \.distance,
      in: 0.01...15,
      help: "In place of quality: butteraugli's distance; 1 is hard to see, higher is smaller."
    ),
    Parameter("effort", \.effort, in: 3...9, help: "Higher is smaller and slower."),
    Parameter("lossless", \.lossless, help: "Keep every pixel."),
    Parameter(
      "decoding-speed",
      \.decodingSpeed,
      in: 0...4,
      help: "Higher is decoded faster, and larger."
    ),
    .bitDepth(\.bitDepth, help: "Bits of a channel. Unset: the picture's."),
  ]
  public static let rules: [Rule<Self>] = [
    .atMostOne(of: ["quality", "distance", "lossless"])
  ]

  public var quality = Quality.usual(85)
  public var distance: Double?
  public var effort = 7
  public var lossless = false
  public var decodingSpeed = 0
  public var bitDepth: Depth?

  public init() {}

  public var depth: Int { 16 }
  public var wantedDepth: Int? { bitDepth?.rawValue }
  public var searched: Quality? { lossless || distance != nil ? nil : quality }

  public func with(quality: Int) -> Self { with(\.quality, .fixed(quality)) }

  public func arguments(for image: Image) -> [Argument] {
    [
      distance.map { .init("distance", .double($0)) } ?? .init("Q", .int(quality.number)),
      .init("effort", .int(effort)), .init("lossless", .bool(lossless)),
      .init("tier", .int(decodingSpeed)),
    ]
  }
}
