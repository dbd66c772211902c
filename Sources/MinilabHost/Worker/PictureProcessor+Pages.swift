import MinilabKit

// A picture of several pages, of which the profile wants more than the first.

extension PictureProcessor {
  /// Makes the pages of an output; nil where it has one page.
  ///
  /// `opened`: the unit's pictures. `output`: its place in the profile.
  func pages(of opened: [OpenedPicture], output place: Int) -> PageMaker? {
    let output = profile.outputs[place]
    guard opened[0].hasPagesToRead, profile.input.pages == .all, !output.isSheet,
      output.settings.pages == .all
    else { return nil }
    return PageMaker(profile, output: place, of: opened[0].whole ?? opened[0])
  }

  // MARK: Headers

  func planPages(of picture: OpenedPicture, into result: inout ProbeResult) throws {
    let source = PageSource(picture)
    try source.checkTotal(profile.input)
    let format = picture.origin.format
    let first = try source.page(0)
    try plan([first], format: format, into: &result)
    result.add(first.notes)
    // Every frame of an animation goes the way of the first.
    if picture.isAnimation, profile.input.pages == .all { return }
    for index in 1..<source.count {
      let page = try source.page(index)
      if profile.input.pages == .split {
        try plan([page], format: format, into: &result)
        result.add(page.notes)
      } else {
        // What is wrong with a page is wrong with the file; what is told is told of the first.
        var other = ProbeResult(id: result.id)
        try plan([page], format: format, isAccounted: true, into: &other)
        try compare(other.sizes, result.sizes, page: index)
        result.add(other.notes)
      }
    }
  }

  /// Frames of an animation are of one size; pages that are to become one may not be.
  private func compare(
    _ sizes: [PlannedSize?],
    _ first: [PlannedSize?],
    page: Int
  ) throws(ItemError) {
    for (output, pair) in zip(profile.outputs, zip(sizes, first)) {
      guard output.settings.format?.picture.isAnimated == true, output.settings.pages == .all,
        let own = pair.0, let wanted = pair.1,
        (own.width, own.height) != (wanted.width, wanted.height)
      else { continue }
      let shown = Size(width: own.width, height: own.height)
      throw .unlikePages(
        "page \(page + 1) of \(shown), and the first of \(Size(width: wanted.width, height: wanted.height))"
      )
    }
  }

  // MARK: Pixels

  func makePages(
    of picture: OpenedPicture,
    _ unit: UnitRequest,
    _ writer: OutputWriter,
    _ notes: inout Notes
  ) throws -> [WrittenFile] {
    let source = PageSource(picture)
    try source.checkTotal(profile.input)
    if profile.input.pages == .split {
      return try split(source, unit, writer, &notes)
    }
    let first = try source.page(0)
    let pictures = unitPictures([first])
    let written = try make(jobs(unit, [first], pictures, &notes), writer, &notes)
    notes.add(pictures.notes)
    return written
  }

  /// Every page is a picture of its own, with files of its own.
  private func split(
    _ source: PageSource,
    _ unit: UnitRequest,
    _ writer: OutputWriter,
    _ notes: inout Notes
  ) throws -> [WrittenFile] {
    let count = profile.outputs.count
    // A preview shows the first page.
    let pages = isPreview ? 1 : source.count
    guard isPreview || unit.outputs.count == pages * count else {
      throw ItemError(
        .unreadable,
        expected:
          "\(unit.outputs.count / max(1, count)) pages, as the file had when its header was read",
        received: "\(source.count)"
      )
    }
    var written: [WrittenFile] = []
    for index in 0..<pages {
      let page = try source.page(index)
      let pictures = unitPictures([page])
      var part = unit
      if !isPreview { part.outputs = Array(unit.outputs[(index * count)..<((index + 1) * count)]) }
      written += try make(jobs(part, [page], pictures, &notes), writer, &notes)
      notes.add(pictures.notes)
    }
    return written
  }
}
