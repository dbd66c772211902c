public import Vips

extension Image {
  /// Through the embedded profile, or a built-in one of the picture's kind where it has none;
  /// relative colorimetric where the profile has it, with black point compensation.
  public func toSRGB(depth: Int) throws -> Image {
    let intent =
      blob("icc-profile-data").map { RenderingIntent(of: $0, isSource: true) } ?? .relative
    return try call(
      "icc_transform",
      [
        .init("output-profile", .string("srgb")), .init("embedded", .bool(true)),
        .init("input-profile", .string(interpretation == .cmyk ? "cmyk" : "srgb")),
        .init("intent", .enumeration(intent.rawValue)),
        .init("black-point-compensation", .bool(true)), .init("depth", .int(depth)),
      ]
    )
  }
}
