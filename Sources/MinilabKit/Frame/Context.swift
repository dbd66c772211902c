public import Vips

/// What a step may know beside its frame.
public struct Context: Sendable {
  /// The step's id.
  public let step: String
  private let reduce: (@Sendable (Frame, Int) throws -> Image)?

  /// - Parameter reduce: makes a small picture of a frame; nil while only headers are read.
  public init(step: String, reduce: (@Sendable (Frame, Int) throws -> Image)? = nil) {
    self.step = step
    self.reduce = reduce
  }

  /// The frame reduced so that its longer side is at most `side` pixels, whatever the outputs are:
  /// for steps that must look at the picture to know where, such as `crop` with
  /// `gravity = "attention"`.
  ///
  /// Nil while a run is only being planned, when no pixel is decoded. A step must then answer with
  /// the same size as it will with pixels.
  public func reduction(of frame: Frame, to side: Int) throws -> Image? {
    try reduce?(frame, side)
  }

  /// An error of this step.
  public func error(_ code: ItemError.Code, expected: String, received: String) -> ItemError {
    ItemError(code, step: step, expected: expected, received: received)
  }
}
