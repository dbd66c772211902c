public import MinilabKit

/// What a pixel's numbers mean in an output.
public enum ColorPolicy: ParameterValue, Equatable {
  case srgb
  case p3
  /// What the picture's own profile says.
  case keep
  /// A file's profile, read when the profile that names it is.
  case profile(FileReference, ICCProfile)

  private static let words: [(word: String, policy: ColorPolicy)] = [
    ("srgb", .srgb), ("p3", .p3), ("keep", .keep),
  ]
  /// The largest known, of seven inks, has about 10 MB.
  private static let mostBytes = 1 << 26

  public static var schema: Schema { .any([.choice(words.map(\.word)), .file]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    if let known = words.first(where: { $0.word == node.text }) { return known.policy }
    // A word without a dot or a slash is a misspelt one and no file.
    if let text = node.text, !text.contains("."), !text.contains("/"), !text.isEmpty {
      problems.append(
        Problem(
          .wrongType,
          at: node.place,
          key: field.key,
          expected: expectedName(
            "a color space or an ICC file",
            for: text,
            among: words.map(\.word)
          ),
          received: node.shown
        )
      )
      return nil
    }
    guard node.text?.isEmpty == false else { return field.refuse(node, as: Self.self, &problems) }
    guard let file = FileReference.decode(node, as: field, &problems) else { return nil }
    let bytes = try? PictureData(file.path, holding: mostBytes).bytes
    let profile = ICCProfile(bytes ?? [])
    guard let fault = profile.faultAsTarget else { return .profile(file, profile) }
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: field.key,
        expected: "an ICC profile for gray, RGB or CMYK that colors can be converted to",
        received: "\(file.path.shown), which is \(fault)"
      )
    )
    return nil
  }

  public var literal: String {
    if case .profile(let file, _) = self { return file.literal }
    return (Self.words.first { $0.policy == self }?.word ?? "").literal
  }

  /// The output is made of inks.
  var isCMYK: Bool {
    if case .profile(_, let profile) = self { return profile.space == .cmyk }
    return false
  }
}

/// What becomes of pictures in one channel.
public enum GrayPolicy: String, CaseIterable, ParameterChoice {
  /// They stay in one channel.
  case keep
  /// They get the channels of the output's color.
  case color
}

/// Whether an output tells its color space by a profile.
public enum ProfileEmbedding: ParameterValue, Equatable {
  case always
  case never
  /// Where it is not what a picture without a profile is taken for.
  case auto

  public static var schema: Schema { .any([.boolean, .choice(["auto"])]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    switch node.value {
    case .boolean(let isWanted): isWanted ? .always : .never
    case .string("auto"): .auto
    default: field.refuse(node, as: Self.self, &problems)
    }
  }

  public var literal: String {
    switch self {
    case .always: "true"
    case .never: "false"
    case .auto: "\"auto\""
    }
  }
}
