import MinilabKit
import Vips

/// One output of one unit: how it is written, and the writing.
struct OutputJob {
  private let output: Output
  private let picture: OpenedPicture
  private let frame: Frame
  private let encoder: any PictureEncoder

  private var format: PictureFormat { type(of: encoder).format }

  /// - Throws: `ItemError` where the format cannot be written.
  init(_ output: Output, _ picture: OpenedPicture, _ frame: Frame) throws(ItemError) {
    let format = output.settings.format?.picture ?? picture.origin.format
    guard let encoder = output.encoders[format] else {
      throw ItemError(
        .formatNotWritten,
        expected: "a format that can be written (set format in output \"\(output.name)\")",
        received: format.shown
      )
    }
    self.output = output
    self.picture = picture
    self.frame = frame
    self.encoder = encoder
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

  /// Writes the output under its temporary name and reads it back.
  func make(
    into file: TemporaryFile,
    _ notes: inout Notes
  ) throws -> OutputRecord {
    if isCopy { return try copy(into: file, &notes) }
    do {
      let rendered = try Renderer(raster: picture, limit: picture.sizeLimit).image(of: frame)
      try checkLimits(Size(width: rendered.width, height: rendered.height))
      let image = try OutputImage(rendered, for: output.settings, encoder)
      notes.add(image.notes)
      if picture.hasGainMap {
        notes.add([Note(.gainMapDropped, "the gain map for HDR screens was left out")])
      }
      try image.save(to: file)
      return try checked(file, Size(width: rendered.width, height: rendered.height))
    } catch let error as VipsError {
      throw failure(error, file)
    }
  }

  // MARK: Untouched pictures

  /// Nothing about the picture changes, so its bytes are what is wanted.
  private var isCopy: Bool {
    format == picture.origin.format && !output.namesEncoderOption && !frame.isTouched
      && output.settings.metadata == .all && picture.origin.pages == 1
      && !OutputImage.needsColorConversion(picture.headerImage, output.settings.color)
  }

  private func copy(into file: TemporaryFile, _ notes: inout Notes) throws -> OutputRecord {
    // A copy decodes nothing, so a damaged picture would pass unseen.
    do {
      try picture.decodeWhole()
    } catch is VipsError {
      throw PictureProcessor.damaged(format)
    }
    try picture.copy(to: file)
    notes.add([Note(.copied, "nothing was to be changed; the file was copied")])
    var record = try checked(file, picture.origin.size)
    // As a viewer sees it, and as it was planned: the tag that turns it has been copied, too.
    record.width = picture.header.width
    record.height = picture.header.height
    return record
  }

  // MARK: Checks

  /// The header read back must say what was written: the saver's word alone is not enough.
  private func checked(_ file: TemporaryFile, _ size: Size) throws(ItemError) -> OutputRecord {
    let unreadable = ItemError(
      .writeFailed,
      expected: "a \(format.shown) of \(size) when \(file.path.shown) is read back",
      received: "something else"
    )
    guard let bytes = file.length, bytes > 0 else { throw unreadable }
    do {
      let back = try Loader.of(format).open(PictureData(borrowing: file.descriptor), [])
      guard back.width == size.width, back.height == size.height else { throw unreadable }
      return OutputRecord(
        path: file.path,
        width: back.width,
        height: back.height,
        format: format,
        bytes: bytes
      )
    } catch let error as ItemError {
      throw error
    } catch {
      throw unreadable
    }
  }

  /// What a failed save means: libvips' text is never asked.
  private func failure(
    _ error: VipsError,
    _ file: TemporaryFile
  ) -> ItemError {
    if let problem = OutputWriter.problem(writing: file) { return problem }
    do {
      _ = try Renderer(raster: picture, limit: picture.sizeLimit).image(of: frame).average()
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
