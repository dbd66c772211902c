import MinilabKit
import NaivePictures
import Vips

@testable import MinilabHost

/// A raster whose decoder can shrink as libjpeg's does: by boxes, what is left over at the right and
/// the bottom is lost.
struct ShrinkingRaster: Raster {
  let picture: NaivePicture
  let reductions: [Int]

  init(_ picture: NaivePicture, reductions: [Int] = [1, 2, 4, 8]) {
    self.picture = picture
    self.reductions = reductions
  }

  var size: Size { picture.size }

  var facts: RasterFacts {
    RasterFacts(
      size: size,
      bands: picture.bands,
      sampleSize: 1,
      reductions: reductions,
      decoder: (try? picture.image()).map { PictureDecoder(.jpeg, header: $0, levels: []) }
    )
  }

  func pixels(reduction: Int) throws -> ReducedPixels {
    let full = try picture.image()
    let image =
      reduction == 1
      ? full
      : try full.extractArea(
        left: 0,
        top: 0,
        width: max(1, picture.width / reduction) * reduction,
        height: max(1, picture.height / reduction) * reduction
      )
      .shrink(reduction, reduction)
    return ReducedPixels(
      image: image,
      factorX: Double(reduction),
      factorY: Double(reduction)
    )
  }
}
