public import Vips

// One way for every conversion of colors: relative colorimetric, with black point compensation, from
// profile to profile in one go. libvips' `icc_import` and `icc_export` have Lab between them, through
// which lcms goes by a coarse table: black comes out as 2, white as 253.

extension Image {
  /// To RGB of sRGB: through the embedded profile, or a general one of the picture's kind where it has
  /// none.
  public func toSRGB(depth: Int) throws -> Image { try converted(to: nil, depth: depth) }

  /// From the embedded profile, or where there is none from sRGB (gray: its curve) or a general CMYK
  /// profile, to another one.
  ///
  /// What the wanted space cannot hold is clipped to its edge. Alpha stays as it is.
  ///
  /// - Parameters:
  ///   - profile: the wanted profile's bytes; nil for sRGB.
  ///   - depth: 8 or 16 bit.
  /// - Returns: gray, RGB or CMYK as the profile is, with that profile in its metadata.
  /// - Throws: `VipsError` where a profile is broken or does not fit.
  public func converted(to profile: [UInt8]?, depth: Int) throws -> Image {
    let target = profile.map { ICCProfile($0) } ?? .sRGB
    return try exactly(to: target, depth: depth) ?? throughTables(to: target, depth: depth)
  }

  /// Linear light of sRGB's primaries, 1 for white, in floating point, of an RGB picture without alpha.
  ///
  /// Colors that sRGB cannot hold have light below 0 or above 1, where the embedded profile has
  /// primaries; through a profile of tables they are clipped.
  ///
  /// - Throws: `VipsError` where the profile is broken or does not fit.
  public func lightOfSRGB() throws -> Image {
    let profile = blob("icc-profile-data").map { ICCProfile($0) } ?? .sRGB
    guard let own = MatrixShaper(profile), let from = own.primaries,
      let to = MatrixShaper(.sRGB)?.primaries
    else { return try toSRGB(depth: 16).lightOfSRGB() }
    return try lights(own.curves).recombined((to.inverse * from).rows)
      .copy(interpretation: .scrgb)
  }

  /// By lcms, which is exact for 8 bit through primaries, and as good as its table of 33 colors on a
  /// side for all else.
  func throughTables(to target: ICCProfile, depth: Int) throws -> Image {
    let embedded = blob("icc-profile-data")
    let source = embedded ?? (interpretation == .cmyk ? nil : assumedProfile.bytes)
    let isPerceptual =
      source.map { RenderingIntent(of: $0, isSource: true) } == .perceptual
      || RenderingIntent(of: target.bytes, isSource: false) == .perceptual
    let intent = isPerceptual ? RenderingIntent.perceptual : .relative
    let tagged = try embedded == nil ? copy() : self
    if embedded == nil, let source { tagged.set("icc-profile-data", blob: source) }
    // The wanted profile is read from a file, and only while the pipeline is built.
    return try withFile(of: target.bytes) { name in
      try tagged.call(
        "icc_transform",
        [
          .init("output-profile", .string(name)), .init("embedded", .bool(true)),
          .init("input-profile", .string(interpretation == .cmyk ? "cmyk" : "srgb")),
          .init("intent", .enumeration(intent.rawValue)),
          .init("black-point-compensation", .bool(true)), .init("depth", .int(depth)),
        ]
      )
    }
  }

  /// What a picture without a profile is taken for.
  private var assumedProfile: ICCProfile { isGray ? .gray : .sRGB }

  // MARK: Without tables

