import CJpeg
import Glibc
import Vips

extension JPEGEncoder {
  /// Encodes a small picture in the calling thread: libvips' saver starts threads for it, which take
  /// as long as libjpeg does.
  ///
  /// What comes out is what libvips' saver writes, less the metadata.
  ///
  /// - Parameter image: Its pixels come from memory.
  /// - Returns: nil where libvips must do it.
  /// - Throws: `VipsError` where the pixels cannot be made.
  func encodedInMemory(_ image: Image) throws(VipsError) -> [UInt8]? {
    guard image.format == .uchar, !image.isCoded, image.width <= Self.longestSide,
      image.height <= Self.longestSide, !usesMozJPEG,
      image.bands == 1 && image.interpretation == .gray
        || image.bands == 3 && image.interpretation == .srgb
    else { return nil }
    let held = try image.blank(width: image.width, height: image.height)
    try image.pull(into: held)
    let profile = image.blob("icc-profile-data") ?? []
    return held.withPixels { pixels in
      profile.withUnsafeBufferPointer { profile in
        encoded(pixels, held, profile)
      }
    }
  }

  private var usesMozJPEG: Bool { trellis || deringing || optimizeScans || quantTable > 0 }

  private var halvesColors: Bool {
    switch subsampling {
    case .automatic: quality.number < 90
    case .everyPixel: false
    case .everySecond: true
    }
  }

  private func encoded(
    _ pixels: UnsafeRawBufferPointer,
    _ image: Image,
    _ profile: UnsafeBufferPointer<UInt8>
  ) -> [UInt8]? {
    guard let start = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
    var encoding = CJpegEncoding(
      quality: Int32(quality.number),
      is_progressive: progressive,
      has_own_tables: optimize,
      halves_colors: halvesColors,
      profile: profile.baseAddress,
      profile_length: profile.count
    )
    var length = 0
    guard
      let bytes = cjpeg_encoded(
        start,
        image.width,
        image.height,
        Int32(image.bands),
        &encoding,
        &length
      )
    else { return nil }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }
}
