import MinilabKit
import PictureMetadata
import Vips

/// One output of one unit: how it is written, and the writing.
struct OutputJob {
  let output: Output
  let picture: OpenedPicture
  let pictures: UnitPictures
  private(set) var frame: Frame
  /// What is written in place of the frame's own pixels.
  let sheet: Sheet?
  let encoder: any PictureEncoder
  /// Makes the pages, where the output is to have all of them.
  let pages: PageMaker?
  /// Where a JPEG's blocks go, if that is all that is to be done.
  private var move: PixelMove?
  /// What is told of that.
  private var moveNote: Note?
  /// What it has in common with the unit's other outputs.
  var way: CommonWay?

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
    self.encoder =
      output.namesEncoderOption || sheet != nil ? encoder : Self.keeping(picture, encoder)
    self.pages = pages
    try checkPages()
    let way = losslessWay
    (self.frame, move, moveNote) = (way.frame, way.move, way.note)
  }

  /// What loses nothing goes on to lose nothing, where no option asks for anything else.
  private static func keeping(
    _ picture: OpenedPicture,
    _ encoder: any PictureEncoder
  ) -> any PictureEncoder {
    guard picture.origin.format == .webp, var webp = encoder as? WebPEncoder,
      WebPCoding.isLossless(picture.reader.data)
    else { return encoder }
    webp.lossless = true
    return webp
  }

  /// A JPEG's blocks are moved.
  var isMoved: Bool { move != nil }

  /// It is the frame's pixels that are written, and no copy, moved blocks, sheet or pages.
  var usesFramePixels: Bool { sheet == nil && pages == nil && move == nil && !isCopy }

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

  /// What headers tell already of how it is made and of what will be lost, of a picture that is whole.
  var plannedNotes: [Note] {
    let beside = pictures.companionNotes(output.settings.metadata)
    if isCopy { return (output.settings.metadata == .all ? [] : beside) + [copyNote] }
    var notes = moveNote.map { [$0] } ?? []
    if isMoved { return notes + beside + [Self.movedNote] }
    if let note = restDropped { notes.append(note) }
    let wanted = encoder.depth(from: 16)
    if case .origin = frame.base, picture.headerImage.isDeep, wanted >= 8,
      let note = OutputDepth.note(from: 16, to: wanted, format)
    {
      notes.append(note)
    }
    return notes + foreseenColors + beside
  }

  /// What will be told of colors, where no step has worked on them; what is told of decoding is then among
  /// the picture's notes.
  private var foreseenColors: [Note] {
    guard usesFramePixels, case .origin = frame.base, !pictures.mayBeReplaced(frame),
      let image = picture.foreseen
    else { return [] }
    let isOfGeometry = frame.stages.allSatisfy { if case .geometry = $0 { true } else { false } }
    // Gray becomes color where a color lies around it, or shows through it.
    guard isOfGeometry, !image.isGray || (frame.isGray && !frame.hasAlpha) else { return [] }
    return OutputColor(output.settings, format).foreseen(of: image)
  }

  /// The output shows the first of several pages.
  private var restDropped: Note? {
    pages == nil && sheet == nil && output.settings.pages == .first ? picture.restDropped : nil
  }

  /// Writes the output under its temporary name.
  func make(
    into file: TemporaryFile,
    _ notes: inout Notes
  ) throws -> WrittenFile {
    switch try begin(into: file, &notes) {
    case .written(let written): return written
    case .encoding(let image, let told):
      let encoded = try naming(file) { try encode(image, told, into: file) }
      notes.add(encoded.notes.all)
      return encoded.file
    }
  }

  typealias Encoded = (file: WrittenFile, notes: Notes)

  /// Nothing but the encoder is at work then.
  func canBeEncodedAside(_ image: OutputImage) -> Bool {
    canBeEncodedAside(byteCount: image.image.byteCount)
  }

  /// The same, as far as a header can tell.
  func canBeEncodedAside(_ facts: RasterFacts) -> Bool {
    canBeEncodedAside(byteCount: facts.byteCount(facts.size))
  }

  private func canBeEncodedAside(byteCount: Int) -> Bool {
    output.settings.whenLarger != .keepOriginal && byteCount <= min(Self.mostAside, pictures.room)
  }

  /// What an output may hold while it is encoded, in bytes.
  private static let mostAside = 64 << 20

  /// An output on its way.
  enum Progress {
    case written(WrittenFile)
    /// What is left is to compute the pixels and to encode them; and what is told where they are.
    case encoding(OutputImage, [Note])
  }

  /// Does what comes before the encoding.
  func begin(into file: TemporaryFile, _ notes: inout Notes) throws -> Progress {
    file.kept = KeptAttributes(output.settings, of: picture.status)
    if isCopy, let copy = try copy(into: file, &notes) { return .written(copy) }
    if let moveNote { notes.add([moveNote]) }
    if let move, let moved = try makeLosslessly(move, into: file, &notes) { return .written(moved) }
    if let pages { return .written(try make(pages, into: file, &notes)) }
    return try naming(file) {
      let rendered = try rendered()
      try checkLimits(Size(width: rendered.width, height: rendered.height))
      let image = try OutputImage(
        rendered,
        for: output.settings,
        encoder,
        metadata: sheet == nil ? picture.metadata() : MetadataBlocks(),
        isTurned: sheet == nil && frame.isTurned
      )
      var told = image.notes
      if let note = restDropped { told.append(note) }
      if sheet == nil { told += pictures.companionNotes(output.settings.metadata) }
      return .encoding(image, told)
    }
  }

  /// The rest.
  ///
  /// `told`: where it is encoded, and not kept as it was.
  ///
  /// - Returns: the file, and what is told of it.
  /// - Throws: `ItemError`, or `VipsError` that `failure` makes one of.
  func encode(
    _ image: OutputImage,
    _ told: [Note],
    into file: TemporaryFile
  ) throws -> Encoded {
    var notes = Notes()
    var made = Notes()
    made.add(told)
    if let original = try original(
      insteadOf: file,
      changesPixels: image.changesPixels,
      &notes,
      {
        made.add(try image.save(to: file))
      }
    ) {
      return (original, notes)
    }
    notes.add(made.all)
    let size = Size(width: image.image.width, height: image.image.height)
    return (written(file, stored: size, shown: size), notes)
  }

  /// Makes of what libvips has thrown the item's error.
  func naming<Result>(_ file: TemporaryFile, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as VipsError { throw failure(error, file) }
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
