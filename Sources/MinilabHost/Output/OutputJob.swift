import MinilabKit
import Vips

/// One output of one unit: how it is written, and the writing.
struct OutputJob {
  private let output: Output
  private let picture: OpenedPicture
  private let pictures: UnitPictures
  private let frame: Frame
  /// What is written in place of the frame's own pixels.
  private let sheet: Sheet?
  private let encoder: any PictureEncoder

  private var format: PictureFormat { type(of: encoder).format }

  /// What is to be made of a frame of a unit.
  ///
  /// `format`: of the unit's input, for an output that names none. `pictures`: the unit's.
  ///
  /// - Throws: `ItemError` where the format cannot be written.
  init(
    _ output: Output,
    _ format: PictureFormat,
    _ pictures: UnitPictures,
    _ frame: Frame,
    sheet: Sheet? = nil
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

  /// What headers tell already of what will be lost.
  var plannedNotes: [Note] {
    if isCopy { return [] }
    var notes: [Note] = []
    if frame.hasAlpha, !type(of: encoder).holdsAlpha {
      notes.append(OutputImage.flattened(format, on: output.settings.background))
    }
    let wanted = encoder.depth(from: 16)
    if case .origin = frame.base, picture.headerImage.isDeep, wanted >= 8,
      let note = OutputDepth.note(from: 16, to: wanted, format)
    {
      notes.append(note)
    }
    if pictures.haveGainMap { notes.append(Self.gainMapDropped) }
    return notes
  }

  private static let gainMapDropped = Note(
    .gainMapDropped,
    "the gain map for HDR screens was left out"
  )

  /// Writes the output under its temporary name.
  func make(
    into file: TemporaryFile,
    _ notes: inout Notes
  ) throws -> WrittenFile {
    file.kept = KeptAttributes(output.settings, of: picture.status)
    if isCopy {
      // A copy decodes nothing, so a damaged picture would pass unseen.
      try decodeWhole()
      return try copy(
        into: file,
        Note(.copied, "nothing was to be changed; the file was copied"),
        &notes
      )
    }
    do {
      let rendered = try rendered()
      try checkLimits(Size(width: rendered.width, height: rendered.height))
      let image = try OutputImage(rendered, for: output.settings, encoder)
      var made = image.notes
      if sheet == nil, pictures.haveGainMap {
        made.append(Self.gainMapDropped)
      }
      let refusal: ItemError?
      do {
        made += try image.save(to: file)
        refusal = nil
      } catch let error as ItemError where error.code == .tooLarge {
        refusal = error
      }
      if let note = reasonToKeepOriginal(image, file) {
        try empty(file)
        return try copy(into: file, note, &notes)
      }
      if let refusal { throw refusal }
      notes.add(made)
      let size = Size(width: rendered.width, height: rendered.height)
      return written(file, stored: size, shown: size)
    } catch let error as VipsError {
      throw failure(error, file)
    }
  }

  private func written(_ file: TemporaryFile, stored: Size, shown: Size) -> WrittenFile {
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
  private var isCopy: Bool { isUntouched && !output.namesEncoderOption }

  /// If anything is to be changed, it is how the picture is encoded.
  private var isUntouched: Bool {
    sheet == nil && format == picture.origin.format
      && !frame.isTouched
      && output.settings.metadata == .all
      && output.settings.resolution == nil && picture.origin.pages == 1
      && !OutputColor(output.settings, format).changes(picture.headerImage)
  }

  /// Told where encoding again has gained nothing, and the output would rather have the input then.
  private func reasonToKeepOriginal(_ image: OutputImage, _ file: TemporaryFile) -> Note? {
    guard output.settings.whenLarger == .keepOriginal, isUntouched, !image.changesPixels,
      let length = file.length
    else { return nil }
    let original = picture.status.size
    if let most = output.settings.maxBytes, original > most.bytes { return nil }
    guard length > original else { return nil }
    return Note(
      .originalKept,
      "encoded again it would have \(length) bytes and not \(original); the file was copied"
    )
  }

  private func decodeWhole() throws {
    do {
      try picture.decodeWhole()
    } catch is VipsError {
      throw PictureProcessor.damaged(format)
    }
  }

  private func empty(_ file: TemporaryFile) throws(ItemError) {
    do { try file.empty() } catch { throw OutputWriter.failure(error, writing: file.path) }
  }

  private func copy(
    into file: TemporaryFile,
    _ note: Note,
    _ notes: inout Notes
  ) throws -> WrittenFile {
    try picture.copy(to: file)
    notes.add([note])
    // The tag that turns it has been copied, too.
    let shown = Size(width: picture.header.width, height: picture.header.height)
    return written(file, stored: picture.origin.size, shown: shown)
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

extension Image {
  /// 16 bit, in colors that steps work in as they are.
  fileprivate var isDeep: Bool {
    guard format == .ushort, !isCoded else { return false }
    return switch interpretation {
    case .gray, .gray16, .srgb, .rgb16: true
    case .scrgb, .cmyk, .lab, .xyz, .other: false
    }
  }
}
