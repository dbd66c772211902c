/// How a WebP's pixels are coded (RFC 9649, 2.5 to 2.7).
enum WebPCoding {
  /// Of chunks that are looked at.
  private static let mostChunks = 1 << 16
  /// In bytes, of what a frame of an animation has before its own chunks.
  private static let frameHead = 16

  /// Every frame keeps every pixel.
  static func isLossless(_ data: PictureData) -> Bool {
    var offset = 12
    var hasPixels = false
    for _ in 0..<mostChunks {
      guard let bytes = try? data.read(at: offset, count: 8) else { return false }
      let head = Head(bytes[...])
      guard let length = head.little32(at: 4) else { return hasPixels }
      offset += 8
      if head.has("VP8 ", at: 0) { return false }
      if head.has("VP8L", at: 0) { hasPixels = true }
      offset += head.has("ANMF", at: 0) ? frameHead : length + length % 2
    }
    return false
  }
}
