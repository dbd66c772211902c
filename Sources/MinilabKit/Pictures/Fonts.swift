internal import CFontconfig

/// The fonts of this machine, as fontconfig knows them.
///
/// Text is drawn with whatever font fontconfig gives, and a family that is not installed is silently
/// another one, with letters of another size. So it is asked beforehand.
public enum Fonts {
  /// The family that text has unless told otherwise.
  ///
  /// It is among the packages that the project asks for, so that text looks the same everywhere.
  public static let usual = "DejaVu Sans"

  /// Words that name no family and are always answered by another one.
  private static let generic: Set<String> = [
    "cursive", "fantasy", "monospace", "sans", "sansserif", "serif", "systemui",
  ]

  /// What a family comes to.
  public enum Match: Sendable, Equatable {
    /// It is installed, or a word such as `serif` that asks for any of a kind.
    case found
    /// It is not installed; this one is used.
    case replaced(by: String)
    /// There is no font at all: text would be boxes.
    case none
  }

  /// What text of a family would be drawn with.
  ///
  /// `family`: a name, or several with commas between them, of which the first that is there counts.
  public static func match(_ family: String) -> Match {
    let wanted = family.split(separator: ",").map { squeezed(String($0)) }
    guard let pattern = FcPatternCreate() else { return .none }
    defer { FcPatternDestroy(pattern) }
    for name in family.split(separator: ",") {
      _ = String(name).trimmed.withCString(encodedAs: UTF8.self) {
        FcPatternAddString(pattern, FC_FAMILY, $0)
      }
    }
    FcConfigSubstitute(nil, pattern, FcMatchPattern)
    FcDefaultSubstitute(pattern)
    var result = FcResultNoMatch
    guard let found = FcFontMatch(nil, pattern, &result) else { return .none }
    defer { FcPatternDestroy(found) }
    let names = families(of: found)
    guard let first = names.first else { return .none }
    let isFound =
      wanted.contains(where: generic.contains) || names.contains { wanted.contains(squeezed($0)) }
    return isFound ? .found : .replaced(by: first)
  }

  /// What tells this machine's fonts from others: a line for each face, sorted.
  ///
  /// Letters that a font lacks are taken from any other, so all of them count.
  public static func fingerprint() -> [String] {
    guard let config = FcConfigReference(nil) else { return [] }
    defer { FcConfigDestroy(config) }
    var lines: [String] = []
    for set in [FcSetSystem, FcSetApplication] {
      guard let fonts = FcConfigGetFonts(config, set) else { continue }
      for index in 0..<Int(fonts.pointee.nfont) {
        guard let pattern = fonts.pointee.fonts[index] else { continue }
        var version: Int32 = 0
        FcPatternGetInteger(pattern, FC_FONTVERSION, 0, &version)
        var file: UnsafeMutablePointer<FcChar8>?
        FcPatternGetString(pattern, FC_FILE, 0, &file)
        let name = file.map { String(cString: $0) } ?? ""
        lines.append("\(name) \(version) \(families(of: pattern).joined(separator: ","))")
      }
    }
    return lines.sorted()
  }

  /// A font has a family's name for each of its languages and widths.
  private static func families(of pattern: OpaquePointer) -> [String] {
    var names: [String] = []
    var name: UnsafeMutablePointer<FcChar8>?
    while FcPatternGetString(pattern, FC_FAMILY, Int32(names.count), &name) == FcResultMatch,
      let text = name
    {
      names.append(String(cString: text))
    }
    return names
  }

  /// fontconfig looks at neither case nor blanks.
  private static func squeezed(_ name: String) -> String {
    String(name.lowercased().filter { !$0.isWhitespace && $0 != "-" })
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
