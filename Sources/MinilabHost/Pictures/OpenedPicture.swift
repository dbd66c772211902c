import CSystem
import Glibc
import MinilabKit
import PictureMetadata
import Vips

/// A picture file whose header has been read: what a unit begins with.
final class OpenedPicture: Raster {
  let path: Path
  let origin: Origin
  let header: Header
  /// From the header; its pixels, at full size, are `fullSize`'s.
  let headerImage: Image
  /// Stated once, of whatever outputs there are.
  private(set) var notes: [Note] = []

  /// What is known of a captured picture beside its file.
  private(set) var captured: CaptureFacts?

  private let data: PictureData
  private let loader: Loader
  private let pyramid: Pyramid
  /// The picture as it was opened, until somebody has read its pixels: a stream is read once.
  private var fullSize: Image?
  private let policy: InputPolicy
  private let arguments: [Argument]
  /// Frames of an animation of which libvips reads the first alone, 1 where there is none.
  private let hiddenFrames: Int
  private let openedFormat: PictureFormat
  /// Among all in the file, as libvips counts them.
  private let pageNumber: Int

  /// The file as it was opened, of whose pages or frames this is one.
  private(set) var whole: OpenedPicture?
  /// Makes the pixels of a frame of an animation.
  private var frame: (() throws -> Image)?

  /// Opens a file and reads its header; limits are checked before any pixel.
  ///
  /// `format`: what the file's signature says. `place`: among the pictures of the unit. `count`: how
  /// many of those there are, so that all of them together hold no more than they need.
  /// Throws `ItemError`.
  convenience init(
    _ path: Path,
    format: PictureFormat,
    policy: InputPolicy,
    place: Int = 0,
    of count: Int = 1,
    captured: CaptureFacts? = nil
  ) throws(ItemError) {
    let data: PictureData
    do {
      data = try PictureData(path, holding: min(PictureData.small, Self.mostHeld / count))
    } catch {
      throw ItemError(
        .unreadable,
        expected: "a file that can be read",
        received: error.reason
      )
    }
    guard data.status.size <= policy.maxBytes.bytes else {
      throw ItemError(
        .tooManyBytes,
        expected:
          "a file of at most \(policy.maxBytes.shown) \(LimitNames.shown("max-bytes"))",
        received: bytesShown(data.status.size)
      )
    }
    try self.init(data, at: path, format, policy, place: place, page: nil)
    self.captured = captured
    notes = (captured?.notes ?? []) + notes
    try checkPages()
    if format == .tga { try refuseMisreadTGA() }
    if count > 1, loader.opening.isSource { data.spare() }
  }

  /// `page`: libvips' number of the page, and how many the file has; nil for the first.
  private init(
    _ data: PictureData,
    at path: Path,
    _ format: PictureFormat,
    _ policy: InputPolicy,
    place: Int,
    page: (number: Int, count: Int)?
  ) throws(ItemError) {
    self.data = data
    self.path = path
    self.policy = policy
    openedFormat = format
    pageNumber = page?.number ?? 0
    let loader = Loader.of(format)
    self.loader = loader
    let arguments =
      Self.arguments(loader, policy) + (page.map { [Argument("page", .int($0.number))] } ?? [])
    self.arguments = arguments
    do {
      let image = try loader.open(data, arguments)
      headerImage = image
      fullSize = image
      pyramid =
        page == nil
        ? Pyramid(of: image, format, kinds: Self.kinds(of: data, format)) {
          try loader.open(data, arguments + [$0])
        } : Pyramid(page: page?.number ?? 0)
    } catch {
      throw ItemError(
        .damaged,
        expected: "\(format.shownWithArticle) picture",
        received: "a damaged header, or a kind of \(format.shown) that is not supported"
      )
    }
    let stored = Size(width: headerImage.width, height: headerImage.height)
    let orientation = Self.orientation(of: headerImage, format)
    hiddenFrames = page == nil ? HiddenFrames.count(in: data, format) : 1
    let pages = page?.count ?? max(pyramid.pages.count, hiddenFrames)
    origin = Origin(
      format: format,
      size: stored,
      orientation: orientation,
      hasAlpha: WorkingPixels.hasAlpha(headerImage),
      isGray: WorkingPixels.isGray(headerImage),
      pages: pages,
      path: path,
      picture: place
    )
    let upright = orientation.upright(stored)
    header = Header(
      width: upright.width,
      height: upright.height,
      orientation: orientation.rawValue,
      pages: pages,
      taken: Self.dateTaken(headerImage) ?? Self.dateTaken(headerImage, format, data)
    )
    try checkSize()
    if format == .tiff { try refuseSeparateChroma() }
  }

