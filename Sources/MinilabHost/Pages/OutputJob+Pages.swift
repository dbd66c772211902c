import MinilabKit
import Vips

// Outputs of several pages.

extension OutputJob {
  /// - Throws: `ItemError` where the format cannot hold several pages.
  func checkPages() throws(ItemError) {
    // A copy keeps the pages of any format.
    guard let pages, !format.holdsPages, !isCopy else { return }
    throw ItemError(
      .formatLimit,
      expected: "a format that holds \(pages.count) pages for output \"\(output.name)\", such as "
        + (pages.isAnimation ? "webp" : "tiff"),
      received: format.shown
    )
  }

  /// Writes all pages under the output's temporary name.
  func make(
    _ pages: PageMaker,
    into file: TemporaryFile,
    _ notes: inout Notes
  ) throws -> WrittenFile {
    // What was read is let go, whatever comes.
    defer { pages.close() }
    do {
      var made = Made()
      if let original = try original(
        insteadOf: file,
        changesPixels: made.changesPixels,
        &notes,
        {
          try format == .tiff ? join(pages, into: file, &made) : animate(pages, into: file, &made)
        }
      ) {
        return original
      }
      notes.add(made.notes.all)
      notes.add(pages.notes.all)
      var written = written(file, stored: made.size, shown: made.size)
      written.pages = made.count
      return written
    } catch let error as VipsError {
      if let problem = OutputWriter.problem(writing: file) { throw problem }
      if let cause = error.cause as? ItemError { throw cause }
      throw unwritten(error.operation, file)
    } catch let error as SystemError {
      throw OutputWriter.failure(error, writing: file.path)
    } catch is WebPAnimation.Broken {
      throw unwritten("the frames are not those that were saved", file)
    } catch is TIFFStructure.Broken {
      throw unwritten("the pages cannot be joined", file)
    }
  }

  private func unwritten(_ reason: String, _ file: TemporaryFile) -> ItemError {
    ItemError(
      .writeFailed,
      expected: "\(file.path.shown) to be written as \(format.shown)",
      received: "an encoder that failed (\(reason))"
    )
  }

  /// Nothing about any of the pages changes.
  var pagesAreUntouched: Bool {
    guard let pages else { return false }
    // Every frame of an animation goes the same way.
    return (0..<(pages.isAnimation ? 1 : pages.count)).allSatisfy { index in
      let page = (try? pages.page(index, readsPixels: false)) ?? nil
      return page?.isUntouched(OutputColor(output.settings, format)) == true
    }
  }

  /// What has been written.
  private struct Made {
    /// Of the first page, or of every frame.
    var size = Size(width: 1, height: 1)
    var count = 0
    /// Colors, transparency or depth are not what was rendered.
    var changesPixels = false
    var notes = Notes()

    mutating func add(_ image: OutputImage) {
      notes.add(image.notes)
      if image.changesPixels { changesPixels = true }
    }
  }

  // MARK: TIFF

  /// Each page is a picture of its own.
  private func join(_ pages: PageMaker, into file: TemporaryFile, _ made: inout Made) throws {
    if let limit = output.settings.maxBytes {
      let search = QualitySearch(file: file, limit: limit, output: output.name)
      let found = try search.save(with: encoder, []) {
        made = Made()
        try join(pages, with: $0, into: file, &made)
        return []
      }
      made.notes.add(found)
    } else {
      try join(pages, with: encoder, into: file, &made)
    }
    if pages.isAnimation {
      let text = "TIFF holds no delays and no loop count; they were left out"
      made.notes.add([Note(.timingChanged, text)])
    }
  }

  private func join(
    _ pages: PageMaker,
    with encoder: any PictureEncoder,
    into file: TemporaryFile,
    _ made: inout Made
  ) throws {
    // What is counted is the whole file.
    var settings = output.settings
    settings.maxBytes = nil
    var join: TIFFJoin?
    for index in 0..<pages.count {
      guard let page = try pixels({ try pages.pixels(of: index) }) else { continue }
      let size = Size(width: page.image.width, height: page.image.height)
      try checkLimits(size)
      let image = try OutputImage(
        page.image,
        for: settings,
        encoder.forPages,
        metadata: page.metadata,
        isTurned: frame.isTurned
      )
      made.add(image)
      made.count += 1
      if made.count == 1 {
        made.size = size
        made.notes.add(try image.save(to: file))
        continue
      }
      let own = try file.beside()
      made.notes.add(try image.save(to: own))
      var joining = try join ?? TIFFJoin(file.descriptor)
      try joining.append(own.descriptor)
      join = joining
    }
    precondition(made.count > 0, "an output without a page is not made")
  }

  // MARK: Animations

  private func animate(_ pages: PageMaker, into file: TemporaryFile, _ made: inout Made) throws {
    let strip = try pixels { try PageStrip(pages) }
    try checkLimits(strip.size)
    (made.size, made.count) = (strip.size, pages.count)
    let timing = pages.timing
    let held = timing.held(by: format)
    let isWebP = format == .webp
    let delays = isWebP ? held.delays.map { _ in WebPAnimation.tick } : held.delays
    let image = try OutputImage(
      strip.image(delays: delays, plays: held.plays),
      for: output.settings,
      encoder,
      metadata: picture.metadata(),
      isTurned: frame.isTurned,
      isStrip: true
    )
    made.add(image)
    made.notes.add(
      try image.save(to: file) { file in
        if let failure = strip.failure { try pixels { throw failure } }
        if isWebP { try WebPAnimation.mend(file.descriptor, held, size: strip.size) }
      }
    )
    if format == .gif, strip.hasHalfAlpha { made.notes.add([OutputImage.hardAlpha]) }
    if held != timing {
      let unit = isWebP ? "24 bits of milliseconds" : "hundredths of a second"
      let text = "\(format.shown) holds delays in \(unit); some were rounded"
      made.notes.add([Note(.timingChanged, text)])
    }
  }

  /// A failure to make pixels is the input's, and none of the encoder.
  private func pixels<Result>(_ make: () throws -> Result) throws -> Result {
    do {
      return try make()
    } catch let error as VipsError {
      if let cause = error.cause as? ItemError { throw cause }
      throw PictureProcessor.damaged(picture.origin.format)
    }
  }
}
