public import Vips

/// Plain text, to be drawn: one line or several.
///
/// Nothing in it is markup, whatever its characters.
public struct TextBlock: Sendable, Equatable {
  public enum Style: String, CaseIterable, ParameterChoice {
    case regular
    case bold
    case italic
    case boldItalic = "bold-italic"
  }

  /// How lines of different lengths stand to each other; text from right to left is mirrored.
  public enum Alignment: String, CaseIterable, ParameterChoice {
    case left
    case center
    case right
  }

  public var text: String
  /// A font family, or several with commas between them; `Fonts` knows which are there.
  public var font: String
  public var style: Style
  /// Height of the font's em square, in pixels: a line is about 1.2 of it.
  public var size: Double
  public var alignment: Alignment
  /// Longer lines are broken, between words where that is possible; in pixels.
  public var width: Int?

  public init(
    _ text: String,
    font: String = Fonts.usual,
    style: Style = .regular,
    size: Double,
    alignment: Alignment = .left,
    width: Int? = nil
  ) {
    self.text = text
    self.font = font
    self.style = style
    self.size = size
    self.alignment = alignment
    self.width = width
  }

  /// Nothing of the text can be seen: it is empty, or blanks alone.
  public var isBlank: Bool {
    text.unicodeScalars.allSatisfy {
      $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint || $0.isControl
    }
  }

  /// The text drawn: one band of 8 bit that says how much of each pixel the letters cover.
  ///
  /// The picture is as wide as the letters and as high as whole lines are, so that the base lines of
  /// two blocks of one font agree. Nil where nothing can be seen.
  ///
  /// - Throws: `VipsError`.
  public func coverage() throws -> Image? {
    if isBlank { return nil }
    let drawn = try drawn(text)
    // The offset says where in its lines the ink begins.
    let top = max(0, -drawn.cutTop)
    let line = try lineHeight()
    // A low letter, or one of another font, may reach a little beyond its line.
    let lines = max(1, (Double(top + drawn.height) / line - 0.15).rounded(.up))
    let height = max(top + drawn.height, Int((lines * line).rounded(.up)))
    return try drawn.embed(
      left: 0,
      top: top,
      width: drawn.width,
      height: height,
      extend: "black"
    )
    .copy(interpretation: .gray)
  }

  /// From one base line to the next, in pixels.
  private func lineHeight() throws -> Double {
    Double(try max(1, drawn("x\nx").height - drawn("x").height))
  }

  /// The letters, cut tightly, with their place in the lines as the picture's offset.
  private func drawn(_ text: String) throws -> Image {
    try Host.startIfNeeded()
    let call = try OperationCall("text")
    try call.set("text", .string(Self.escaped(text)))
    // The comma ends the family: what stands before it is no style, whatever it is called.
    try call.set("font", .string("\(font), \(style.words) \(max(1, size))px"))
    // Letters of an absolute size ask for no resolution.
    try call.set("dpi", .int(72))
    try call.set("align", .enumeration(alignment.nick))
    if let width {
      try call.set("width", .int(max(1, width)))
      try call.set("wrap", .enumeration("word-char"))
    }
    return try call.run().image
  }

  /// The text as Pango's markup, which libvips reads: nothing in it means anything.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&apos;"
      case "\n", "\t": escaped.unicodeScalars.append(scalar)
      // No glyph, and to C a NUL is the end.
      case _ where scalar.isControl: break
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension TextBlock.Style {
  /// As Pango writes it.
  fileprivate var words: String {
    switch self {
    case .regular: ""
    case .bold: "Bold"
    case .italic: "Italic"
    case .boldItalic: "Bold Italic"
    }
  }
}

extension TextBlock.Alignment {
  /// As libvips writes it.
  fileprivate var nick: String {
    switch self {
    case .left: "low"
    case .center: "centre"
    case .right: "high"
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}
