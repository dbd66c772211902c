public import MinilabKit
public import Vips

public struct GIFEncoder: PictureEncoder {
  public static let format = PictureFormat.gif
  public static let longestSide = 65_535
  public static let saver = "gifsave_target"
  public static let parameters: [Parameter<Self>] = [
    Parameter("effort", \.effort, in: 1...10, help: "Higher finds a better palette, slower."),
    Parameter("dither", \.dither, in: 0...1, help: "How much Floyd-Steinberg dithering."),
    Parameter(
      "palette-bits",
      \.paletteBits,
      in: 1...8,
      help: "A palette of 2 colors for 1 bit, of 256 for 8; one of them may mean transparent."
    ),
    Parameter(
      "progressive",
      \.progressive,
      help: "Interlaced: a coarse picture first, and larger."
    ),
  ]

  public var effort = 7
  public var dither = 1.0
  public var paletteBits = 8
  public var progressive = false

  public init() {}

  public func arguments(for image: Image) -> [Argument] {
    [
      .init("effort", .int(effort)), .init("dither", .double(dither)),
      .init("bitdepth", .int(paletteBits)), .init("interlace", .bool(progressive)),
    ]
  }
}
