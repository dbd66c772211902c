import MinilabKit
import Vips

/// Makes the pixels of a picture file, of one of its pages or of a frame, at the reductions that its
/// decoder makes and that the file holds ready.
final class PictureReader {
  let data: PictureData
  let format: PictureFormat
  /// Among all in the file, as libvips counts them.
  let page: Int
  /// The picture as its header tells it; its pixels are not to be asked for.
  let header: Image
  let loader: Loader
  let pyramid: Pyramid
  private let arguments: [Argument]
  /// The picture as it was opened, until somebody has read its pixels: a stream is read once.
  private var unread: Image?
  private let correction: HeaderCorrection?
  /// Nil where the file is whole, or to be refused where it is not.
  private let cut: CutTIFF?
  /// Makes the pixels of a frame of an animation.
  private let frame: (() throws -> Image)?

  /// Reads a header.
  ///
  /// `page`: libvips' number of the page; nil for the first, of which smaller copies are looked for.
  /// Throws `ItemError` where it is damaged.
  init(
    _ data: PictureData,
    _ format: PictureFormat,
    _ policy: InputPolicy,
    page: Int? = nil
  ) throws(ItemError) {
    self.data = data
    self.format = format
    self.page = page ?? 0
    frame = nil
    let loader = Loader.of(format)
    self.loader = loader
    let arguments =
      Self.arguments(loader, policy) + (page.map { [Argument("page", .int($0))] } ?? [])
    self.arguments = arguments
    let cut =
      format == .tiff && policy.damaged == .warn
      ? (try? CutTIFF(data, page: page ?? 0)) ?? nil : nil
    self.cut = cut
    do {
      let opened = try cut?.open(loader, arguments) ?? loader.open(data, arguments)
      let correction = HeaderCorrection(opened, format, data)
      let image = try correction.applied(to: opened)
      self.correction = correction
      header = image
      unread = image
      pyramid =
        page == nil
        ? Pyramid(of: image, format, kinds: Self.kinds(of: data, format)) {
          // What smaller copies have is not known then.
          try cut == nil ? loader.open(data, arguments + [$0]) : nil
        } : Pyramid(page: page ?? 0)
    } catch {
      throw ItemError(
        .damaged,
        expected: "\(format.shownWithArticle) picture",
        received: "a damaged header, or a kind of \(format.shown) that is not supported"
      )
    }
  }

  /// One frame of an animation, whose pixels are made by somebody else.
  init(frameOf animation: PictureReader, _ pixels: @escaping () throws -> Image) {
    data = animation.data
    format = animation.format
    page = 0
    header = animation.header
    // Animations are decoded whole.
    var loader = animation.loader
    (loader.reductions, loader.reducing) = ([1], .none)
    self.loader = loader
    pyramid = Pyramid(page: 0)
    arguments = animation.arguments
    unread = nil
    correction = nil
    cut = nil
    frame = pixels
  }

  /// Pixels that the file does not hold are black.
  var isMended: Bool { cut != nil }

  var reductions: [Int] { loader.reductions + pyramid.reductions }

  /// The picture reduced by one of `reductions`, its pixels still to be computed.
  ///
  /// - Throws: `ItemError` where it is damaged.
  func decoded(reduction: Int) throws -> Image {
    if let frame { return try frame() }
    if let bytes = data.bytes, let image = try inOneGo(bytes, reduction) { return image }
    if reduction == 1, let image = unread {
      unread = nil
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
      let image = try cut?.open(loader, arguments) ?? loader.open(data, arguments)
      return try correction?.applied(to: image) ?? image
    } catch {
      throw ItemError(
        .damaged,
        expected: "a complete \(format.shown) picture",
        received: "data that cannot be decoded"
      )
    }
  }

  /// Decoded from memory into memory, without libvips; nil where that cannot be done.
  private func inOneGo(_ bytes: [UInt8], _ reduction: Int) throws -> Image? {
    switch format {
    case .jpeg: try JPEGInMemory(bytes: bytes, header: header).pixels(reduction: reduction)
    case .webp: try WebPInMemory(bytes: bytes, header: header).pixels(reduction: reduction)
    default: nil
    }
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
        expected: "a complete \(format.shown) picture",
        received: "frames that cannot be decoded"
      )
    }
  }

  /// The thumbnail of a HEIF container; the picture itself where it has none.
  func containedThumbnail() throws -> Image {
    try loader.open(data, arguments + [.init("thumbnail", .bool(true))])
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

  /// Of a TIFF: which of its directories are pages.
  private static func kinds(of data: PictureData, _ format: PictureFormat) -> [Bool] {
    guard format == .tiff else { return [] }
    let structure = try? TIFFStructure { try data.read(at: $0, count: $1) }
    return (try? structure?.pages()) ?? []
  }
}
