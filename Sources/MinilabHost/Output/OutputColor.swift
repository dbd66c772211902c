import MinilabKit
import Vips

/// The color side of an output: which profile its pictures are converted to, and what is embedded.
struct OutputColor {
  private let settings: OutputSettings
  private let format: PictureFormat

  init(_ settings: OutputSettings, _ format: PictureFormat) {
    self.settings = settings
    self.format = format
  }

  // MARK: Which profile

  /// The file of an untouched picture, whose header this is, is not what is wanted.
  func changes(_ header: Image) -> Bool {
    switch header.interpretation {
    // What no step works in is converted where it is decoded.
    case .cmyk, .lab, .xyz, .scrgb: if settings.color != .keep { return true }
    case .gray, .gray16, .srgb, .rgb16, .other: break
    }
    if header.interpretation == .cmyk { return settings.embedProfile == .never }
    if target(for: header) != nil { return true }
    let hasProfile = header.has("icc-profile-data")
    return switch settings.embedProfile {
    case .auto: false
    case .always: !hasProfile && format.holdsProfile
    case .never: hasProfile
    }
  }

  /// The profile that a picture's colors are converted to; nil where they are as they are wanted.
  private func target(for image: Image) -> ICCProfile? {
    guard let wanted = wanted(for: image) else { return nil }
    let own = image.profile ?? (image.isGray ? .gray : .sRGB)
    return own.meansTheSame(as: wanted) ? nil : wanted
  }

  private func wanted(for image: Image) -> ICCProfile? {
    let staysGray = image.isGray && settings.gray == .keep
    let plain = staysGray ? ICCProfile.gray : .sRGB
    guard format.holdsProfile else {
      // Numbers whose meaning the file cannot tell would be taken for sRGB's.
      return plain
    }
    return switch settings.color {
    case .srgb: plain
    case .p3: staysGray ? .gray : .displayP3
    case .keep: staysGray || !image.isGray ? nil : .sRGB
    case .profile(_, let profile): staysGray && profile.space != .gray ? .gray : profile
    }
  }

  // MARK: Converting

  /// The picture in the wanted space, with a profile that says so; and the note that is due.
  ///
  /// - Throws: `ItemError` where a profile cannot be used, or the format holds no such picture.
  func convert(_ image: Image) throws -> (image: Image, note: Note?) {
    if settings.color.isCMYK, !format.holdsCMYK {
      throw ItemError(
        .unsupported,
        expected: "JPEG or TIFF, which hold CMYK, for output \"\(settings.name)\"",
        received: format.shown
      )
    }
    guard let target = target(for: image) else { return (image, nil) }
    let depth = image.format == .ushort ? 16 : 8
    do {
      let converted = try image.converted(to: target.bytes, depth: depth)
      let source = image.profile.map(\.shown) ?? (image.isGray ? "gray" : "sRGB")
      let why =
        format.holdsProfile || settings.color == .srgb
        ? "" : ", as \(format.shown) holds no profile"
      let text = "colors were converted from \(source) to \(target.shownAsTarget)\(why)"
      return (converted, Note(.colorConverted, text))
    } catch is VipsError {
      throw ItemError(
        .operationFailed,
        expected: "colors that can be converted to \(target.shownAsTarget)",
        received: "a color profile that cannot be used for it"
      )
    }
  }

  /// What will be told of a picture's colors, of which no pixel is asked for.
  func foreseen(of image: Image) -> [Note] {
    guard let (converted, note) = try? convert(image), let copy = try? converted.copy() else {
      return []
    }
    return [note, embed(in: copy)].compactMap { $0 }
  }

  // MARK: Embedding

  /// Leaves in the picture's metadata the profile that the file is to have; `image` is a fresh copy.
  func embed(in image: Image) -> Note? {
    let own = image.profile
    let isPlain = own?.isPlain ?? true
    let isKept = settings.color == .keep
    switch settings.embedProfile {
    case _ where !format.holdsProfile: image.remove("icc-profile-data")
    case .auto:
      // What has no profile is taken for sRGB: half a kilobyte and more that says nothing.
      if isPlain, !isKept { image.remove("icc-profile-data") }
    case .always:
      if own == nil || (isPlain && !isKept) {
        let small = image.isGray ? ICCProfile.gray : .sRGB
        image.set("icc-profile-data", blob: small.bytes)
      }
    case .never:
      image.remove("icc-profile-data")
      guard let own, !isPlain else { return nil }
      return Note(
        .profileDropped,
        "\(own.shown) was left out (embed-profile = false); the colors will be taken for sRGB's"
      )
    }
    return nil
  }
}

extension PictureFormat {
  /// A file of it can say which color space it is in.
  var holdsProfile: Bool { self != .gif }
  var holdsCMYK: Bool { self == .jpeg || self == .tiff }
}

extension Image {
  /// The embedded one.
  fileprivate var profile: ICCProfile? { blob("icc-profile-data").map { ICCProfile($0) } }
}

extension ICCProfile {
  /// What a picture without a profile is taken for.
  fileprivate var isPlain: Bool { isSRGB || isGrayOfSRGB }

  fileprivate var shownAsTarget: String {
    switch self {
    case .sRGB: "sRGB"
    case .gray: "gray"
    case .displayP3: "Display P3"
    default: shown
    }
  }
}