  /// One frame of an animation.
  ///
  /// `strip`: a picture of the same kind of pixels; `pixels`: makes those of the frame, again where
  /// they are asked for again.
  private init(
    _ animation: OpenedPicture,
    like strip: Image,
    pixels: @escaping () throws -> Image
  ) {
    data = animation.data
    path = animation.path
    policy = animation.policy
    openedFormat = animation.openedFormat
    pageNumber = 0
    // Animations are decoded whole.
    var loader = animation.loader
    (loader.reductions, loader.reducing) = ([1], .none)
    self.loader = loader
    arguments = animation.arguments
    headerImage = animation.headerImage
    fullSize = nil
    pyramid = Pyramid(page: 0)
    hiddenFrames = animation.hiddenFrames
    let whole = animation.origin
    origin = Origin(
      format: whole.format,
      size: whole.size,
      orientation: whole.orientation,
      hasAlpha: WorkingPixels.hasAlpha(strip),
      isGray: WorkingPixels.isGray(strip),
      pages: whole.pages,
      path: whole.path,
      picture: whole.picture
    )
    header = animation.header
    frame = pixels
    self.whole = animation
  }

  /// In bytes, of the files of all pictures of a unit.
  private static let mostHeld = 1 << 26

  /// The picture as steps first see it.
  var firstFrame: Frame {
    let frame = Frame(origin)
    guard let middle = captured?.middle, middle < 1 else { return frame }
    return frame.geometry { $0.crop(toMiddle: frame.size.scaled(middle, middle)) }
  }

  var size: Size { origin.size }
  /// Of the file, as it was opened.
  var status: FileStatus { data.status }
  /// What steps may make of it.
  var sizeLimit: SizeLimit { SizeLimit(maxPixels: policy.maxPixels) }
  var reductions: [Int] { loader.reductions + pyramid.reductions }

  /// What stands in the file beside the picture.
  private(set) lazy var companions = Companions(origin.format, data, headerImage)

  private(set) lazy var facts = RasterFacts(
    size: origin.size,
    bands: (origin.isGray ? 1 : 3) + (origin.hasAlpha ? 1 : 0),
    sampleSize: headerImage.hasDeepSamples(floats: loader.hasEncodedFloats) ? 2 : 1,
    reductions: reductions,
    decoder: PictureDecoder(openedFormat, header: headerImage, levels: pyramid.reductions)
  )

  func pixels(reduction: Int) throws -> ReducedPixels {
    var decoded = try decoded(reduction: reduction)
    if loader.hasEncodedFloats { decoded = try decoded.withoutEncodedFloats() }
    let working = try WorkingPixels(of: decoded)
    for note in working.notes where !notes.contains(note) { notes.append(note) }
    if loader.reducing == .scale {
      return ReducedPixels(
        image: working.image,
        factorX: Double(size.width) / Double(decoded.width),
        factorY: Double(size.height) / Double(decoded.height)
      )
    }
    let factor = Double(reduction)
    var pixels = ReducedPixels(image: working.image, factorX: factor, factorY: factor)
    // A wavelet's low band has its samples where every second pixel was, not between the two.
    if origin.format == .jp2k { pixels.shift = 0.5 - 0.5 / factor }
    return pixels
  }

  /// Decodes all of the picture, with all pages that are wanted, and keeps nothing.
  ///
  /// - Throws: where it is damaged.
  func decodeWhole() throws {
    guard hasPagesToRead else {
      _ = try decoded(reduction: 1).average()
      return
    }
    let source = PageSource(self)
    for page in 0..<source.count { _ = try source.page(page).decoded(reduction: 1).average() }
  }

  /// The thumbnail of a HEIF container; the picture itself where it has none.
  func containedThumbnail() throws -> Image {
    try loader.open(data, arguments + [.init("thumbnail", .bool(true))])
  }

  /// What the file says of itself.
  func metadata() -> MetadataBlocks {
    Self.metadata(headerImage, origin.format, data, page: pageNumber)
  }

