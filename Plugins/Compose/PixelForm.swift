import MinilabKit
import Vips

/// What the numbers of a picture mean: how many there are, how deep, and in which color profile.
///
/// A composition has its first picture's; all others are brought into it.
struct PixelForm: Hashable, Sendable {
  let isGray: Bool
  let isDeep: Bool
  /// Nil for sRGB, or the gray that belongs to it.
  let profile: [UInt8]?

  init(isGray: Bool, isDeep: Bool, profile: [UInt8]?) {
    self.isGray = isGray
    self.isDeep = isDeep
    self.profile = profile
  }

  init(of image: Image) {
    isGray = image.isGray
    isDeep = image.format == .ushort
    profile = image.blob("icc-profile-data")
  }

  /// The same with colors: a profile for gray is none for them.
  var colored: PixelForm {
    isGray ? PixelForm(isGray: false, isDeep: isDeep, profile: nil) : self
  }

  var colorBands: Int { isGray ? 1 : 3 }
  var format: PixelFormat { isDeep ? .ushort : .uchar }
  private var interpretation: Interpretation { Interpretation(isGray: isGray, isDeep: isDeep) }

  /// The samples of a color, with its alpha, 0 to 1.
  func pixel(of color: Color) throws -> Pixel {
    let blank = try Image(
      pixels: [UInt8](repeating: 0, count: colorBands + 1),
      width: 1,
      height: 1,
      bands: colorBands + 1
    )
    if let profile { blank.set("icc-profile-data", blob: profile) }
    let samples = try blank.samples(of: color).map { $0 / 255 }
    return isGray
      ? Pixel(samples[0], samples[0], samples[0], samples[1])
      : Pixel(samples[0], samples[1], samples[2], samples[3])
  }

  /// What bringing a picture into this form has changed beyond rounding.
  struct Losses {
    var depth = false
    /// The name of the profile that the colors came from.
    var profile: String?
  }

  /// A picture's pixels in this form, with alpha where they have it.
  func adapted(_ image: Image) throws -> (image: Image, losses: Losses) {
    var losses = Losses()
    losses.depth = image.format == .ushort && !isDeep
    let own = PixelForm(of: image)
    var colors = try image.hasAlpha ? image.extractBands(0, count: image.bands - 1) : image
    if own.meansTheSame(as: self) {
      colors = try deepened(colors)
    } else {
      if let profile = own.profile, own.isGray || !ICCProfile(profile).isSRGB {
        losses.profile = ICCProfile(profile).description
      }
      colors = try converted(colors, from: own)
    }
    colors = try colors.copy(interpretation: interpretation)
    guard image.hasAlpha else { return (colors, losses) }
    let alpha = try deepened(image.extractBands(image.bands - 1, count: 1))
    return try (colors.joined(bands: alpha).copy(interpretation: interpretation), losses)
  }

  /// Equal numbers are equal colors, but for their depth.
  private func meansTheSame(as other: PixelForm) -> Bool {
    guard isGray == other.isGray else { return false }
    if profile == other.profile { return true }
    return !isGray
      && [profile, other.profile].allSatisfy { $0.map { ICCProfile($0).isSRGB } ?? true }
  }

  private func deepened(_ image: Image) throws -> Image {
    switch (image.format == .ushort, isDeep) {
    case (false, true): try image.scaled(by: 257, to: .ushort)
    case (true, false): try image.scaled(by: 1 / 257, to: .uchar)
    default: image
    }
  }

  // MARK: Through profiles

  private func converted(_ colors: Image, from own: PixelForm) throws -> Image {
    var source = colors
    if own.isGray, own.profile == nil {
      source = try colors.colourspace(own.isDeep ? .rgb16 : .srgb)
      if PixelForm(isGray: false, isDeep: isDeep, profile: nil).meansTheSame(as: self) {
        return try deepened(source)
      }
    }
    let exported = try source.converted(to: profile, depth: isDeep ? 16 : 8)
    return try isGray && exported.bands > 1 ? exported.colourspace(interpretation) : exported
  }
}
