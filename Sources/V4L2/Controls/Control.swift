/// A setting of a device.
public struct Control: Hashable, Sendable {
  public enum Kind: String, Sendable {
    case integer
    case boolean
    case menu
    /// A menu of numbers.
    case integerMenu = "integer-menu"
    /// Does something when it is set, to any value.
    case button
    case bitmask
    /// Numbers of 64 bits, texts and others, which are not set here.
    case other
  }

  public struct Choice: Hashable, Sendable {
    /// What to set the control to.
    public var index: Int
    /// The driver's words, or the number.
    public var name: String
  }

  /// V4L2's number of it.
  public var id: UInt32
  /// As `v4l2-ctl` writes it: lower case, with underscores.
  public var name: String
  /// The driver's words.
  public var title: String
  public var kind: Kind
  public var range: SteppedRange
  public var standard: Int
  /// Nil where it cannot be read.
  public var value: Int?
  /// Of a menu; the indices may have holes.
  public var choices: [Choice]
  public var isReadOnly: Bool
  /// Without effect, as another control stands: exposure time while exposure is automatic.
  public var isInactive: Bool
  /// Another program holds it.
  public var isHeld: Bool
}

/// What a control is to be set to.
public enum ControlValue: Hashable, Sendable, CustomStringConvertible {
  case number(Int)
  case bool(Bool)
  /// Of a menu: the driver's words, in any case, or as a control's name is written.
  case choice(String)

  public var description: String {
    switch self {
    case .number(let number): return "\(number)"
    case .bool(let bool): return "\(bool)"
    case .choice(let word): return word
    }
  }
}
