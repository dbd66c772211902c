public import MinilabKit

/// `[input]`: which files are items, and what is refused.
public struct InputPolicy: ParameterTable {
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "include",
      \.include,
      help: "Patterns of paths below the input's root that are taken: `*`, `?`, `[abc]`, `**`."
    ),
    Parameter("exclude", \.exclude, help: "Patterns of paths that are left out."),
    Parameter(
      "formats",
      \.formats,
      help: "`safe`, `all`, or a list of formats and of these two words. Told by content."
    ),
    Parameter(
      "links",
      \.links,
      help: "Symbolic links: `skip` counts and leaves them, `follow` takes each target once."
    ),
    Parameter(
      "clash",
      \.clash,
      help: "Two inputs on one output: `error` before anything starts, or `number` (-2, -3 …)."
    ),
    Parameter(
      "max-pixels",
      \.maxPixels,
      in: 1...1e12,
      unit: .pixels,
      help: """
        A picture (or page) with more pixels is refused from its header, and a step that would make \
        more of it.
        """
    ),
    Parameter(
      "max-side",
      \.maxSide,
      in: 1...10_000_000,
      unit: .pixels,
      help: "A picture (or page) that is longer on one side is refused from its header."
    ),
    Parameter(
      "max-bytes",
      \.maxBytes,
      help: "A file with more bytes, such as `\"20MB\"`, is refused before it is read."
    ),
    Parameter(
      "damaged",
      \.damaged,
      help: """
        A picture that ends early, if only by the mark that ends every JPEG and PNG, or cannot be decoded \
        fully: `reject` it, or `warn` and use what can be read. Of a TIFF that is all that is there, or, \
        where it is compressed, the rows above the first strip that is cut off; with compressed data that \
        makes no sense it fails.
        """
    ),
    Parameter(
      "pages",
      \.pages,
      help: """
        Of several pages or frames: the `first` with a note, `all` in one file, each in a file of its \
        own (`split`), or `reject` the file.
        """
    ),
    Parameter(
      "max-pages",
      \.maxPages,
      in: 1...Double(mostPages),
      help: "A file with more pages or frames is refused where all of them are wanted."
    ),
    Parameter(
      "max-total-pixels",
      \.maxTotalPixels,
      in: 1...1e12,
      unit: .pixels,
      help: "A file whose pages have more pixels together is refused where all are wanted."
    ),
    Parameter(
      "time-limit",
      \.timeLimit,
      in: 0.1...86_400,
      unit: .seconds,
      help:
        "A picture that takes longer is ended and has failed; a group has the time of all its pictures."
    ),
    Parameter(
      "max-warnings",
      \.maxWarnings,
      in: 0...1e9,
      help: """
        A picture of which its decoder warns more often has failed. The default is a warning for each \
        row of the highest picture.
        """
    ),
  ]

  public var include = ["**"]
  public var exclude: [String] = []
  public var formats = FormatSelection.safe
  public var links = LinkPolicy.skip
  public var clash = ClashPolicy.error
  public var maxPixels = 300_000_000
  public var maxSide = 100_000
  public var maxBytes = ByteCount(gigabytes: 2)
  public var damaged = DamagePolicy.reject
  public var pages = PagePolicy.first
  public var maxPages = 10_000
  /// No profile allows more.
  static let mostPages = 100_000
  public var maxTotalPixels = 3_000_000_000
  public var timeLimit = 120.0
  public var maxWarnings = 100_000

  public init() {}
}

public enum LinkPolicy: String, CaseIterable, ParameterChoice {
  case skip
  case follow
}

public enum ClashPolicy: String, CaseIterable, ParameterChoice {
  case error
  case number
}

public enum DamagePolicy: String, CaseIterable, ParameterChoice {
  case reject
  case warn
}

public enum PagePolicy: String, CaseIterable, ParameterChoice {
  case first
  case all
  case reject
  case split
}

extension InputPolicy {
  /// Pages beyond the first are read.
  var readsAllPages: Bool { pages == .all || pages == .split }

  /// What `--set` takes to open a format that is off.
  static func opening(_ format: PictureFormat) -> String {
    "input.formats=[\"safe\", \"\(format.rawValue)\"]"
  }

  /// The policy for a picture of which one page is shown, whatever becomes of the unit's own: a
  /// member of a group, or a file that a step names.
  var ofFirstPage: InputPolicy {
    var policy = self
    if readsAllPages { policy.pages = .first }
    return policy
  }
}

/// The formats that are opened.
public struct FormatSelection: ParameterValue, Equatable {
  public var formats: Set<PictureFormat>

  public static let safe = FormatSelection(formats: Set(PictureFormat.safe))
  public static let all = FormatSelection(formats: Set(PictureFormat.allCases))

  static let words = ["safe", "all"] + PictureFormat.allCases.map(\.rawValue)

  public static var schema: Schema {
    .any([.choice(["safe", "all"]), .array(.choice(words), count: nil)])
  }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    let items = node.items ?? [node]
    var formats: Set<PictureFormat> = []
    let before = problems.count
    for item in items {
      guard let word = item.text else { return field.refuse(item, as: Self.self, &problems) }
      if word == "safe" {
        formats.formUnion(PictureFormat.safe)
      } else if word == "all" {
        formats.formUnion(PictureFormat.allCases)
      } else if let format = PictureFormat(rawValue: word) {
        formats.insert(format)
      } else {
        problems.append(
          Problem(
            .wrongType,
            at: item.place,
            key: field.key,
            expected: expectedName("a format", for: word, among: words),
            received: item.shown
          )
        )
      }
    }
    return problems.count == before ? Self(formats: formats) : nil
  }

  public var literal: String {
    if self == .safe { return "\"safe\"" }
    if self == .all { return "\"all\"" }
    return formats.map(\.rawValue).sorted().literal
  }
}
