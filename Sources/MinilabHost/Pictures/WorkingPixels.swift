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
    try convertColors()
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

  private mutating func convertColors() throws {
    // Packed Lab is what libvips makes of 8-bit files; packed light (Radiance) has more to lose.
    let isDeep = image.isCoded ? image.interpretation != .lab : image.format != .uchar
    switch image.interpretation {
    case .cmyk:
      let hadProfile = image.has("icc-profile-data")
      image = try converted(image)
      let source = hadProfile ? "its profile" : "a general CMYK profile, as it has none"
      notes.append(Note(.colorConverted, "CMYK became sRGB through \(source)"))
      if isDeep { noteDepth() }
    case .lab, .scrgb, .xyz, .other:
      guard image.bands <= 5 else { throw unsupported("at most 5 bands", "\(image.bands)") }
      let was = image.interpretation == .lab ? "Lab" : "linear or unusual color"
      if image.interpretation == .other {
        image = try image.copy(
          interpretation: Self.usual(bands: image.bands, image.format)
        )
      } else {
        image = try withoutProfile(image.colourspace(.srgb))
        if isDeep { noteDepth() }
      }
      notes.append(Note(.colorConverted, "\(was) became \(image.isGray ? "gray" : "sRGB")"))
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

  private mutating func noteDepth() {
    notes.append(Note(.depthReduced, "more than 8 bits became 8 bit with the colors"))
  }

  private static func usual(bands: Int, _ format: PixelFormat) -> Interpretation {
    switch (bands < 3, format) {
    case (true, .ushort): .gray16
    case (true, _): .gray
    case (false, .ushort): .rgb16
    case (false, _): .srgb
    }
  }

  private func converted(_ image: Image) throws -> Image {
    do {
      return try withoutProfile(image.toSRGB(depth: 8))
    } catch {
      // A broken profile: the built-in one of libvips is still right in kind.
      return try withoutProfile(withoutProfile(image).toSRGB(depth: 8))
    }
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
