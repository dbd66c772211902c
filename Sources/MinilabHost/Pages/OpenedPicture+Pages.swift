import MinilabKit
import Vips

// Pages beyond the first.

extension OpenedPicture {
  /// The profile wants more of the file than its first page, and there is more that can be read.
  var hasPagesToRead: Bool { policy.readsAllPages && origin.pages > 1 && hiddenFrames == 1 }

  /// What an output of the first page leaves behind, where others have all of them.
  var restDropped: Note? {
    guard hasPagesToRead, policy.pages == .all else { return nil }
    return Note(.pagesDropped, "the first of \(origin.pages) pages was used")
  }

  /// The pages are frames of one film: all of one size, each shown for its time.
  var isAnimation: Bool { hiddenFrames == 1 && origin.pages > 1 && origin.format.isAnimated }

  /// The first of those pages that have the most pixels.
  var largestPage: Int {
    pageAreas.firstIndex(of: pageAreas.max() ?? 0) ?? 0
  }

  /// A page by its number among those that are pictures of their own; nothing but its header is read.
  func page(_ index: Int) throws(ItemError) -> OpenedPicture {
    if index == 0 { return self }
    return try OpenedPicture(
      PictureReader(reader.data, reader.format, policy, page: reader.pyramid.pages[index]),
      at: path,
      policy,
      place: origin.picture,
      of: self
    )
  }

  /// One frame, whose pixels are made by somebody else.
  func frame(like strip: Image, _ pixels: @escaping () throws -> Image) -> OpenedPicture {
    OpenedPicture(frameOf: self, like: strip, pixels: pixels)
  }

  /// What is to be said of pages, of those that are not used too.
  ///
  /// - Throws: where the profile wants no such file.
  func pageNotes() throws(ItemError) -> [Note] {
    guard origin.pages > 1 else { return [] }
    if policy.pages == .reject {
      throw ItemError(
        .pagesRejected,
        expected: "one page (input.pages = \"reject\")",
        received: "\(origin.pages)"
      )
    }
    if !hasPagesToRead {
      let reason = policy.readsAllPages ? "; the others of this kind of file cannot be read" : ""
      return [Note(.pagesDropped, "the first of \(origin.pages) pages was used\(reason)")]
    } else if origin.pages > policy.maxPages {
      throw ItemError(
        .tooManyPixels,
        expected: "at most \(counted(policy.maxPages, "page")) \(LimitNames.shown("max-pages"))",
        received: "\(origin.pages)"
      )
    } else if reader.format == .gif, (try? GIFBlocks.isCutOff(reader.data)) != false {
      if policy.damaged == .reject { throw PictureProcessor.damaged(.gif) }
      return [DamageCheck.used]
    }
    return []
  }
}

extension PictureFormat {
  /// Pages of it are frames of a film.
  var isAnimated: Bool { self == .gif || self == .webp }
  /// A file of it holds several pages.
  var holdsPages: Bool { isAnimated || self == .tiff }
}
