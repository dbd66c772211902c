import MinilabKit
import Vips

/// A picture that steps look at before they know what its outputs show: decoded once, for the looks and for
/// the outputs.
///
/// The decoder reduces it as far as all of them allow, which their sizes tell. What a decoder reduces by a
/// whole number is the average of so many pixels; so what a look would have had of the decoder is averaged
/// of the pixels that there are, and shows the same but for rounding, whatever the outputs need.
final class DecodedOnce {
  let reduction: Int
  private let picture: any Raster
  private let pixels: SharedRaster

  /// `reduction`: one of the picture's, which is enough for all outputs and all looks.
  init(_ picture: any Raster, reduction: Int, _ store: PixelStore) {
    self.picture = picture
    self.reduction = reduction
    pixels = SharedRaster({ picture }, facts: picture.facts, reduction: reduction, store)
  }

  /// What outputs are made of.
  var forOutputs: any Raster { Outputs(once: self) }
  /// What looks are made of.
  var forLooks: any Raster { Looks(once: self) }

  private struct Outputs: Raster {
    let once: DecodedOnce

    var size: Size { once.picture.size }
    /// No other decode is needed than the one there is.
    var reductions: [Int] { once.picture.reductions.filter { $0 <= once.reduction } }

    var facts: RasterFacts {
      var facts = once.picture.facts
      facts.reductions = reductions
      facts.once = once
      return facts
    }

    func pixels(reduction: Int) throws -> ReducedPixels {
      try (reduction == once.reduction ? once.pixels : once.picture).pixels(reduction: reduction)
    }
  }

  private struct Looks: Raster {
    let once: DecodedOnce

    var size: Size { once.picture.size }
    var reductions: [Int] { once.picture.reductions }
    var facts: RasterFacts { once.picture.facts }

    func pixels(reduction: Int) throws -> ReducedPixels {
      guard reduction.isMultiple(of: once.reduction) else {
        return try once.picture.pixels(reduction: reduction)
      }
      var pixels = try once.pixels.pixels(reduction: once.reduction)
      let box = reduction / once.reduction
      let (width, height) = (pixels.image.width / box, pixels.image.height / box)
      guard box > 1, width > 0, height > 0 else { return pixels }
      let blending = Blending(of: pixels.image, inLinearLight: false)
      // As decoders do, without what is less than a whole reduced pixel.
      let whole = try pixels.image.window(left: 0, top: 0, right: width * box, bottom: height * box)
      pixels.image = try blending.left(blending.entered(whole).boxed(box, box))
      pixels.factorX *= Double(box)
      pixels.factorY *= Double(box)
      return pixels
    }
  }
}
