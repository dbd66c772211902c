public import MinilabKit

/// What to do, parsed and resolved: input policy, steps, outputs.
///
/// Opens no picture.
public struct Profile: Sendable {
  /// As found: for messages.
  public let file: Path
  public let summary: String
  public let input: InputPolicy
  public let limits: RunLimits
  /// Nil: each item is a unit.
  public let gather: Gather?
  public let notes: NotePolicy
  /// The step that makes the items, where no inputs are given; none of `steps`.
  public let source: Step?
  public let steps: [Step]
  public let outputs: [Output]
  /// The resolved table everything above was read from; what a worker is sent.
  public let node: Node
}

/// One use of an operation.
public struct Step: Sendable {
  /// For messages: unique within its list, so a second step of one name has a number behind it.
  public let id: String
  public let operation: any StepOperation
  public let place: Place
}

/// One file that a profile makes from a unit.
public struct Output: Sendable {
  public let settings: OutputSettings
  public let path: PathTemplate
  public let steps: [Step]
  /// How each format would be written here; one entry where the output names its format.
  public let encoders: [PictureFormat: any PictureEncoder]
  /// An encoder option was written, so even an untouched picture is encoded.
  public let namesEncoderOption: Bool
  public let place: Place

  public var name: String { settings.name }

  /// It shows the steps, and not only what comes of them.
  var isSheet: Bool { settings.kind == .sheet }
}
