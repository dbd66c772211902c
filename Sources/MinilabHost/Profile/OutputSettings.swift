public import MinilabKit
public import PictureMetadata

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
      help: """
        `srgb`, `p3` (Display P3) or an ICC file: colors are converted through the embedded profile, \
        relative colorimetric with black point compensation, and clipped where the space ends. `keep` \
        leaves them with their profile.
        """
    ),
    Parameter(
      "gray",
      \.gray,
      help: """
        Gray pictures: `keep` leaves one channel, in sRGB's curve or a gray ICC file's; `color` gives \
        them the channels of `color`.
        """
    ),
    Parameter(
      "embed-profile",
      \.embedProfile,
      help: """
        `"auto"` embeds a profile where the colors are not sRGB's, which is what a picture without one \
        is taken for; `true` always, `false` never.
        """
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
        "What the file says of itself: `all`; `none`; `copyright`: maker, owner and license; `no-location`: all but the place; or a list of kinds and tags such as `[\"iptc\", \"exif:Artist\", \"xmp:dc:rights\"]`. A color profile is none of it."
    ),
    Parameter(
      "pages",
      \.pages,
      help: "Where the input's pages are `all` read: `all` of them, or the `first` as a poster."
    ),
    Parameter(
      "max-bytes",
      \.maxBytes,
      help: """
        The most the file may have: the highest quality that fits is looked for, up to one that is \
        named. Without a quality to choose, or with none that fits, the picture fails.
        """
    ),
    Parameter(
      "when-larger",
      \.whenLarger,
      help: """
        Where only the encoding was to change and has made the file larger: `write` it all the same, \
        or `keep-original`.
        """
    ),
    Parameter(
      "timestamps",
      \.timestamps,
      help:
        "When the file was changed last: `now`, or as the `input`; dates in it stay as they are."
    ),
    Parameter(
      "mode",
      \.mode,
      help: "Who may read and write the file: as the `umask` says, or as the `input`."
    ),
    Parameter(
      "guides",
      \.guides,
      help: "Draw on a sheet what crops leave out, outlines, and where layers lie."
    ),
  ]
  public static let rules: [Rule<Self>] = [
    Rule("format = \"jpeg\" or \"tiff\" where color is an ICC file for CMYK", keys: ["color"]) {
      settings,
      _ in
      guard settings.color.isCMYK, let format = settings.format, !format.picture.holdsCMYK else {
        return nil
      }
      return "format = \(format.literal)"
    },
    Rule("kind = \"sheet\" together with guides", keys: ["guides"]) { settings, given in
      given.contains("guides") && settings.kind != .sheet
        ? "kind = \(settings.kind.literal)" : nil
    },
  ]

  public var name = "main"
  public var kind = OutputKind.picture
  public var path = "{dir}/{stem}.{ext}"
  public var format: OutputFormat?
  public var color = ColorPolicy.srgb
  public var gray = GrayPolicy.keep
  public var embedProfile = ProfileEmbedding.auto
  public var background = Color.white
  public var resolution: Double?
  public var metadata = MetadataPolicy.all
  public var pages = OutputPages.all
  public var maxBytes: ByteCount?
  public var whenLarger = LargerPolicy.write
  public var timestamps = TimestampPolicy.now
  public var mode = ModePolicy.umask
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

/// Which of the pages that are read an output shows.
public enum OutputPages: String, CaseIterable, ParameterChoice {
  case all
  case first
}

/// What becomes of a picture that encoding has made larger, and nothing else.
public enum LargerPolicy: String, CaseIterable, ParameterChoice {
  case write
  case keepOriginal = "keep-original"
}

/// What an output's file says of when it was changed.
public enum TimestampPolicy: String, CaseIterable, ParameterChoice {
  case now
  case input
}

/// Who may read and write an output's file.
public enum ModePolicy: String, CaseIterable, ParameterChoice {
  case umask
  case input
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
