import CWebP
import MinilabKit
import Vips

/// Decodes a WebP whose bytes are in memory in one go: libvips' loader lays the picture on a canvas of
/// frames and hands that on row by row, which takes nearly as long again as libwebp does.
///
/// What comes out is the same to the last bit. Where anything about a file is unusual nothing comes out,
/// and libvips decodes it and tells what is wrong.
struct WebPInMemory {
  let bytes: [UInt8]
  /// As libvips has opened it.
  let header: Image

  /// Nil where the picture must be decoded by libvips.
  ///
  /// `reduction`: 1 to 16.
  func pixels(reduction: Int) throws -> Image? {
    guard header.format == .uchar, header.bands == 3, !header.isCoded else { return nil }
    func reduced(_ side: Int) -> Int {
      max(1, Int((Double(side) / Double(reduction)).rounded(.toNearestOrEven)))
    }
    let (width, height) = (reduced(header.width), reduced(header.height))
    return try header.filled(width: width, height: height) { pixels in
      bytes.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress,
          let into = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return false }
        return cwebp_pixels(start, bytes.count, into, Int32(width), Int32(height))
      }
    }
  }
}
