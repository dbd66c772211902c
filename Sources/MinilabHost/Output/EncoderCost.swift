import MinilabKit

/// What encoding a picture takes, told by its size: measured as `PictureDecoder`'s numbers are, and as little a
/// matter of pixels.
struct EncoderCost {
  /// The picture is held as a whole before the encoder begins, in so many bytes; 0 where it takes rows.
  let picture: Int
  /// What the encoder holds beside it, in bytes.
  let held: Int
  /// Time, where decoding a megapixel of JPEG takes 1.
  let time: Double

  /// `facts`: of the picture as it is handed over.
  init(_ job: OutputJob, _ facts: RasterFacts) {
    let settings = job.output.settings
    let pixels = Double(facts.size.width * facts.size.height)
    let alpha = facts.hasAlpha ? 1.0 : 0.0
    let colors = Double(facts.bands) - alpha
    var holdsPicture = false
    // For each pixel.
    let held: Double
    let time: Double
    switch job.encoder {
    case let jpeg as JPEGEncoder:
      let isWhole = jpeg.progressive || jpeg.optimize
      held = isWhole ? 2 * (jpeg.keepsAllColors ? colors : min(colors, 1.5)) : 0
      time = isWhole ? 2.5 : 1.2
    case let png as PNGEncoder:
      holdsPicture = png.palette || png.progressive
      held = png.palette ? 5 : 0
      time = png.palette ? 30 : 4 + Double(png.effort)
    case let webp as WebPEncoder:
      holdsPicture = true
      let isLossless = webp.lossless || webp.nearLossless
      // Transparency is coded without loss, too.
      held = isLossless ? 19 : 5 + 18 * alpha
      time = (isLossless ? 10 : 4) + 2 * Double(webp.effort)
    case let avif as AVIFEncoder: (held, time) = (28, 10 + 10 * Double(avif.effort))
    case is HEIFEncoder: (held, time) = (25, 80)
    case is JXLEncoder: (held, time) = (60, 40)
    case let tiff as TIFFEncoder where tiff.compression.takesPredictor: (held, time) = (0, 20)
    case is GIFEncoder: (holdsPicture, held, time) = (facts.hasAlpha, 20, 30)
    default: (held, time) = (0, 3)
    }
    // Qualities are tried one after the other.
    let isTried = job.encoder.searched == .automatic || settings.maxBytes != nil
    let isLookedAt = facts.hasAlpha && !type(of: job.encoder).holdsAlpha
    picture = holdsPicture || isTried || isLookedAt ? facts.byteCount(facts.size) : 0
    self.held = Int(held * pixels)
    self.time = time * pixels / 1e6 * (isTried ? 3 : 1)
  }
}

extension JPEGEncoder {
  fileprivate var keepsAllColors: Bool {
    switch subsampling {
    case .automatic: quality.number >= 90
    case .everyPixel: true
    case .everySecond: false
    }
  }
}
