public import MinilabKit

/// A small picture of a large one.
public struct ThumbnailPreview: ImageOperation {
  public enum WithinLimit: String, CaseIterable, ParameterChoice {
    case pass
    case skip
  }

  public enum UseExisting: String, CaseIterable, ParameterChoice {
    case never
    case embedded
    case sidecar
  }

  public static let name = "thumbnail-preview"
  public static let version = 2
  public static let summary = "Make a small picture of a large one; never enlarge."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "max-side",
      \.maxSide,
      in: 1...1_000_000,
      unit: .pixels,
      help: "The longer side of the result."
    ),
    Parameter(
      "within-limit",
      \.withinLimit,
      help: "A picture that is small enough already: `pass` it through, or `skip` the output."
    ),
    Parameter(
      "use-existing",
      \.useExisting,
      help: """
        A preview that is ready is used where it is large enough, has the picture's aspect and is \
        not older: the one `embedded` in the file, or a `sidecar` beside it.
        """
    ),
    Parameter(
      "sidecar",
      \.sidecar,
      help: "The name of the file beside the picture; `{stem}` and `{name}` are the picture's."
    ),
    Parameter("linear", \.linear, help: "Reduce in linear light: fine bright detail stays bright."),
    Parameter("sharpen", \.sharpen, help: "Sharpen a little after the reduction."),
  ]
  public static let rules: [Rule<Self>] = [
    Rule("use-existing = \"sidecar\" where a sidecar is named", keys: ["sidecar"]) { step, given in
      given.contains("sidecar") && step.useExisting != .sidecar
        ? "use-existing = \(step.useExisting.literal)" : nil
    },
    Rule("a sidecar's name without a folder", keys: ["sidecar"]) { step, _ in
      step.sidecar.contains("/") || step.sidecar.isEmpty ? step.sidecar.literal : nil
    },
  ]
  public static let examples = [
    Example("At most 1024 pixels on the longer side.", ""),
    Example(
      "What the camera has embedded, where it is large enough.",
      "max-side = 160\nuse-existing = \"embedded\""
    ),
    Example("A sharp thumbnail.", "max-side = 64\nsharpen = true"),
    Example(
      "Only of pictures that are larger.",
      "max-side = 120\nwithin-limit = \"skip\"\nlinear = true"
    ),
  ]

  public var maxSide = 1024
  public var withinLimit = WithinLimit.pass
  public var useExisting = UseExisting.never
  public var sidecar = "{stem}.preview.jpg"
  public var linear = false
  public var sharpen = false

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    let size = frame.size
    guard size.longerSide > maxSide else {
      let noted = frame.noting(
        .withinLimit,
        "\(size) is within \(maxSide) pixels already and was not enlarged"
      )
      return withinLimit == .skip ? noted.skipped() : noted
    }
    let wanted = size.scaled(longerSide: maxSide)
    let start = try ready(frame, wanted, context) ?? frame
    let reduced = start.geometry { $0.resize(to: wanted, linear: linear) }
    guard sharpen else { return reduced }
    return reduced.pixels(
      size: .unchanged,
      access: frame.hasAlpha ? .random : .sequential
    ) { image in
      try image.sharpen(sigma: 0.5)
    }
  }

  /// The frame with a preview in its place that was ready; nil where none was asked for.
  private func ready(_ frame: Frame, _ wanted: Size, _ context: Context) throws -> Frame? {
    let kind: ReadyPreview
    switch useExisting {
    case .never: return nil
    case .embedded: kind = .embedded
    case .sidecar: kind = .sidecar(name: sidecar)
    }
    switch try context.readyPreview(kind, of: frame, atLeast: wanted) {
    case nil: return frame
    case .found(let image, let what)?:
      return frame.replaced(by: image).noting(.previewSource, "made from \(what)")
    case .missing(let why)?:
      return frame.noting(.previewSource, "made from the picture itself: \(why)")
    }
  }
}
