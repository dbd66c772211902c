import MinilabKit
import Vips

/// The reductions that a file holds ready: levels of a TIFF pyramid, resolutions of JPEG 2000.
///
/// Only true halves count: each level half as large as the one before it, rounded either way.
struct Pyramid {
  /// What the loader must be told for each reduction, from 2 upwards.
  private let levels: [(reduction: Int, argument: Argument)]
  /// libvips' numbers of the pages that are pictures of their own.
  let pages: [Int]

  /// Looks for reductions in a file.
  ///
  /// - Parameters:
  ///   - image: The first page as it was opened.
  ///   - format: The file's.
  ///   - kinds: For each page that libvips counts, that it is no smaller copy of another; empty where
  ///     nothing tells.
  ///   - open: Opens the same file with other arguments; nothing but headers is read.
  init(
    of image: Image,
    _ format: PictureFormat,
    kinds: [Bool] = [],
    open: (Argument) throws -> Image?
  ) {
    let count = max(1, image.int("n-pages") ?? 1)
    switch format {
    case .jp2k:
      // What libvips calls pages are resolutions of one picture.
      levels = (1..<max(1, min(count, 16))).map { (1 << $0, Argument("page", .int($0))) }
      pages = [0]
    case .tiff:
      let inner = image.int("n-subifds") ?? 0
      func isCopy(_ page: Int) -> Bool? { kinds.count == count ? !kinds[page] : nil }
      let candidates =
        inner > 0
        ? (0..<inner).map { Argument("subifd", .int($0)) }
        : (1..<count).prefix { isCopy($0) != false }.map { Argument("page", .int($0)) }
      levels = Self.halves(of: image, candidates, open)
      let used = inner > 0 ? 0 : levels.count
      pages = [0] + (1..<count).dropFirst(used).filter { isCopy($0) != true }
    default:
      levels = []
      pages = Array(0..<count)
    }
  }

  /// One page, of which no smaller copies are looked for.
  init(page: Int) {
    levels = []
    pages = [page]
  }

  var reductions: [Int] { levels.map(\.reduction) }

  func argument(for reduction: Int) -> Argument? {
    levels.first { $0.reduction == reduction }?.argument
  }

  private static func halves(
    of image: Image,
    _ candidates: [Argument],
    _ open: (Argument) throws -> Image?
  ) -> [(Int, Argument)] {
    var levels: [(Int, Argument)] = []
    for argument in candidates.prefix(16) {
      let reduction = 2 << levels.count
      guard let level = try? open(argument), level.bands == image.bands,
        level.format == image.format, isReduced(level.width, image.width, reduction),
        isReduced(level.height, image.height, reduction)
      else { break }
      levels.append((reduction, argument))
    }
    return levels
  }

  private static func isReduced(_ side: Int, _ full: Int, _ reduction: Int) -> Bool {
    side == full / reduction || side == (full + reduction - 1) / reduction
  }
}
