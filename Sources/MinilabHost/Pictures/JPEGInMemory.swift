import CJpeg
import MinilabKit
import Vips

/// Decodes a JPEG whose bytes are in memory in one go: libvips' loader, with its cache of rows and its
/// headers read again, takes longer around a small picture than libjpeg takes in it.
///
/// What comes out is the same to the last bit. Where anything about a file is unusual nothing comes out,
/// and libvips decodes it and tells what is wrong.
struct JPEGInMemory {
  let bytes: [UInt8]
  /// As libvips has opened it.
  let header: Image

  /// In pixels, of what is decoded: more is better read row by row.
  private static let most = 4_000_000

  /// Nil where the picture must be decoded by libvips.
  ///
  /// `reduction`: 1, 2, 4 or 8.
  func pixels(reduction: Int) throws -> Image? {
    // libvips drops what is less than a whole reduced pixel.
    let (width, height) = (header.width / reduction, header.height / reduction)
    guard width > 0, height > 0, width * height <= Self.most, header.format == .uchar,
      header.bands == 1 || header.bands == 3
    else { return nil }
    let bands = Int32(header.bands)
    return try header.filled(width: width, height: height) { pixels in
      bytes.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress,
          let into = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return false }
        return cjpeg_pixels(start, bytes.count, Int32(reduction), into, width, height, bands)
      }
    }
  }
}
