import MinilabKit
import PictureMetadata
import Vips

/// One output of one unit: how it is written, and the writing.
struct OutputJob {
  let output: Output
  let picture: OpenedPicture
  private let pictures: UnitPictures
  private let frame: Frame
  /// What is written in place of the frame's own pixels.
  private let sheet: Sheet?
  let encoder: any PictureEncoder
  /// Makes the pages, where the output is to have all of them.
  let pages: PageMaker?

  var format: PictureFormat { type(of: encoder).format }

  /// What is to be made of a frame of a unit.
  ///
  /// `format`: of the unit's input, for an output that names none. `pictures`: the unit's.
  /// `pages`: where all pages are wanted.
  ///
  /// - Throws: `ItemError` where the format cannot be written.
  init(
    _ output: Output,
    _ format: PictureFormat,
    _ pictures: UnitPictures,
    _ frame: Frame,
    sheet: Sheet? = nil,
    pages: PageMaker? = nil
  ) throws(ItemError) {
    let format = output.settings.format?.picture ?? format
    guard let encoder = output.encoders[format] else {
      throw ItemError(
        .formatNotWritten,
        expected: "a format that can be written (set format in output \"\(output.name)\")",
        received: format.shown
      )
    }
    self.output = output
    picture = pictures.picture(of: frame)
    self.pictures = pictures
    self.frame = frame
    self.sheet = sheet
    self.encoder = encoder
    self.pages = pages
    try checkPages()
  }

  /// - Throws: `ItemError` where the format cannot hold this size.
  func checkLimits(_ size: Size) throws(ItemError) {
    let most = type(of: encoder).longestSide
    guard size.longerSide > most else { return }
    throw ItemError(
      .formatLimit,
      expected: "sides of at most \(most) pixels, which is all \(format.shown) can hold",
      received: "\(size) for output \"\(output.name)\""
    )
  }

  /// Writes the output under its temporary name.
  func make(
    into file: TemporaryFile,
    _ notes: inout Notes
  ) throws -> WrittenFile {
    if isCopy, let copy = try copy(into: file, &notes) { return copy }
    if let pages { return try make(pages, into: file, &notes) }
    do {
      let rendered = try rendered()
      try checkLimits(Size(width: rendered.width, height: rendered.height))
      let image = try OutputImage(
        rendered,
        for: output.settings,
        encoder,
        metadata: sheet == nil ? picture.metadata() : MetadataBlocks()
      )
      notes.add(image.notes)
      if sheet == nil, pictures.haveGainMap {
        notes.add([Note(.gainMapDropped, "the gain map for HDR screens was left out")])
      }
      notes.add(try image.save(to: file))
      let size = Size(width: rendered.width, height: rendered.height)
      return written(file, stored: size, shown: size)
    } catch let error as VipsError {
      throw failure(error, file)
    }
  }

  func written(_ file: TemporaryFile, stored: Size, shown: Size) -> WrittenFile {
    WrittenFile(
      file: file,
      format: format,
      stored: stored,
      shown: shown,
      cropBounds: sheet == nil ? frame.cropBounds : nil
    )
  }

  private func rendered() throws -> Image {
    try sheet?.image() ?? pictures.image(of: frame)
  }

  // MARK: Untouched pictures

  /// Nothing about the picture changes, so its bytes are what is wanted.
  var isCopy: Bool {
    sheet == nil && format == picture.origin.format && !output.namesEncoderOption
      && !frame.isTouched
      && (output.settings.metadata == .all || MetadataContainer.canBeRewritten(format))
      && output.settings.resolution == nil && (picture.origin.pages == 1 || pagesAreUntouched)
      && !OutputColor(output.settings, format).changes(picture.headerImage)
  }

  /// Nil where the file's structure is not such that its metadata could be changed.
  private func copy(into file: TemporaryFile, _ notes: inout Notes) throws -> WrittenFile? {
    // A copy decodes nothing, so a damaged picture would pass unseen.
    do {
      try picture.decodeWhole()
    } catch is VipsError {
      throw PictureProcessor.damaged(format)
    }
    try picture.copy(to: file)
    guard try rewriteMetadata(of: file, &notes) else { return nil }
    // The tag that turns it has been copied, too.
    let shown = Size(width: picture.header.width, height: picture.header.height)
    var written = written(file, stored: picture.origin.size, shown: shown)
    if let pages { written.pages = pages.count }
    return written
  }

  /// Applies the metadata policy to a copy.
  ///
  /// - Returns: false where that cannot be done, and the file is empty again.
  private func rewriteMetadata(of file: TemporaryFile, _ notes: inout Notes) throws -> Bool {
    let policy = output.settings.metadata
    guard policy != .all else {
      notes.add([Note(.copied, "nothing was to be changed; the file was copied")])
      return true
    }
    let container = MetadataContainer(file, format, picture.origin.size)
    guard try container.canBePut else {
      try container.empty()
      return false
    }
    var truth = MetadataTruth()
    truth.isEncoded = false
    if !policy.keepsWhole(.exif) {
      // The tag that turns the picture is needed where the pixels are not turned.
      guard picture.origin.orientation == .up else {
        try container.empty()
        return false
      }
    }
    var losses: [MetadataLoss] = []
    let blocks = picture.metadata().edited(policy, truth, losses: &losses)
    notes.add(losses.map(\.note))
    notes.add(try container.put(blocks, policy, isEncoded: false))
    if pictures.haveGainMap {
      notes.add([Note(.gainMapDropped, "the gain map for HDR screens was left out")])
    }
    notes.add([Note(.copied, "the pixels were copied, and the metadata was rewritten")])
    return true
  }

  /// What a failed save means: libvips' text is never asked.
  private func failure(
    _ error: VipsError,
    _ file: TemporaryFile
  ) -> ItemError {
    if let problem = OutputWriter.problem(writing: file) { return problem }
    if let cause = error.cause as? ItemError { return cause }
    do {
      _ = try rendered().average()
    } catch let error as ItemError {
      return error
    } catch {
      return PictureProcessor.damaged(picture.origin.format)
    }
    return ItemError(
      .writeFailed,
      expected: "\(file.path.shown) to be written as \(format.shown)",
      received: "an encoder that failed (\(error.operation))"
    )
  }
}
