import Glibc
import MinilabKit
import Vips

/// How a file's pixels are decoded, and what the decoder holds for it: told by the header.
///
/// The numbers are measured with libvips 8.14.1 on Debian 12 (docs/decisions/0024-cost-and-memory.md); they
/// are for ordering work and for keeping it within memory, and no pixel depends on them.
struct PictureDecoder {
  let format: PictureFormat
  /// libvips' name of it.
  let loader: String
  /// The file has the picture coarse at first and then finer: it is decoded as a whole.
  var isProgressive = false
  let reducing: Loader.Reducing
  /// Where a wavelet's low band has its samples.
  let isWavelet: Bool
  /// Ready reductions in the file.
  let levels: Set<Int>
  /// Bytes for each pixel at full size.
  let heldPerPixel: Double
  /// Bytes for each sample that it hands over.
  let heldPerSample: Double
  /// Samples of a JPEG that are coded for each pixel.
  private let codedSamples: Double
  /// Rows that it holds where it hands rows over.
  let rows: Int

  /// The picture is held by the decoder as a whole.
  var isWhole: Bool { heldPerPixel > 0 || heldPerSample > 0 }

  /// `levels`: reductions that the file holds ready.
  init(_ format: PictureFormat, header: Image, levels: [Int]) {
    let loader = Loader.of(format)
    self.format = format
    self.loader = loader.operation
    self.levels = Set(levels)
    reducing = loader.reducing
    isWavelet = format == .jp2k
    isProgressive = (header.int("interlaced") ?? 0) != 0 || (header.int("jpeg-multiscan") ?? 0) != 0
    let isSubsampled =
      header.bands >= 3 && header.string("jpeg-chroma-subsample") != "4:4:4"
    codedSamples = Double(header.bands) * (isSubsampled ? 0.5 : 1)
    var rows = 256
    switch format {
    case .jpeg where isProgressive: (heldPerPixel, heldPerSample) = (2 * codedSamples, 0)
    case .png where isProgressive: (heldPerPixel, heldPerSample) = (0, 1)
    case .gif: (heldPerPixel, heldPerSample) = (7, 1)
    case .webp: (heldPerPixel, heldPerSample) = (0.5, 2)
    case .heif: (heldPerPixel, heldPerSample) = (3, 1)
    case .avif: (heldPerPixel, heldPerSample) = (3, 1)
    case .jxl: (heldPerPixel, heldPerSample) = (3, 1)
    // Between what files with tiles take, and those without, which no header that libvips reads tells.
    case .jp2k: (heldPerPixel, heldPerSample) = (0, 2.2)
    case .tiff: (heldPerPixel, heldPerSample, rows) = (0, 0, 320)
    case .bmp, .tga, .ico, .psd, .dds, .xpm: (heldPerPixel, heldPerSample) = (8, 1)
    case .svg, .pdf: (heldPerPixel, heldPerSample, rows) = (0, 0, 512)
    default: (heldPerPixel, heldPerSample) = (0, 0)
    }
    self.rows = rows
  }

  /// How a decoded picture lies on one of this size.
  func grid(of size: Size, reduction: Int) -> PixelGrid {
    let factor = Double(reduction)
    if levels.contains(reduction) {
      var grid = PixelGrid(
        width: (size.width + reduction / 2) / reduction,
        height: (size.height + reduction / 2) / reduction,
        factorX: factor,
        factorY: factor
      )
      if isWavelet { grid.shift = 0.5 - 0.5 / factor }
      return grid
    }
    switch reducing {
    case .none: return PixelGrid(width: size.width, height: size.height)
    case .shrink:
      return PixelGrid(
        width: max(1, size.width / reduction),
        height: max(1, size.height / reduction),
        factorX: factor,
        factorY: factor
      )
    case .scale:
      let width = max(1, Int((Double(size.width) / factor).rounded(.toNearestOrEven)))
      let height = max(1, Int((Double(size.height) / factor).rounded(.toNearestOrEven)))
      return PixelGrid(
        width: width,
        height: height,
        factorX: Double(size.width) / Double(width),
        factorY: Double(size.height) / Double(height)
      )
    }
  }

  /// What it holds, in bytes, of a picture of this size that is decoded at a reduction.
  ///
  /// `sampleBytes`: of one pixel that it hands over.
  func held(_ size: Size, reduction: Int, pixelBytes: Int) -> Int {
    let grid = grid(of: size, reduction: reduction)
    let decoded = Double(grid.width * grid.height * pixelBytes)
    let full = levels.contains(reduction) ? grid.size : size
    let whole = heldPerPixel * Double(full.width * full.height) + heldPerSample * decoded
    return Int(whole) + min(rows, grid.height) * grid.width * pixelBytes
  }

  /// What the coefficients of a whole JPEG take, two bytes each.
  func heldCoded(_ size: Size) -> Int {
    Int(2 * codedSamples * Double(size.width * size.height))
  }

  /// What it holds for certain, in bytes, whatever is made of the picture: what it asks for before the first row.
  func surelyHeld(_ size: Size, pixelBytes: Int) -> Int {
    let pixels = size.width * size.height
    return switch format {
    case .jpeg where isProgressive: heldCoded(size)
    case .png where isProgressive: pixels * pixelBytes
    // Luma, and chroma at half its resolution.
    case .heif, .avif: pixels * 3 / 2
    default: 0
    }
  }

  /// The time that a picture takes, where a megapixel of JPEG takes 1.
  func cost(_ size: Size, reduction: Int) -> Double {
    let grid = grid(of: size, reduction: reduction)
    let full = levels.contains(reduction) ? grid.size : size
    let (whole, decoded) = (
      Double(full.width * full.height) / 1e6, Double(grid.width * grid.height) / 1e6
    )
    return switch format {
    // The coded data is read in full, whatever is made of it.
    case .jpeg: (isProgressive ? 1.0 : 0.4) * whole + 0.6 * decoded
    case .png, .tiff, .gif: 1.5 * whole
    case .webp: 1.2 * whole + 0.3 * decoded
    case .heif, .avif, .jxl: 4 * whole
    case .jp2k: 12 * whole
    case .svg, .pdf: 3 * decoded
    case .bmp, .tga, .ico, .psd, .dds, .xpm, .pnm, .hdr, .fits, .exr: 1.5 * whole
    }
  }
}
