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

  /// From the embedded profile, or sRGB where there is none, to another one, relative colorimetric
  /// where both have it, with black point compensation.
  ///
  /// In one go: libvips' `icc_import` and `icc_export` need no file, but the space between them is
  /// Lab, through which lcms goes by a coarse table: black comes out as 2, white as 253.
  ///
  /// - Parameters:
  ///   - profile: the wanted profile's bytes; nil for sRGB.
  ///   - depth: 8 or 16 bit.
  /// - Returns: gray or RGB as the profile is, without the old profile in its metadata.
  /// - Throws: `VipsError` where a profile is broken or does not fit.
  public func converted(to profile: [UInt8]?, depth: Int) throws -> Image {
    guard let profile else { return try toSRGB(depth: depth) }
    let source = blob("icc-profile-data").map { RenderingIntent(of: $0, isSource: true) }
    let isPerceptual =
      source == .perceptual || RenderingIntent(of: profile, isSource: false) == .perceptual
    let intent = isPerceptual ? RenderingIntent.perceptual : .relative
    // The wanted profile is read from a file, and only while the pipeline is built.
    return try withFile(of: profile) { name in
      try call(
        "icc_transform",
        [
          .init("output-profile", .string(name)), .init("embedded", .bool(true)),
          .init("input-profile", .string("srgb")),
          .init("intent", .enumeration(intent.rawValue)),
          .init("black-point-compensation", .bool(true)), .init("depth", .int(depth)),
        ]
      )
    }
  }
}
