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
  /// Stated once, of whatever outputs there are.
  private(set) var notes: [Note] = []

  /// What is known of a captured picture beside its file.
  private(set) var captured: CaptureFacts?

  /// Makes its pixels.
  let reader: PictureReader
  let policy: InputPolicy
  /// Frames of an animation of which libvips reads the first alone, 1 where there is none.
  let hiddenFrames: Int

  /// The file as it was opened, of whose pages or frames this is one.
  let whole: OpenedPicture?

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
    try policy.checkBytes(data.status.size)
    try self.init(PictureReader(data, format, policy), at: path, policy, place: place)
    self.captured = captured
    notes = (captured?.notes ?? []) + notes
    notes += try pageNotes()
    notes += try damageNotes()
    if format == .tga { try reader.refuseMisreadTGA() }
    if count > 1, reader.loader.opening.isSource { data.spare() }
  }

  /// A file's first picture, or a page of the file that was opened as `whole`.
  init(
    _ reader: PictureReader,
    at path: Path,
    _ policy: InputPolicy,
    place: Int,
    of whole: OpenedPicture? = nil
  ) throws(ItemError) {
    self.reader = reader
    self.path = path
    self.policy = policy
    self.whole = whole
    let image = reader.header
    let stored = Size(width: image.width, height: image.height)
    let orientation = reader.orientation
    hiddenFrames = whole == nil ? HiddenFrames.count(in: reader.data, reader.format) : 1
    let pages = whole?.origin.pages ?? max(reader.pyramid.pages.count, hiddenFrames)
    origin = Origin(
      format: reader.format,
      size: stored,
      orientation: orientation,
      hasAlpha: WorkingPixels.hasAlpha(image),
      isGray: WorkingPixels.isGray(image),
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
      taken: reader.dateTaken
    )
    try policy.checkSize(stored)
    if reader.format == .tiff { try reader.refuseSeparateChroma() }
  }

  /// One frame of an animation.
  ///
  /// `strip`: a picture of the same kind of pixels; `pixels`: makes those of the frame, again where
  /// they are asked for again.
  init(
    frameOf animation: OpenedPicture,
    like strip: Image,
    pixels: @escaping () throws -> Image
  ) {
    reader = PictureReader(frameOf: animation.reader, pixels)
    path = animation.path
    policy = animation.policy
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

  /// From the header.
  var headerImage: Image { reader.header }
  var size: Size { origin.size }
  /// Of the file, as it was opened.
  var status: FileStatus { reader.data.status }
  /// What steps may make of it.
  var sizeLimit: SizeLimit { SizeLimit(maxPixels: policy.maxPixels) }
  var reductions: [Int] { reader.reductions }

  /// How many pixels each of the pages has that are no frames of a film, once somebody has counted.
  var pageAreas: [Int] = []

  /// What stands in the file beside the picture.
  private(set) lazy var companions = Companions(origin.format, reader.data, headerImage)

  private(set) lazy var facts = RasterFacts(
    size: origin.size,
    bands: (origin.isGray ? 1 : 3) + (origin.hasAlpha ? 1 : 0),
    sampleSize: headerImage.hasDeepSamples(floats: reader.loader.hasEncodedFloats) ? 2 : 1,
    reductions: reductions,
    decoder: PictureDecoder(
      reader.format,
      header: headerImage,
      levels: reader.pyramid.reductions
    )
  )

  func pixels(reduction: Int) throws -> ReducedPixels {
    let decoded = try reader.decoded(reduction: reduction)
    let working = try working(decoded)
    if reader.loader.reducing == .scale {
      return ReducedPixels(
        image: working,
        factorX: Double(size.width) / Double(decoded.width),
        factorY: Double(size.height) / Double(decoded.height)
      )
    }
    let factor = Double(reduction)
    var pixels = ReducedPixels(image: working, factorX: factor, factorY: factor)
    // A wavelet's low band has its samples where every second pixel was, not between the two.
    if origin.format == .jp2k { pixels.shift = 0.5 - 0.5 / factor }
    return pixels
  }

  /// Makes of what a decoder hands over what steps are handed, and remembers what is told of that.
  private func working(_ decoded: Image) throws -> Image {
    let pixels = reader.loader.hasEncodedFloats ? try decoded.withoutEncodedFloats() : decoded
    let working = try WorkingPixels(of: pixels)
    for note in working.notes where !notes.contains(note) { notes.append(note) }
    return working.image
  }

  /// What steps will be handed, of which no pixel is to be asked for; nil where only decoding tells.
  ///
  /// What will be told of its making is among the notes from now on.
  private(set) lazy var foreseen: Image? =
    // ImageMagick may call gray what its header calls color.
    reader.loader.operation == "magickload" ? nil : try? working(headerImage)

  /// Decodes all of the picture, with all pages that are wanted, and keeps nothing.
  ///
  /// - Throws: where it is damaged.
  func decodeWhole() throws {
    guard hasPagesToRead else {
      _ = try reader.decoded(reduction: 1).average()
      return
    }
    let source = PageSource(self)
    for page in 0..<source.count {
      _ = try source.page(page).reader.decoded(reduction: 1).average()
    }
  }

  /// What the file says of itself.
  func metadata() -> MetadataBlocks {
    reader.metadata(page: reader.page)
  }

  /// The rectangle of pixels that a JPEG codes as one; nil where its blocks cannot be moved.
  private(set) lazy var codedUnit: Size? = {
    guard origin.format == .jpeg, let file = try? reopened() else { return nil }
    return (try? JPEGSegments(file.number))?.codedUnit
  }()

  /// A copy of the file can have other metadata.
  private(set) lazy var takesMetadata: Bool = {
    if codedUnit != nil { return true }
    guard let file = try? reopened() else { return false }
    return (try? MetadataContainer.canBePut(into: file.number, origin.format)) ?? false
  }()

  /// The file with a position of its own.
  func reopened() throws(SystemError) -> Descriptor { try reader.data.reopened() }

  /// Puts the file's own bytes into an empty file.
  func copy(to file: TemporaryFile) throws(ItemError) {
    let own: Descriptor
    do { own = try reopened() } catch { throw .unreadable("a file that can be read", error) }
    do {
      if csystem_clone(file.descriptor, own.number) != 0 {
        try System.copy(own.number, to: file.descriptor)
      }
    } catch {
      if error.call == .read { throw .unreadable("a file that can be read", error) }
      throw OutputWriter.failure(error, writing: file.path)
    }
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
