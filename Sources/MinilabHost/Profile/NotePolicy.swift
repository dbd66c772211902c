public import MinilabKit

/// `[notes]`: which losses and choices a profile does not put up with.
public struct NotePolicy: ParameterTable {
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "forbid",
      \.forbid,
      help: "Codes of notes: a picture that gets one of them fails, and nothing of it is written."
    )
  ]

  public var forbid: [Note.Code] = []

  public init() {}

  /// What an item has failed with, for its notes; nil where all of them are allowed.
  func fault(in notes: [Note]) -> ItemError? {
    let found = notes.filter { forbid.contains($0.code) }
    guard !found.isEmpty else { return nil }
    var codes: [String] = []
    for note in found where !codes.contains(note.code.rawValue) { codes.append(note.code.rawValue) }
    return ItemError(
      .noteForbidden,
      expected: "no note of \(codes.joined(separator: ", ")) (notes.forbid)",
      received: found.map(\.text).joined(separator: "; ")
    )
  }
}

extension Note.Code: ParameterValue {
  public static var schema: Schema { .choice(allCases.map(\.rawValue)) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let word = node.text else { return field.refuse(node, as: Self.self, &problems) }
    if let code = Self(rawValue: word) { return code }
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: field.key,
        expected: expectedName("the code of a note", for: word, among: allCases.map(\.rawValue)),
        received: node.shown
      )
    )
    return nil
  }

  public var literal: String { rawValue.literal }
}
