public import MinilabKit

/// The keys of an output that every format has.
///
/// The encoder's own keys stand beside them.
public struct OutputSettings: ParameterTable {
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "name",
      \.name,
      help: "What `extends`, `--set` and `{output}` call it."
    ),
    Parameter(
      "kind",
      \.kind,
      help:
        "`picture` is what the steps make, `sheet` shows each step with its settings and guides."
    ),
    Parameter(
      "path",
      \.path,
      help: "Where the file goes, below the output root; see the path variables."
    ),
    Parameter(
      "format",
      \.format,
      help: "The format that is written. Unset: the input's."
    ),
    Parameter(
      "color",
      \.color,
      help: "`srgb` converts through the embedded profile, `keep` leaves colors as they are."
    ),
    Parameter(
      "background",
      \.background,
      help: "What shows through where the format cannot hold transparency."
    ),
    Parameter(
      "resolution",
      \.resolution,
      in: 1...10_000,
      unit: .pixelsPerInch,
      help: "What the file says of its size in print; changes no pixel. Unset: the input's."
    ),
    Parameter(
      "metadata",
      \.metadata,
      help:
        "`all` keeps EXIF, XMP and IPTC; `none` writes a color profile other than sRGB, and nothing else."
    ),
    Parameter(
      "guides",
      \.guides,
      help: "Draw on a sheet what crops leave out, outlines, and where layers lie."
    ),
  ]
  public static let rules: [Rule<Self>] = [
    Rule("kind = \"sheet\" together with guides", keys: ["guides"]) { settings, given in
      given.contains("guides") && settings.kind != .sheet
        ? "kind = \(settings.kind.literal)" : nil
    }
  ]

  public var name = "main"
  public var kind = OutputKind.picture
  public var path = "{dir}/{stem}.{ext}"
  public var format: OutputFormat?
  public var color = ColorPolicy.srgb
  public var background = Color.white
  public var resolution: Double?
  public var metadata = MetadataPolicy.all
  public var guides = true

  public init() {}
}

/// What an output shows.
public enum OutputKind: String, CaseIterable, ParameterChoice {
  /// The picture that the steps make.
  case picture
  /// A figure of each step.
  case sheet
}

/// What a pixel's numbers mean in the output.
public enum ColorPolicy: String, CaseIterable, ParameterChoice {
  case srgb
  case keep
}

public enum MetadataPolicy: String, CaseIterable, ParameterChoice {
  case all
  case none
}

/// The formats that can be written.
public enum OutputFormat: String, CaseIterable, ParameterChoice {
  case jpeg
  case png
  case webp
  case tiff
  case gif
  case avif
  case heif
  case jxl

  public var picture: PictureFormat {
    switch self {
    case .jpeg: .jpeg
    case .png: .png
    case .webp: .webp
    case .tiff: .tiff
    case .gif: .gif
    case .avif: .avif
    case .heif: .heif
    case .jxl: .jxl
    }
  }
}
