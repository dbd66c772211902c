/// What all operations declare about themselves.
public protocol StepOperation: ParameterTable {
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

  /// The outputs whose pictures this step uses; they must stand above the step's own.
  var neededOutputs: [String] { get }
}

extension StepOperation {
  public static var takesOtherKeys: Bool { false }
  public var neededOutputs: [String] { [] }
}

/// A step that turns a frame into a frame.
///
/// One declaration: parameters, rules, examples and the work itself.
public protocol ImageOperation: StepOperation {
  /// Edits the frame's pending geometry, or registers pixel work on it. Touches no pixel itself.
  ///
  /// - Throws: `ItemError` where this picture cannot be treated so.
  func apply(to frame: Frame, in context: Context) throws -> Frame
}

/// A step that makes one frame of several: those of a gathered unit, or the one there is.
public protocol GroupOperation: StepOperation {
  /// Gives the frame of what it makes, whose pixels are made later: see `Frame.replaced(size:)`.
  ///
  /// `frames` is never empty, and in the plan's order. Their notes are the host's business.
  ///
  /// - Throws: `ItemError` where these pictures cannot be treated so.
  func apply(to frames: [Frame], in context: Context) throws -> Frame
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
  /// It makes one picture of several.
  public let takesSeveral: Bool
  /// It makes items, and stands first in a profile without inputs.
  public let makesItems: Bool
  /// The devices that a source makes items of; none for any other operation.
  public let devices: @Sendable () throws -> [SourceDevice]
  private let decodeStep:
    @Sendable (Node, String, Set<String>, inout [Problem]) -> (any StepOperation)?

  public init<Operation: StepOperation>(_ type: Operation.Type) {
    name = type.name
    version = type.version
    summary = type.summary
    parameters = type.descriptions
    rules = type.rules.map(\.text)
    examples = type.examples
    takesOtherKeys = type.takesOtherKeys
    takesSeveral = type is any GroupOperation.Type
    let source = type as? any SourceOperation.Type
    makesItems = source != nil
    devices = { try source?.devices() ?? [] }
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
  ) -> (any StepOperation)? {
    decodeStep(node, key, ignoring, &problems)
  }
}
