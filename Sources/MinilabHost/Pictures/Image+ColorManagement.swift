import MinilabKit
import Vips

extension Image {
  /// Through the embedded profile, or a built-in one of the picture's kind where it has none;
  /// relative colorimetric with black point compensation.
  func toSRGB(depth: Int) throws -> Image {
    try call(
      "icc_transform",
      [
        .init("output-profile", .string("srgb")), .init("embedded", .bool(true)),
        .init("input-profile", .string(interpretation == .cmyk ? "cmyk" : "srgb")),
        .init("intent", .enumeration("relative")),
        .init("black-point-compensation", .bool(true)), .init("depth", .int(depth)),
      ]
    )
  }
}
