import MinilabKit

let previewCommand = Command(
  name: "preview",
  operands: "PROFILE PICTURE…",
  summary: "Show what each step of a profile does to a picture, on one sheet",
  options: [
    CommandOption("sheet", "o", .value("SHEET"), help: "The picture to write: sheet.png; needed"),
    CommandOption("step", nil, .value("N"), help: "Show this step alone, large; 0: the picture"),
    CommandOption("guides", nil, .value("on|off"), help: "Draw crops, outlines and layers; on"),
    CommandOption("output", nil, .value("NAME"), help: "Show the steps of this output alone"),
    .set,
  ]
) { parsed, operations throws(UsageError) in
  try PreviewCommand.run(options: try PreviewOptions(parsed), operations: operations)
}

/// What `minilab preview` was told.
struct PreviewOptions: Equatable {
  /// A path or a name.
  var profile: Path
  /// Files and folders.
  var inputs: [Path]
  /// The file to write.
  var sheet: Path
  /// By the sheet's extension.
  var format: PictureFormat
  var step: Int?
  var guides = true
  /// Nil for all.
  var output: String?
  /// What `--set` says, in its order.
  var settings: [ProfileSetting] = []
}

extension PreviewOptions {
  init(_ parsed: ParsedArguments) throws(UsageError) {
    guard let profile = parsed.operands.first else { throw Self.fault("no PROFILE") }
    guard let sheet = parsed.value("sheet"), !sheet.isEmpty else {
      throw Self.fault("no file for the sheet: -o SHEET")
    }
    let inputs = Array(parsed.operands.dropFirst())
    guard !inputs.isEmpty else { throw Self.fault("no PICTURE") }
    guard !inputs.contains(where: \.isEmpty), !profile.isEmpty else {
      throw Self.fault("an argument is empty")
    }
    self.init(
      profile: profile,
      inputs: inputs,
      sheet: sheet,
      format: try Self.format(of: sheet),
      step: try parsed.wholeNumber("step", from: 0, of: Self.program),
      guides: try Self.guides(parsed.value("guides")),
      output: try parsed.texts("output", of: Self.program).last,
      settings: try parsed.settings(of: Self.program)
    )
  }

  private static func format(of sheet: Path) throws(UsageError) -> PictureFormat {
    let formats = OutputFormat.allCases.map(\.picture)
    let ending = sheet.fileExtension.text?.lowercased()
    if let format = formats.first(where: { $0.extensions.contains(ending ?? "") }) {
      return format
    }
    let known = formats.map { "." + $0.fileExtension }.joined(separator: " ")
    throw fault("-o: expected a name that ends in one of \(known), found \"\(sheet.shown)\"")
  }

  private static func guides(_ argument: Path?) throws(UsageError) -> Bool {
    switch argument?.text {
    case nil where argument == nil, "on": true
    case "off": false
    default:
      throw fault("--guides: expected on or off, found \"\(argument?.shown ?? "")\"")
    }
  }

  private static let program = "minilab preview"

  static func fault(_ text: String) -> UsageError { UsageError(program, text) }
}