  /// The rectangle of pixels that a JPEG codes as one; nil where its blocks cannot be moved.
  private(set) lazy var codedUnit: Size? = {
    guard origin.format == .jpeg, let file = try? data.reopened() else { return nil }
    return (try? JPEGSegments(file.number))?.codedUnit
  }()

  /// The file with a position of its own.
  func reopened() throws(SystemError) -> Descriptor { try data.reopened() }

  /// Puts the file's own bytes into an empty file.
  func copy(to file: TemporaryFile) throws(ItemError) {
    let own: Descriptor
    do { own = try data.reopened() } catch { throw .unreadable("a file that can be read", error) }
    do {
      if csystem_clone(file.descriptor, own.number) != 0 {
        try System.copy(own.number, to: file.descriptor)
      }
    } catch {
      if error.call == .read { throw .unreadable("a file that can be read", error) }
      throw OutputWriter.failure(error, writing: file.path)
    }
  }

  /// Read once, top to bottom; damaged pictures as the profile says.
  ///
  /// The stricter levels of libvips refuse pictures that every viewer shows.
  private static func arguments(_ loader: Loader, _ policy: InputPolicy) -> [Argument] {
    [
      .init("access", .enumeration("sequential")),
      .init("fail-on", .enumeration(policy.damaged == .reject ? "truncated" : "none")),
    ]
  }

  private func decoded(reduction: Int) throws -> Image {
    if let frame { return try frame() }
    if openedFormat == .jpeg, let bytes = data.bytes,
      let image = try JPEGInMemory(bytes: bytes, header: headerImage).pixels(reduction: reduction)
    {
      return image
    }
    if reduction == 1, let image = fullSize {
      fullSize = nil
      return image
    }
    var arguments = arguments
    if let level = pyramid.argument(for: reduction) {
      arguments.append(level)
    } else if reduction > 1 {
      switch loader.reducing {
      case .shrink: arguments.append(.init("shrink", .int(reduction)))
      case .scale: arguments.append(.init("scale", .double(1 / Double(reduction))))
      case .none: preconditionFailure("a reduction that the loader has")
      }
    }
    do {
      return try loader.open(data, arguments)
    } catch {
      throw ItemError(
        .damaged,
        expected: "a complete \(openedFormat.shown) picture",
        received: "data that cannot be decoded"
      )
    }
  }

  private func checkSize() throws(ItemError) {
    if size.longerSide > policy.maxSide {
      throw ItemError(
        .tooManyPixels,
        expected: "sides of at most \(policy.maxSide) pixels \(LimitNames.shown("max-side"))",
        received: "\(size)"
      )
    }
    let pixels = size.width.multipliedReportingOverflow(by: size.height)
    if pixels.overflow || pixels.partialValue > policy.maxPixels {
      throw ItemError(
        .tooManyPixels,
        expected: "at most \(policy.maxPixels) pixels \(LimitNames.shown("max-pixels"))",
        received: "\(size)"
      )
    }
  }

  private func checkPages() throws(ItemError) {
    guard origin.pages > 1 else { return }
    if policy.pages == .reject {
      throw ItemError(
        .pagesRejected,
        expected: "one page (input.pages = \"reject\")",
        received: "\(origin.pages)"
      )
    }
    if !hasPagesToRead {
      let reason = policy.readsAllPages ? "; the others of this kind of file cannot be read" : ""
      notes.append(Note(.pagesDropped, "the first of \(origin.pages) pages was used\(reason)"))
    } else if origin.pages > policy.maxPages {
      throw ItemError(
        .tooManyPixels,
        expected: "at most \(policy.maxPages) pages \(LimitNames.shown("max-pages"))",
        received: "\(origin.pages)"
      )
    } else if openedFormat == .gif, (try? GIFBlocks.isCutOff(data)) != false {
      if policy.damaged == .reject { throw PictureProcessor.damaged(.gif) }
      notes.append(DamageCheck.used)
    }
  }

  /// ImageMagick takes gray with alpha, 8 bits each, for colors of 5 bits each, and says nothing.
  private func refuseMisreadTGA() throws(ItemError) {
    // The header's length; the third byte is the kind, the 17th the bits of a pixel.
    var header = [UInt8](repeating: 0, count: 18)
    guard pread(data.descriptor, &header, header.count, 0) == header.count,
      [3, 11].contains(header[2]), header[16] == 16
    else { return }
    throw ItemError(
      .unsupported,
      expected: "TGA in gray or in colors, or colors with transparency",
      received: "gray with transparency"
    )
  }

