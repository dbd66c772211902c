/// A step that turns a frame into a frame.
///
/// One declaration: parameters, rules, examples and the work itself.
public protocol ImageOperation: ParameterTable {
  /// As a profile writes it behind `op =`: `^[a-z][a-z0-9-]*$`.
  static var name: String { get }
  /// Raise it when the same parameters give other pixels.
  static var version: Int { get }
  /// One sentence.
  static var summary: String { get }
  /// Shown in the documentation and run as tests.
  static var examples: [Example] { get }
  /// True where a step may have keys that no row names; `decode` then reads them itself.
  static var takesOtherKeys: Bool { get }

  /// Edits the frame's pending geometry, or registers pixel work on it. Touches no pixel itself.
  ///
  /// - Throws: `ItemError` where this picture cannot be treated so.
  func apply(to frame: Frame, in context: Context) throws -> Frame
}

extension ImageOperation {
  public static var takesOtherKeys: Bool { false }
}

/// A use of an operation that works: the documentation shows it, the tests run it.
public struct Example: Sendable {
  /// What it does, as one sentence.
  public let summary: String
  /// The lines of a `[[step]]`, without `op`.
  public let toml: String

  public init(_ summary: String, _ toml: String) {
    self.summary = summary
    self.toml = toml
  }
}

/// An operation in the list that a host is started with.
public struct OperationEntry: Sendable {
  public let name: String
  public let version: Int
  public let summary: String
  public let parameters: [ParameterDescription]
  /// What must hold between parameters, in words.
  public let rules: [String]
  public let examples: [Example]
  /// A step may have keys that `parameters` does not name.
  public let takesOtherKeys: Bool
  private let decodeStep:
    @Sendable (Node, String, Set<String>, inout [Problem]) -> (any ImageOperation)?

  public init<Operation: ImageOperation>(_ type: Operation.Type) {
    name = type.name
    version = type.version
    summary = type.summary
    parameters = type.descriptions
    rules = type.rules.map(\.text)
    examples = type.examples
    takesOtherKeys = type.takesOtherKeys
    decodeStep = { node, key, ignored, problems in
      Operation.decode(node, key: key, ignoring: ignored, &problems)
    }
  }

  /// Reads the parameters of a step.
  ///
  /// `ignoring` names the keys that are the host's.
  public func decode(
    _ node: Node,
    key: String,
    ignoring: Set<String>,
    _ problems: inout [Problem]
  ) -> (any ImageOperation)? {
    decodeStep(node, key, ignoring, &problems)
  }
}
