public import Vips

/// Work on pixels that is registered on a frame and done when the frame is made.
public struct PixelWork: Sendable {
  /// What the work does to the frame's size.
  public enum SizeChange: Sendable, Equatable {
    case unchanged
    case known(Size)
    /// Only the pixels can tell; whatever comes next waits for them.
    case fromPixels
  }

  /// How the work reads its picture.
  public enum Access: Sendable {
    /// Top to bottom, once: the picture streams through.
    case sequential
    /// Anywhere, any number of times: the picture is held in memory.
    case random
  }

  /// What the work does to transparency.
  public enum Alpha: Sendable {
    case unchanged
    /// The result may be transparent.
    case added
    /// The result is opaque.
    case removed
  }

  public let size: SizeChange
  public let access: Access
  public let alpha: Alpha
  /// The step's id, for errors.
  public internal(set) var step: String
  /// The same on all frames that have this work from one `pixels` call.
  public let identity = WorkIdentity()
  public let run: @Sendable (Image) throws -> Image
}

/// Tells a piece of work from every other, however often the frame that carries it is copied: where
/// two frames have the same one, its result is the same picture.
///
/// For the host.
public final class WorkIdentity: Sendable, Hashable {
  init() {}

  public static func == (left: WorkIdentity, right: WorkIdentity) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Pixels that a step makes of several frames, when they are asked for.
public struct Making: Sendable {
  /// One of the pictures it is made of.
  ///
  /// No pixel depends on it: it tells what the making takes.
  public struct Part: Sendable {
    public let frame: Frame
    /// The rows of what is made that it reaches: it is at hand while these are made.
    public let rows: Range<Int>
    /// Its pixels are held in memory then; else they come row by row.
    public let isHeld: Bool

    public init(_ frame: Frame, rows: Range<Int>, isHeld: Bool) {
      self.frame = frame
      self.rows = rows
      self.isHeld = isHeld
    }
  }

  /// In whole pixels.
  public let size: Size
  /// What it is made of; empty where nobody has said.
  public var parts: [Part] = []
  /// What is held beside the parts, in bytes.
  public var held = 0
  /// The step's id, for errors.
  public internal(set) var step: String
  /// The same on all frames that stand for this one making.
  public let identity = WorkIdentity()
  /// Those whose pixels it asks for, as far as it has told.
  public var frames: [Frame] { parts.map(\.frame) }
  public let run: @Sendable () throws -> Image
}