  /// Read as red, green and blue they would give a picture of wrong colors without a word.
  private func refuseSeparateChroma() throws(ItemError) {
    let structure = try? TIFFStructure { [data] in try data.read(at: $0, count: $1) }
    guard (try? structure?.hasSeparateChroma(page: pageNumber)) == true else { return }
    throw ItemError(
      .unsupported,
      expected: "TIFF with its colors side by side, or in RGB",
      received: "luma and chroma in planes of their own"
    )
  }

  private static func orientation(of image: Image, _ format: PictureFormat) -> Orientation {
    switch format {
    // The container has turned them already; ISO/IEC 23008-12 makes it the only word on it.
    case .heif, .avif: .up
    // The rows of a PFM go from bottom to top, and libvips leaves them so.
    case .pnm where image.format == .float: .downMirrored
    default: Orientation(tag: image.int("orientation"))
    }
  }

  /// The value of an EXIF tag by its name, from whichever directory has it.
  func exif(_ tag: String) -> String? {
    for directory in 0...3 {
      guard let field = headerImage.string("exif-ifd\(directory)-\(tag)") else { continue }
      return ExifText(field).value
    }
    return nil
  }

  /// The same where libvips reads no EXIF.
  private static func dateTaken(
    _ image: Image,
    _ format: PictureFormat,
    _ data: PictureData
  ) -> String? {
    guard format == .tiff || format == .jxl else { return nil }
    return metadata(image, format, data).dateTaken
  }

  /// The date and time as EXIF writes them.
  ///
  /// libvips adds its own words behind the value.
  private static func dateTaken(_ image: Image) -> String? {
    let fields = [
      "exif-ifd2-DateTimeOriginal", "exif-ifd2-DateTimeDigitized", "exif-ifd0-DateTime",
    ]
    for field in fields {
      guard let value = image.string(field), value.utf8.count >= 19 else { continue }
      let text = String(value.prefix(19))
      if text.utf8.allSatisfy({ (0x30...0x3a).contains($0) || $0 == 0x20 }) { return text }
    }
    return nil
  }
}

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

  /// A page by its number among those that are pictures of their own; nothing but its header is read.
  func page(_ index: Int) throws(ItemError) -> OpenedPicture {
    if index == 0 { return self }
    let page = try OpenedPicture(
      data,
      at: path,
      openedFormat,
      policy,
      place: origin.picture,
      page: (number: pyramid.pages[index], count: origin.pages)
    )
    page.whole = self
    return page
  }

  /// Frames of an animation below each other, to be read once, top to bottom.
  func strip(from first: Int, count: Int) throws -> Image {
    do {
      return try loader.open(
        data,
        arguments + [Argument("page", .int(first)), Argument("n", .int(count))]
      )
    } catch {
      throw ItemError(
        .damaged,
        expected: "a complete \(openedFormat.shown) picture",
        received: "frames that cannot be decoded"
      )
    }
  }

  /// One frame, whose pixels are made by somebody else.
  func frame(like strip: Image, _ pixels: @escaping () throws -> Image) -> OpenedPicture {
    OpenedPicture(self, like: strip, pixels: pixels)
  }

  /// Of a TIFF: which of its directories are pages.
  private static func kinds(of data: PictureData, _ format: PictureFormat) -> [Bool] {
    guard format == .tiff else { return [] }
    let structure = try? TIFFStructure { try data.read(at: $0, count: $1) }
    return (try? structure?.pages()) ?? []
  }
}

extension Image {
  /// What steps work in has 16 bits of these.
  ///
  /// `floats`: they are kept of floating-point samples.
  fileprivate func hasDeepSamples(floats: Bool) -> Bool {
    switch format {
    case .ushort, .uint: true
    case .signed, .float, .double: floats || interpretation == .lab
    case .uchar, .other: false
    }
  }
}

extension PictureFormat {
  /// Pages of it are frames of a film.
  var isAnimated: Bool { self == .gif || self == .webp }
  /// A file of it holds several pages.
  var holdsPages: Bool { isAnimated || self == .tiff }
}
