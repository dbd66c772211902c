import CSystem
import Glibc
import MinilabKit
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

  private let data: PictureData
  private let loader: Loader
  private let pyramid: Pyramid
  /// The picture as it was opened, until somebody has read its pixels: a stream is read once.
  private var fullSize: Image?
  private let policy: InputPolicy
  private let openedFormat: PictureFormat

  /// Opens a file and reads its header; limits are checked before any pixel.
  ///
  /// `format`: what the file's signature says. `place`: among the pictures of the unit. `count`: how
  /// many of those there are, so that all of them together hold no more than they need.
  /// Throws `ItemError`.
  init(
    _ path: Path,
    format: PictureFormat,
    policy: InputPolicy,
    place: Int = 0,
    of count: Int = 1
  ) throws(ItemError) {
    do {
      data = try PictureData(path, holding: min(PictureData.small, Self.mostHeld / count))
    } catch {
      throw ItemError(
        .unreadable,
        expected: "a file that can be read",
        received: error.reason
      )
    }
    self.path = path
    self.policy = policy
    openedFormat = format
    let loader = Loader.of(format)
    self.loader = loader
    do {
      let arguments = Self.arguments(loader, policy)
      let image = try loader.open(data, arguments)
      headerImage = image
      fullSize = image
      pyramid = Pyramid(of: image, format) { [data] in try loader.open(data, arguments + [$0]) }
    } catch {
      throw ItemError(
        .damaged,
        expected: "\(format.shownWithArticle) picture",
        received: "a damaged header, or a kind of \(format.shown) that is not supported"
      )
    }
    let stored = Size(width: headerImage.width, height: headerImage.height)
    let orientation = Self.orientation(of: headerImage, format)
    let pages = pyramid.pages
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
      taken: Self.dateTaken(headerImage)
    )
    try checkLimits()
    if format == .tga { try refuseMisreadTGA() }
    if count > 1, loader.opening.isSource { data.spare() }
  }

  /// In bytes, of the files of all pictures of a unit.
  private static let mostHeld = 1 << 26

  var size: Size { origin.size }
  /// Of the file, as it was opened.
  var status: FileStatus { data.status }
  /// What steps may make of it.
  var sizeLimit: SizeLimit { SizeLimit(maxPixels: policy.maxPixels) }
  var reductions: [Int] { loader.reductions + pyramid.reductions }

  /// A second picture in the file says how much brighter than white each place is.
  ///
  /// Told by the XMP that Ultra HDR (`hdrgm`) and Apple's cameras (`HDRGainMap`) write.
  var hasGainMap: Bool {
    guard origin.format == .jpeg || origin.format == .heif, let xmp = headerImage.blob("xmp-data")
    else { return false }
    let text = String(decoding: xmp, as: UTF8.self)
    return text.contains("hdrgm:") || text.contains("HDRGainMap:")
  }

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

  /// Decodes all of the picture and keeps nothing.
  ///
  /// - Throws: where it is damaged.
  func decodeWhole() throws {
    _ = try decoded(reduction: 1).average()
  }

  /// The thumbnail of a HEIF container; the picture itself where it has none.
  func containedThumbnail() throws -> Image {
    try loader.open(data, Self.arguments(loader, policy) + [.init("thumbnail", .bool(true))])
  }

  /// Puts the file's own bytes into an empty file.
  func copy(to file: TemporaryFile) throws(ItemError) {
    do {
      let own = try data.reopened()
      if csystem_clone(file.descriptor, own.number) != 0 {
        try System.copy(own.number, to: file.descriptor)
      }
    } catch {
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
    if reduction == 1, let image = fullSize {
      fullSize = nil
      return image
    }
    var arguments = Self.arguments(loader, policy)
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

  private func checkLimits() throws(ItemError) {
    let pixels = size.width.multipliedReportingOverflow(by: size.height)
    if pixels.overflow || pixels.partialValue > policy.maxPixels {
      throw ItemError(
        .tooManyPixels,
        expected: "at most \(policy.maxPixels) pixels (input.max-pixels)",
        received: "\(size)"
      )
    }
    if origin.pages > 1 {
      if policy.pages == .reject {
        throw ItemError(
          .pagesRejected,
          expected: "one page (input.pages = \"reject\")",
          received: "\(origin.pages)"
        )
      }
      notes.append(Note(.pagesDropped, "the first of \(origin.pages) pages was used"))
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
