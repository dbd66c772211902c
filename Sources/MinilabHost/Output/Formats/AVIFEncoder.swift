public import MinilabKit
public import Vips

public struct AVIFEncoder: HEIFContainerEncoder {
  /// 10 aborts inside the encoder of libheif 1.15, or writes what nobody can open.
  public enum Depth: Int, NumberChoice {
    case eight = 8
    case twelve = 12
  }

  public static let format = PictureFormat.avif
  public static let compression = "av1"
  public static let parameters: [Parameter<Self>] =
    [
      .quality(\.quality),
      Parameter("effort", \.effort, in: 0...9, help: "Higher is slower, and mostly smaller."),
    ] + sharedRows(lossless: \.lossless, subsampling: \.subsampling) + [
      .bitDepth(\.bitDepth, help: "Bits of a channel. Unset: 8, which every viewer shows.")
    ]

  public var quality = Quality.usual(60)
  public var effort = 4
  public var lossless = false
  public var subsampling = HEIFSubsampling.automatic
  public var bitDepth: Depth?

  public init() {}

  public var wantedDepth: Int? { bitDepth?.rawValue }

  public func arguments(for image: Image) -> [Argument] {
    containerArguments + [.init("effort", .int(effort))]
  }
}
