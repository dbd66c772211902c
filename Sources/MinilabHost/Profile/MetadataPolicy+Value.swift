public import MinilabKit
public import PictureMetadata

/// In a profile: a word, or a list of kinds and tags.
extension MetadataPolicy: ParameterValue {
  private static let words: [(word: String, policy: MetadataPolicy)] = [
    ("all", .all), ("none", .none), ("copyright", .copyright), ("no-location", .noLocation),
  ]

  private static let mostNames = 1000

  public static var schema: Schema {
    .any([.choice(words.map(\.word)), .array(.string, count: nil)])
  }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    if let word = node.text {
      if let found = words.first(where: { $0.word == word }) { return found.policy }
      let hint = nearestName(to: word, among: words.map(\.word))
        .map { " (did you mean \"\($0)\"?)" }
      problems.append(
        Problem(
          .wrongType,
          at: node.place,
          key: field.key,
          expected: schema.text + (hint ?? ""),
          received: node.shown
        )
      )
      return nil
    }
    guard let items = node.items else { return field.refuse(node, as: Self.self, &problems) }
    guard items.count <= mostNames else {
      problems.append(
        Problem(
          .outOfRange,
          at: node.place,
          key: field.key,
          expected: "at most \(mostNames) kinds and tags",
          received: "\(items.count)"
        )
      )
      return nil
    }
    let names = items.enumerated().map { name($1, field.element($0), &problems) }
    return names.contains(nil) ? nil : .only(names.compactMap(\.self))
  }

  private static func name(
    _ node: Node,
    _ field: Field,
    _ problems: inout [Problem]
  ) -> MetadataName? {
    guard let text = node.text else {
      return field.refuse(node, as: String.self, &problems).flatMap(MetadataName.init)
    }
    if let name = MetadataName(text) { return name }
    let near = nearestName(to: text, among: MetadataName.candidates(for: text))
    let hint = near.map { " (did you mean \"\($0)\"?)" } ?? ""
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: field.key,
        expected:
          "a kind (\(MetadataKind.allCases.map(\.rawValue).joined(separator: ", "))) or a tag "
          + "such as \"exif:Artist\", \"xmp:dc:rights\" or \"iptc:Byline\"\(hint)",
        received: node.shown
      )
    )
    return nil
  }

  public var literal: String {
    if case .only(let names) = self { return names.map(\.text).literal }
    return (Self.words.first { $0.policy == self }?.word ?? "all").literal
  }
}
