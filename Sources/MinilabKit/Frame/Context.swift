public import Vips

/// What a step may know beside its frame.
public struct Context: Sendable {
  /// The step's id.
  public let step: String
  private let pictures: (any PictureMaker)?

  /// `pictures`: makes pixels; nil while only headers are read.
  public init(step: String, pictures: (any PictureMaker)? = nil) {
    self.step = step
    self.pictures = pictures
  }

  /// The frame reduced so that its longer side is at most `side` pixels, whatever the outputs are:
  /// for steps that must look at the picture to know where, such as `crop` with
  /// `gravity = "attention"`.
  ///
  /// Nil while a run is only being planned, when no pixel is decoded. A step must then answer with
  /// the same size as it will with pixels.
  public func reduction(of frame: Frame, to side: Int) throws -> Image? {
    try pictures?.reduction(of: frame, to: side)
  }

  /// An error of this step.
  public func error(_ code: ItemError.Code, expected: String, received: String) -> ItemError {
    ItemError(code, step: step, expected: expected, received: received)
  }

  /// A preview that need not be made, of a frame that shows the whole picture.
  ///
  /// It has at least the wanted size, the picture's aspect within 1 %, and is not older. Nil while a
  /// run is only being planned.
  public func readyPreview(
    _ kind: ReadyPreview,
    of frame: Frame,
    atLeast wanted: Size
  ) throws -> PreviewSearch? {
    try pictures?.readyPreview(kind, of: frame, atLeast: wanted)
  }

  /// A picture that the profile names, upright, in working pixels, held in memory.
  ///
  /// To be called from pixel work.
  public func picture(_ file: FileReference) throws -> Image {
    guard let pictures else { preconditionFailure("pixel work runs where pixels are made") }
    return try pictures.picture(file)
  }
}

/// Where a step's context gets pixels from: the host's side of it.
public protocol PictureMaker: Sendable {
  func reduction(of frame: Frame, to side: Int) throws -> Image
  func readyPreview(
    _ kind: ReadyPreview,
    of frame: Frame,
    atLeast wanted: Size
  ) throws -> PreviewSearch
  func picture(_ file: FileReference) throws -> Image
}

extension PictureMaker {
  /// None: what a step's own tests need not say.
  public func readyPreview(
    _ kind: ReadyPreview,
    of frame: Frame,
    atLeast wanted: Size
  ) throws -> PreviewSearch { .missing("no preview is ready") }
}