  /// By arithmetic, where both profiles are curves and primaries; nil where they are not, and for
  /// RGB of 8 bit, which lcms does as well and faster.
  ///
  /// For 16 bit lcms makes a table of any profile, which is off by 0.15 levels of 8 bit in the mean,
  /// by 1.4 in dark grays, and by up to 26 beside what is clipped.
  private func exactly(to target: ICCProfile, depth: Int) throws -> Image? {
    guard interpretation != .cmyk, format == .uchar || format == .ushort else { return nil }
    let profile = blob("icc-profile-data").map { ICCProfile($0) } ?? assumedProfile
    guard profile.space == (isGray ? .gray : .rgb) else { return nil }
    if !isGray, format == .uchar, depth == 8, target.space == .rgb { return nil }
    guard let own = MatrixShaper(profile), let wanted = MatrixShaper(target) else { return nil }
    let made: Image
    switch (own.primaries, wanted.primaries) {
    case (nil, nil):
      made = try mapped(from: own.curves[0], to: wanted.curves[0], depth: depth)
    case (nil, _):
      let gray = try converted(to: ICCProfile.gray.bytes, depth: depth)
      let color = try gray.colourspace(depth == 16 ? .rgb16 : .srgb).copy()
      color.set("icc-profile-data", blob: ICCProfile.sRGB.bytes)
      return target == .sRGB ? color : try color.converted(to: target.bytes, depth: depth)
    case (let from?, let to?):
      made = try inLight(own.curves, through: (to.inverse * from).rows, wanted.curves, depth)
    case (let from?, nil):
      // How light a color is: Y of the connection space.
      let lightness = [[Double]](repeating: from.rows[1], count: 3)
      made = try inLight(own.curves, through: lightness, wanted.curves, depth)
    }
    let tagged = try made.copy()
    tagged.set("icc-profile-data", blob: target.bytes)
    return tagged
  }

  /// Gray from one curve to another.
  private func mapped(
    from own: ShaperCurve,
    to wanted: ShaperCurve,
    depth: Int
  ) throws -> Image {
    let most = depth == 16 ? 65_535.0 : 255
    let count = format == .ushort ? 65_536 : 256
    let table = wanted.levels(of: own.lights(count)).map { UInt16(($0 * most).rounded()) }
    let alpha = (0..<count).map {
      UInt16((Double($0) / Double(count - 1) * most).rounded())
    }
    return try mapped(through: table, alpha: alpha, to: depth == 16 ? .ushort : .uchar)
      .copy(interpretation: depth == 16 ? .gray16 : .gray)
  }

  /// Colors through linear light, in floating point, to as many bands as there are wanted curves.
  private func inLight(
    _ own: [ShaperCurve],
    through rows: [[Double]],
    _ wanted: [ShaperCurve],
    _ depth: Int
  ) throws -> Image {
    let colors = try hasAlpha ? extractBands(0, count: bands - 1) : self
    let light = try colors.lights(own).recombined(rows)
    // libvips stores light as sRGB does, in 16 bit: from there it is a small step to another curve.
    var made = try light.copy(interpretation: .scrgb).colourspace(.rgb16)
      .extractBands(0, count: wanted.count)
    if let curve = ShaperCurve.sRGB, wanted.contains(where: { $0 != curve }) {
      let lights = curve.lights(65_536)
      let levels = wanted.map { $0.levels(of: lights).map { ($0 * 65_535).rounded() } }
      made = try made.call("maplut", [.init("lut", .image(Self.table(levels).cast(.ushort)))])
    }
    if hasAlpha {
      var alpha = try extractBands(bands - 1, count: 1)
      if format == .uchar { alpha = try alpha.recombined([[257]]).cast(.ushort) }
      made = try made.joined(bands: alpha)
    }
    made = try made.copy(interpretation: wanted.count == 1 ? .gray16 : .rgb16)
    return depth == 16 ? made : try made.reducedTo8Bit()
  }

  /// Each sample as the light that a curve gives it, in floating point.
  private func lights(_ curves: [ShaperCurve]) throws -> Image {
    let count = format == .ushort ? 65_536 : 256
    let table = try Self.table(curves.map { $0.lights(count) }).cast(.float)
    return try call("maplut", [.init("lut", .image(table))])
  }

  /// A table of one row, with a band for each list.
  private static func table(_ lists: [[Double]]) throws -> Image {
    let first = try Image(matrix: [lists[0]])
    // One band serves every channel.
    if lists.allSatisfy({ $0 == lists[0] }) { return first }
    return try lists.dropFirst().reduce(first) { try $0.joined(bands: Image(matrix: [$1])) }
  }

  /// 16 bit as 8 bit, rounded.
  public func reducedTo8Bit() throws -> Image {
    try scaled(by: 1 / 257, to: .uchar).copy(interpretation: isGray ? .gray : .srgb)
  }
}
