import MinilabKit
import Vips

/// Where stored pixels come from: a file that can be decoded reduced, or a picture in memory.
protocol Raster {
  /// At full resolution, as stored.
  var size: Size { get }
  /// The whole-number reductions that the decoder can make, 1 among them, ascending.
  var reductions: [Int] { get }
  /// The pixels in working form, reduced by one of `reductions`, to be read once, top to bottom:
  /// whoever needs them in another order holds them in memory.
  func pixels(reduction: Int) throws -> ReducedPixels
  /// What is known of the pixels before any is made.
  var facts: RasterFacts { get }
}

/// A picture and how it lies on the full resolution.
struct ReducedPixels {
  var image: Image
  /// How many full-resolution pixels one of its samples covers on each axis.
  var factorX: Double
  var factorY: Double
  /// Point p of the full resolution is point p / factor + shift of this picture.
  var shift = 0.0

  var grid: PixelGrid {
    PixelGrid(
      width: image.width,
      height: image.height,
      factorX: factorX,
      factorY: factorY,
      shift: shift
    )
  }
}

/// How a picture lies on the full resolution, without its pixels.
struct PixelGrid: Equatable {
  var width: Int
  var height: Int
  /// As `ReducedPixels` has them.
  var factorX = 1.0
  var factorY = 1.0
  var shift = 0.0

  var size: Size { Size(width: width, height: height) }
}

/// Pixels that earlier stages have made.
struct ImageRaster: Raster {
  let image: Image

  var size: Size { Size(width: image.width, height: image.height) }
  var reductions: [Int] { [1] }

  func pixels(reduction: Int) -> ReducedPixels {
    ReducedPixels(image: image, factorX: 1, factorY: 1)
  }

  var facts: RasterFacts {
    RasterFacts(
      size: size,
      bands: image.bands,
      sampleSize: image.byteCount / max(1, image.width * image.height * image.bands)
    )
  }
}
