public import Vips

/// What a step may know beside its frame.
public struct Context: Sendable {
  /// The step's id.
  public let step: String
  private let pictures: (any PictureMaker)?
  private let files: (any PictureFiles)?
  private let outputs: [String: Frame]

  /// Makes a context.
  ///
  /// `pictures`: makes pixels; nil while only headers are read.
  /// `files`: reads headers; nil where a profile is only checked.
  /// `outputs`: the frames of the outputs that stand above the one this step belongs to.
  public init(
    step: String,
    pictures: (any PictureMaker)? = nil,
    files: (any PictureFiles)? = nil,
    outputs: [String: Frame] = [:]
  ) {
    self.step = step
    self.pictures = pictures
    self.files = files
    self.outputs = outputs
  }

  /// An error of this step.
  public func error(_ code: ItemError.Code, expected: String, received: String) -> ItemError {
    ItemError(code, step: step, expected: expected, received: received)
  }

  // MARK: What headers tell

  /// A frame of a picture that the profile names.
  ///
  /// Nil where a profile is only checked, and no picture is there. A step must then answer with a
  /// size that is possible.
  ///
  /// - Throws: `ItemError` of this step that names the file.
  public func frame(of file: FileReference) throws -> Frame? {
    try naming(file) { try files?.frame(of: file) }
  }

  /// Where a picture cannot be had, the error must not seem to be about the item.
  private func naming<Result>(_ file: FileReference, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ItemError {
      throw self.error(
        error.code,
        expected: "\(error.expected), \(file.given.literal)",
        received: error.received
      )
    } catch is VipsError {
      throw error(
        .damaged,
        expected: "a complete picture, \(file.given.literal)",
        received: "data that ends early or cannot be decoded"
      )
    }
  }

  /// The value of an EXIF tag by its name in the standard, such as `Model`, of the picture that a
  /// frame comes from.
  ///
  /// Nil where the picture does not say.
  public func exif(_ tag: String, of frame: Frame) -> String? {
    files?.exif(tag, of: frame.origin)
  }

  /// When the picture that a frame comes from was taken, by its EXIF, XMP or IPTC.
  ///
  /// Nil where the picture does not say.
  public func dateTaken(of frame: Frame) -> WallClock? {
    files?.dateTaken(of: frame.origin)
  }

  /// The frame of an output that stands above this step's, before it is encoded.
  ///
  /// Nil where a profile is only checked. A profile whose step names another output in
  /// `neededOutputs` is refused.
  public func output(_ name: String) -> Frame? { outputs[name] }

  // MARK: What pixels tell

  /// False while a run is only being planned: then a step draws nothing, and answers with the same
  /// size as it will with pixels.
  public var hasPixels: Bool { pictures != nil }

  /// The frame reduced so that its longer side is at most `side` pixels, whatever the outputs are:
  /// for steps that must look at the picture to know where, such as `crop` with
  /// `gravity = "attention"`.
  ///
  /// Nil while a run is only being planned, when no pixel is decoded. A step must then answer with
  /// the same size as it will with pixels.
  public func reduction(of frame: Frame, to side: Int) throws -> Image? {
    guard let pictures else {
      files?.expectReduction(of: frame, to: side)
      return nil
    }
    return try pictures.reduction(of: frame, to: side)
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
    guard let pictures else {
      files?.expectReadyPreview(of: frame)
      return nil
    }
    return try pictures.readyPreview(kind, of: frame, atLeast: wanted)
  }

  /// The pixels of a frame, to be read once, top to bottom; whoever needs them in another order
  /// holds them in memory.
  ///
  /// To be called from pixel work or while a frame is made.
  public func image(of frame: Frame) throws -> Image {
    guard let pictures else { preconditionFailure("pixel work runs where pixels are made") }
    return try pictures.image(of: frame)
  }

  /// States a loss or a choice that only the pixels have told.
  ///
  /// To be called while pixels are made.
  public func note(_ code: Note.Code, _ text: String) { pictures?.add(Note(code, text)) }

  /// A picture that the profile names, upright, in working pixels, held in memory.
  ///
  /// To be called from pixel work.
  ///
  /// - Throws: `ItemError` of this step that names the file.
  public func picture(_ file: FileReference) throws -> Image {
    guard let pictures, let frame = try frame(of: file) else {
      preconditionFailure("pixel work runs where pixels are made")
    }
    return try naming(file) { try pictures.image(of: frame).inMemory() }
  }
}

/// Where a step's context gets headers from: the host's side of it.
public protocol PictureFiles: Sendable {
  /// - Throws: `ItemError` where the file is no picture that can be opened.
  func frame(of file: FileReference) throws -> Frame
  func exif(_ tag: String, of origin: Origin) -> String?
  func dateTaken(of origin: Origin) -> WallClock?
  /// A step will ask for this when there are pixels.
  func expectReduction(of frame: Frame, to side: Int)
  /// A step will ask for a preview that is ready, in place of the picture.
  func expectReadyPreview(of frame: Frame)
}

extension PictureFiles {
  /// Nobody listens: what a step's own tests need not say.
  public func expectReduction(of frame: Frame, to side: Int) {}
  public func expectReadyPreview(of frame: Frame) {}
}

/// Where a step's context gets pixels from: the host's side of it.
public protocol PictureMaker: Sendable {
  func reduction(of frame: Frame, to side: Int) throws -> Image
  func readyPreview(
    _ kind: ReadyPreview,
    of frame: Frame,
    atLeast wanted: Size
  ) throws -> PreviewSearch
  func image(of frame: Frame) throws -> Image
  /// Adds a note to the unit, once.
  func add(_ note: Note)
}

extension PictureMaker {
  /// Nobody listens: what a step's own tests need not say.
  public func add(_ note: Note) {}

  /// None: what a step's own tests need not say.
  public func readyPreview(
    _ kind: ReadyPreview,
    of frame: Frame,
    atLeast wanted: Size
  ) throws -> PreviewSearch { .missing("no preview is ready") }
}
