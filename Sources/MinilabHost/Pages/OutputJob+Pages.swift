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
      let (size, count) =
        try format == .tiff
        ? joined(pages, into: file, &notes) : animated(pages, into: file, &notes)
      notes.add(pages.notes.all)
      var written = written(file, stored: size, shown: size)
      written.pages = count
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

  // MARK: TIFF

  /// Each page is a picture of its own.
  private func joined(
    _ pages: PageMaker,
    into file: TemporaryFile,
    _ notes: inout Notes
  ) throws -> (size: Size, count: Int) {
    var first: Size?
    var count = 0
    var join: TIFFJoin?
    for index in 0..<pages.count {
      guard let made = try pixels({ try pages.pixels(of: index) }) else { continue }
      let size = Size(width: made.image.width, height: made.image.height)
      try checkLimits(size)
      let image = try OutputImage(
        made.image,
        for: output.settings,
        encoder,
        metadata: made.metadata
      )
      notes.add(image.notes)
      count += 1
      if first == nil {
        first = size
        notes.add(try image.save(to: file))
        continue
      }
      let page = try file.beside()
      notes.add(try image.save(to: page))
      var joining = try join ?? TIFFJoin(file.descriptor)
      try joining.append(page.descriptor)
      join = joining
    }
    guard let first else { preconditionFailure("an output without a page is not made") }
    if pages.isAnimation {
      notes.add([Note(.timingChanged, "TIFF holds no delays and no loop count; they were left out")]
      )
    }
    return (first, count)
  }

  // MARK: Animations

  private func animated(
    _ pages: PageMaker,
    into file: TemporaryFile,
    _ notes: inout Notes
  ) throws -> (size: Size, count: Int) {
    let strip = try pixels { try PageStrip(pages) }
    try checkLimits(strip.size)
    let timing = pages.timing
    let held = timing.held(by: format)
    let isWebP = format == .webp
    let delays = isWebP ? held.delays.map { _ in WebPAnimation.tick } : held.delays
    let image = try OutputImage(
      strip.image(delays: delays, plays: held.plays),
      for: output.settings,
      encoder,
      metadata: picture.metadata()
    )
    notes.add(image.notes)
    notes.add(try image.save(to: file, isStrip: true))
    if let failure = strip.failure { try pixels { throw failure } }
    if isWebP { try WebPAnimation.mend(file.descriptor, held, size: strip.size) }
    if held != timing {
      let unit = isWebP ? "24 bits of milliseconds" : "hundredths of a second"
      notes.add([Note(.timingChanged, "\(format.shown) holds delays in \(unit); some were rounded")]
      )
    }
    return (strip.size, pages.count)
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
