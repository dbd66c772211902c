import MinilabKit
import Vips

/// Room for pixels that several outputs of a unit are made of.
///
/// Where there is none, they are made again for each output, in the same way: what is held decides how
/// often a picture is decoded, and nothing else.
final class PixelStore {
  /// What a unit may hold, in bytes: the pixels of a large photograph, or of a few in the size of a
  /// screen.
  static let usualBound = 256 << 20

  private let bound: Int
  private var held = 0

  /// `bound`: in bytes.
  init(bound: Int = usualBound) {
    self.bound = bound
  }

  /// A picture with its pixels computed; nil where there is no room for them.
  func hold(_ image: Image) throws -> Image? {
    let length = image.byteCount
    guard length <= bound - held else { return nil }
    let memory = try image.inMemory()
    held += length
    return memory
  }
}

/// A raster of which several pictures are made: decoded once, by one reduction, and held where there is
/// room.
final class SharedRaster: Raster {
  private let source: () throws -> any Raster
  private let reduction: Int
  private let store: PixelStore
  private var held: ReducedPixels?

  let facts: RasterFacts
  var size: Size { facts.size }
  var reductions: [Int] { [reduction] }

  /// `source`: gives the raster, again where its pixels could not be held.
  init(
    _ source: @escaping () throws -> any Raster,
    facts: RasterFacts,
    reduction: Int,
    _ store: PixelStore
  ) {
    self.source = source
    self.facts = facts
    self.reduction = reduction
    self.store = store
  }

  func pixels(reduction: Int) throws -> ReducedPixels {
    if let held { return held }
    var pixels = try source().pixels(reduction: self.reduction)
    guard let image = try store.hold(pixels.image) else { return pixels }
    pixels.image = image
    held = pixels
    return pixels
  }
}
