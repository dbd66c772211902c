/// Text with what a picture says of itself put in: `{stem}`, `{date}`, `{exif:Model}`.
///
/// Filled once: what a variable brings in is text, whatever its characters. What the picture does not
/// say is empty. `{{` and `}}` are braces.
public struct TextTemplate: ParameterValue, Equatable {
  /// As written.
  public let given: String
  private let parts: [Part]

  private enum Part: Sendable, Equatable {
    case text(String)
    /// The file's name without its extension.
    case stem
    /// The file's name.
    case name
    /// When the picture was taken, in the form of `strftime`; never the file's own time.
    case date(String)
    /// An EXIF tag by its name in the standard.
    case exif(String)
  }

  /// Text without variables.
  public init(plain text: String) {
    given = text.replacing("{", with: "{{").replacing("}", with: "}}")
    parts = [.text(text)]
  }

  /// The text for a picture.
  public func filled(for frame: Frame, in context: Context) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .stem: frame.origin.path.stem.shown
      case .name: frame.origin.path.lastComponent.shown
      case .date(let form):
        context.dateTaken(of: frame).map {
          String(decoding: $0.written(as: form), as: UTF8.self)
        } ?? ""
      case .exif(let tag): context.exif(tag, of: frame) ?? ""
      }
    }
    .joined()
  }

  // MARK: In a profile

  public static var schema: Schema { .string }

  public var literal: String { given.literal }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let given = node.text else { return field.refuse(node, as: Self.self, &problems) }
    do {
      return Self(given: given, parts: try parsed(given))
    } catch {
      problems.append(
        Problem(
          error.code,
          at: node.place,
          key: field.key,
          expected: error.expected,
          received: error.received
        )
      )
      return nil
    }
  }

  private init(given: String, parts: [Part]) {
    self.given = given
    self.parts = parts
  }

  private struct Fault: Error {
    let code: Problem.Code
    let expected: String
    let received: String
  }

  private static func parsed(_ text: String) throws(Fault) -> [Part] {
    var parts: [Part] = []
    var literal = ""
    var rest = text[...]
    while let character = rest.first {
      if rest.hasPrefix("{{") || rest.hasPrefix("}}") {
        literal.append(character)
        rest = rest.dropFirst(2)
      } else if character == "{" || character == "}" {
        guard character == "{", let end = rest.firstIndex(of: "}") else {
          throw Fault(
            code: .wrongType,
            expected: "\"{\" and \"}\" around a variable, or \"{{\" and \"}}\" for braces",
            received: text.literal
          )
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        literal = ""
        parts.append(try variable(String(rest[..<end].dropFirst())))
        rest = rest[rest.index(after: end)...]
      } else {
        literal.append(character)
        rest = rest.dropFirst()
      }
    }
    return literal.isEmpty ? parts : parts + [.text(literal)]
  }

  private static func variable(_ word: String) throws(Fault) -> Part {
    let pieces = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let form = pieces.count > 1 ? String(pieces[1]) : nil
    switch (pieces[0], form) {
    case ("stem", nil): return .stem
    case ("name", nil): return .name
    case ("date", nil): return .date("%Y-%m-%d")
    case ("date", let form?) where WallClock.canWrite(form): return .date(form)
    case ("date", _):
      throw Fault(
        code: .wrongType,
        expected: "{date}, or {date:%d.%m.%Y} with letters of \(String(WallClock.letters))",
        received: "{\(word)}"
      )
    case ("exif", let tag?) where !tag.isEmpty && tag.utf8.allSatisfy(\.isLetterOrDigit):
      return .exif(tag)
    default:
      throw Fault(
        code: .unknownKey,
        expected: expectedName(
          "a variable of a text",
          for: String(pieces[0]),
          among: ["stem", "name", "date", "exif:Model"]
        ),
        received: "{\(word)}"
      )
    }
  }
}

extension WallClock {
  /// A form of `strftime` with no other letters than those that need no time zone.
  fileprivate static func canWrite(_ form: String) -> Bool {
    var rest = form[...]
    while let percent = rest.firstIndex(of: "%") {
      guard let letter = rest[percent...].dropFirst().first, letters.contains(letter) else {
        return false
      }
      rest = rest[percent...].dropFirst(2)
    }
    return !form.isEmpty
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
