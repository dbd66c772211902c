import MinilabKit

/// What is known of a raster's pixels before any is made: enough to tell how they will be made, and what
/// that takes.
struct RasterFacts {
  /// At full resolution, as stored.
  var size: Size
  /// In working form.
  var bands: Int
  /// In bytes, of one band.
  var sampleSize: Int
  /// As `Raster` has them.
  var reductions = [1]
  /// Nil of pixels that were made, and are not decoded.
  var decoder: PictureDecoder?
  /// Holds what outputs and looks have in common of a picture.
  var once: DecodedOnce?

  var hasAlpha: Bool { bands == 2 || bands == 4 }

  /// How the decoded picture lies on the full resolution.
  func grid(reduction: Int) -> PixelGrid {
    decoder?.grid(of: size, reduction: reduction)
      ?? PixelGrid(width: size.width, height: size.height)
  }

  /// In bytes, of so many pixels.
  func byteCount(_ size: Size) -> Int { size.width * size.height * bands * sampleSize }

  /// The same of another size.
  func resized(to size: Size) -> RasterFacts {
    RasterFacts(size: size, bands: bands, sampleSize: sampleSize)
  }

  /// After pixel work.
  func changed(by alpha: PixelWork.Alpha, size: Size) -> RasterFacts {
    var facts = resized(to: size)
    switch alpha {
    case .unchanged: break
    case .added: if !hasAlpha { facts.bands += 1 }
    case .removed: if hasAlpha { facts.bands -= 1 }
    }
    return facts
  }
}
