/// One thing that is wrong with a profile, as data.
///
/// The text is made in one place.
public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable {
    case syntax
    case unknownKey = "unknown-key"
    case unknownOperation = "unknown-operation"
    case wrongType = "wrong-type"
    case outOfRange = "out-of-range"
    case missing
    case conflict
    case noSuchFile = "no-such-file"
    case cycle
  }

  public let code: Code
  public let place: Place
  /// The key it is about, as `--set` would address it: `crop.aspect`, `output.large.quality`.
  public let key: String
  public let expected: String
  public let received: String

  public init(
    _ code: Code,
    at place: Place,
    key: String,
    expected: String,
    received: String
  ) {
    self.code = code
    self.place = place
    self.key = key
    self.expected = expected
    self.received = received
  }

  /// Keys and names are anybody's text: here on one line, of bounded length, and without anything
  /// that a terminal acts on.
  private static func shown(_ text: String) -> String {
    let most = 500
    guard text.utf8.count > most else { return Path(text).shown }
    // Not letters: one of them can have any number of marks.
    return Path(String(text.unicodeScalars.prefix(most)) + "…").shown
  }

  public var description: String {
    let subject = key.isEmpty ? "" : "\(Self.shown(key)): "
    return "\(place): \(subject)expected \(Self.shown(expected)), found \(Self.shown(received))"
  }
}

/// All problems of one profile.
public struct Problems: Error, Sendable, CustomStringConvertible {
  public let all: [Problem]

  public init(_ all: [Problem]) {
    self.all = all
  }

  public var description: String {
    all.map(\.description).joined(separator: "\n")
  }
}
