import MinilabKit

/// Takes a template's text apart, collecting everything that is wrong with it.
struct PathTemplateParser {
  let place: Place
  let key: String
  let hasGroups: Bool
  let hasPages: Bool
  var problems: [Problem] = []

  init(place: Place, key: String, hasGroups: Bool, hasPages: Bool = false) {
    self.place = place
    self.key = key
    self.hasGroups = hasGroups
    self.hasPages = hasPages
  }

  mutating func parse(_ text: String) -> [PathTemplate.Part] {
    var parts: [PathTemplate.Part] = []
    var literal: [UInt8] = []
    var rest = text[...]
    while let character = rest.first {
      if rest.hasPrefix("{{") || rest.hasPrefix("}}") {
        literal += String(character).utf8
        rest = rest.dropFirst(2)
      } else if character == "{" {
        guard let end = rest.firstIndex(of: "}") else {
          refuse(
            .wrongType,
            expected: "a \"}\" behind \"{\", or \"{{\" for a brace",
            received: text
          )
          return parts
        }
        let word = rest[rest.index(after: rest.startIndex)..<end]
        if !literal.isEmpty { parts.append(.bytes(literal)) }
        literal = []
        if let variable = variable(String(word)) { parts.append(.variable(variable)) }
        rest = rest[rest.index(after: end)...]
      } else if character == "}" {
        refuse(.wrongType, expected: "a \"{\" before \"}\", or \"}}\" for a brace", received: text)
        return parts
      } else {
        literal += String(character).utf8
        rest = rest.dropFirst()
      }
    }
    if !literal.isEmpty { parts.append(.bytes(literal)) }
    return parts
  }

  mutating func refuse(_ code: Problem.Code, expected: String, received: String) {
    problems.append(Problem(code, at: place, key: key, expected: expected, received: received))
  }

  private mutating func variable(_ word: String) -> PathTemplate.Variable? {
    let pieces = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    let form = pieces.count > 1 ? String(pieces[1]) : nil
    if name == "date" { return date(form ?? "%Y-%m-%d") }
    if name == "group", !hasGroups {
      refuse(
        .conflict,
        expected: "a path variable that each picture has",
        received: "{group}, which only groups of pictures have"
      )
      return nil
    }
    if name == "page", !hasPages {
      refuse(
        .conflict,
        expected: "a path variable of a whole picture, or input.pages = \"split\"",
        received: "{page}, which only pages with files of their own have"
      )
      return nil
    }
    guard let variable = plainVariables[name] else {
      refuse(
        .unknownKey,
        expected: expectedName("a path variable", for: name, among: knownNames),
        received: "{\(word)}"
      )
      return nil
    }
    if form != nil {
      refuse(.wrongType, expected: "{\(name)}, which has no form", received: "{\(word)}")
      return nil
    }
    return variable
  }

  private var knownNames: [String] {
    plainVariables.keys.filter { (hasGroups || $0 != "group") && (hasPages || $0 != "page") }
      + ["date"]
  }

  private mutating func date(_ form: String) -> PathTemplate.Variable? {
    if form.isEmpty {
      refuse(
        .wrongType,
        expected: "a form such as %Y-%m-%d behind {date:",
        received: "{date:}"
      )
      return nil
    }
    let letters = WallClock.letters
    var rest = form[...]
    while let percent = rest.firstIndex(of: "%") {
      let letter = rest[rest.index(after: percent)...].first
      guard let letter, letters.contains(letter) else {
        let shown = letters.map { "%\($0)" }.joined(separator: " ")
        refuse(
          .wrongType,
          expected: "one of \(shown) in {date}",
          received: letter.map { "%\($0)" } ?? "% at its end"
        )
        return nil
      }
      rest = rest[percent...].dropFirst(2)
    }
    return .date(form)
  }
}

private let plainVariables: [String: PathTemplate.Variable] = [
  "dir": .dir, "stem": .stem, "ext": .ext, "output": .output, "index": .index, "root": .root,
  "width": .width, "height": .height, "group": .group, "page": .page,
]
