public import MinilabKit
public import Vips

/// No effort: x265 through libheif 1.15 takes no notice of it.
public struct HEIFEncoder: HEIFContainerEncoder {
  public enum Depth: Int, NumberChoice {
    case eight = 8
    case ten = 10
    case twelve = 12
  }

  public static let format = PictureFormat.heif
  public static let compression = "hevc"
  public static let parameters: [Parameter<Self>] =
    [.quality(\.quality)] + sharedRows(lossless: \.lossless, subsampling: \.subsampling) + [
      .bitDepth(\.bitDepth, help: "Bits of a channel. Unset: 8, which every viewer shows.")
    ]

  public var quality = Quality.usual(60)
  public var lossless = false
  public var subsampling = HEIFSubsampling.automatic
  public var bitDepth: Depth?

  public init() {}

  public var wantedDepth: Int? { bitDepth?.rawValue }

  public func arguments(for image: Image) -> [Argument] { containerArguments }
}
