import MinilabKit
import Vips

/// Pixels in the form that operations work on: gray or RGB, straight alpha or none, 8 or 16 bit, in
/// the picture's own profile.
///
/// Anything else becomes sRGB here, with a note.
struct WorkingPixels {
  private(set) var image: Image
  private(set) var notes: [Note] = []

  init(of decoded: Image) throws {
    image = try decoded.uncoded()
    try convertColors(isPacked: decoded.isCoded)
    try convertSamples()
    try keepUsualBands()
    try dropUnfitProfile()
  }

  /// Transparency that survives the conversion.
  static func hasAlpha(_ image: Image) -> Bool {
    // Radiance and packed Lab have four bytes a pixel and none of them is an alpha.
    if image.isCoded { return false }
    return switch image.interpretation {
    case .gray, .gray16: image.bands == 2
    case .cmyk: image.bands == 5
    default: image.bands >= 4 && image.hasAlpha
    }
  }

  /// Told by the header alone: gray that claims to be color is found out when it is decoded.
  static func isGray(_ image: Image) -> Bool {
    switch image.interpretation {
    case .gray, .gray16: !image.isCoded
    default: false
    }
  }

  /// `isPacked`: as Lab of 8 bit and Radiance are when they are read.
  private mutating func convertColors(isPacked: Bool) throws {
    switch image.interpretation {
    case .cmyk:
      let (converted, source) = try convertedInks()
      image = converted
      notes.append(Note(.colorConverted, "CMYK became sRGB through \(source)"))
    case .lab:
      if !isPacked, image.format != .signed {
        notes.append(Note(.depthReduced, "floating-point samples became 16 bit with the colors"))
      }
      image = try withoutProfile(image.labToSRGB(depth: isPacked ? 8 : 16))
      notes.append(Note(.colorConverted, "Lab became sRGB"))
    case .scrgb, .xyz, .other:
      guard image.bands <= 5 else { throw unsupported("at most 5 bands", "\(image.bands)") }
      if image.interpretation == .other {
        image = try image.copy(
          interpretation: Self.usual(bands: image.bands, image.format)
        )
      } else {
        image = try withoutProfile(image.colourspace(.srgb))
        notes.append(Note(.depthReduced, "more than 8 bits became 8 bit with the colors"))
      }
      let now = image.isGray ? "gray" : "sRGB"
      notes.append(Note(.colorConverted, "linear or unusual color became \(now)"))
    case .gray, .gray16:
      // ImageMagick hands gray over as three equal bands.
      if image.bands > 2 {
        image = try image.extractBands(0, count: 1)
      }
    case .srgb, .rgb16:
      if image.bands < 3 {
        image = try image.copy(interpretation: Self.usual(bands: image.bands, image.format))
      }
    }
  }

  private static func usual(bands: Int, _ format: PixelFormat) -> Interpretation {
    switch (bands < 3, format) {
    case (true, .ushort): .gray16
    case (true, _): .gray
    case (false, .ushort): .rgb16
    case (false, _): .srgb
    }
  }

  /// Inks as colors, 16 bit where they were more than 8.
  private mutating func convertedInks() throws -> (Image, String) {
    let depth = image.format == .uchar ? 8 : 16
    let inks = try depth == 16 ? image.cast(.ushort) : image
    if let profile = inks.blob("icc-profile-data"), ICCProfile(profile).space == .cmyk,
      let converted = try? inks.toSRGB(depth: depth)
    {
      return try (withoutProfile(converted), "its profile")
    }
    let general = "a general CMYK profile"
    guard inks.has("icc-profile-data") else {
      return try (withoutProfile(inks.toSRGB(depth: depth)), "\(general), as it has none")
    }
    notes.append(
      Note(.profileDropped, "the embedded color profile is broken or not for CMYK")
    )
    return try (withoutProfile(withoutProfile(inks).toSRGB(depth: depth)), general)
  }

  private mutating func convertSamples() throws {
    switch image.format {
    case .uchar, .ushort: break
    case .float:
      image = try image.rounded(to: .uchar)
      notes.append(Note(.depthReduced, "floating-point samples became 8 bit"))
    case .uint:
      image = try image.call(
        "cast",
        [.init("format", .enumeration("ushort")), .init("shift", .bool(true))]
      )
      notes.append(Note(.depthReduced, "32-bit samples became 16 bit"))
    case .double:
      image = try image.cast(.float).rounded(to: .uchar)
      notes.append(Note(.depthReduced, "floating-point samples became 8 bit"))
    case .signed:
      // Programs do not agree on which of these numbers is black.
      throw unsupported("samples that count from zero", "samples with a sign")
    case .other:
      throw unsupported("samples of 8, 16 or 32 bit", "another kind of samples")
    }
    // A 16-bit picture whose samples are read as 8 bit would be black or white.
    let wanted = Self.usual(bands: image.bands, image.format)
    if !image.says(wanted) { image = try image.copy(interpretation: wanted) }
  }

  private mutating func keepUsualBands() throws {
    guard image.bands > 4 else { return }
    image = try image.extractBands(0, count: 4)
    notes.append(Note(.colorConverted, "bands beyond red, green, blue and alpha were left out"))
  }

  private mutating func dropUnfitProfile() throws {
    guard let profile = image.blob("icc-profile-data") else { return }
    guard let fault = ICCProfile(profile).fault(isGray: image.isGray) else { return }
    image = try withoutProfile(image)
    notes.append(Note(.profileDropped, "the embedded color profile \(fault); sRGB was assumed"))
  }

  private func withoutProfile(_ image: Image) throws -> Image {
    guard image.has("icc-profile-data") else { return image }
    let copy = try image.copy()
    copy.remove("icc-profile-data")
    return copy
  }

  private func unsupported(_ expected: String, _ received: String) -> ItemError {
    ItemError(.unsupported, expected: expected, received: received)
  }
}

extension Image {
  /// Floating-point samples from 0 to 1 as whole numbers of 16 bit.
  func withoutEncodedFloats() throws -> Image {
    guard format == .float else { return self }
    return try call("linear", [.init("a", .doubles([65_535])), .init("b", .doubles([0.5]))])
      .cast(.ushort).copy(interpretation: bands < 3 ? .gray16 : .rgb16)
  }
}
