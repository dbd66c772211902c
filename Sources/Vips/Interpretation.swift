internal import CVips
internal import CVipsShim

/// What the samples mean, by libvips' names.
public enum Interpretation: Sendable, Equatable {
  case gray
  case gray16
  case srgb
  case rgb16
  case scrgb
  case cmyk
  case lab
  case xyz
  case other

  /// Of lightness alone or of RGB, in 8 or 16 bit.
  public init(isGray: Bool, isDeep: Bool) {
    switch (isGray, isDeep) {
    case (true, false): self = .gray
    case (true, true): self = .gray16
    case (false, false): self = .srgb
    case (false, true): self = .rgb16
    }
  }

  init(_ interpretation: VipsInterpretation) {
    switch interpretation {
    case VIPS_INTERPRETATION_B_W: self = .gray
    case VIPS_INTERPRETATION_GREY16: self = .gray16
    case VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB: self = .srgb
    case VIPS_INTERPRETATION_RGB16: self = .rgb16
    case VIPS_INTERPRETATION_scRGB: self = .scrgb
    case VIPS_INTERPRETATION_CMYK: self = .cmyk
    case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABS, VIPS_INTERPRETATION_LABQ: self = .lab
    case VIPS_INTERPRETATION_XYZ: self = .xyz
    default: self = .other
    }
  }

  var vips: VipsInterpretation {
    switch self {
    case .gray: VIPS_INTERPRETATION_B_W
    case .gray16: VIPS_INTERPRETATION_GREY16
    case .srgb: VIPS_INTERPRETATION_sRGB
    case .rgb16: VIPS_INTERPRETATION_RGB16
    case .scrgb: VIPS_INTERPRETATION_scRGB
    case .cmyk: VIPS_INTERPRETATION_CMYK
    case .lab: VIPS_INTERPRETATION_LAB
    case .xyz: VIPS_INTERPRETATION_XYZ
    case .other: VIPS_INTERPRETATION_MULTIBAND
    }
  }

  /// The nick, as operations take it.
  public var nick: String {
    switch self {
    case .gray: "b-w"
    case .gray16: "grey16"
    case .srgb: "srgb"
    case .rgb16: "rgb16"
    case .scrgb: "scrgb"
    case .cmyk: "cmyk"
    case .lab: "lab"
    case .xyz: "xyz"
    case .other: "multiband"
    }
  }
}
