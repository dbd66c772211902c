import MinilabKit
import NaivePictures

@testable import MinilabHost

/// Counts how often it is decoded.
final class CountingRaster: Raster {
  private let shrinking: ShrinkingRaster
  private(set) var decoded: [Int] = []

  init(_ picture: NaivePicture, reductions: [Int] = [1, 2, 4, 8]) {
    shrinking = ShrinkingRaster(picture, reductions: reductions)
  }

  var size: Size { shrinking.size }
  var reductions: [Int] { shrinking.reductions }
  var facts: RasterFacts { shrinking.facts }

  func pixels(reduction: Int) throws -> ReducedPixels {
    decoded.append(reduction)
    return try shrinking.pixels(reduction: reduction)
  }
}
