import Glibc
import MinilabKit

/// The chunks of a WebP file (RFC 9649, section 2).
enum WebPChunks {
  private static let exifFlag: UInt8 = 0x08
  private static let xmpFlag: UInt8 = 0x04

  /// Takes off the EXIF and XMP chunks behind the picture.
  ///
  /// libvips 8.14 writes an EXIF block of its own even when it is told to write none.
  static func dropMetadata(_ descriptor: Int32) throws(SystemError) {
    let head = try read(descriptor, at: 0, count: 12)
    guard head.starts(with: Array("RIFF".utf8)), head.suffix(4) == Array("WEBP".utf8) else {
      return
    }
    var offset = 12
    var extended: Int?
    while true {
      let chunk = try read(descriptor, at: offset, count: 8)
      guard chunk.count == 8 else { return }
      switch String(decoding: chunk.prefix(4), as: UTF8.self) {
      case "VP8X": extended = offset + 8
      case "EXIF", "XMP ": return try cut(descriptor, at: offset, extended)
      default: break
      }
      let length = chunk.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      // A chunk of odd length has a byte behind it that does not count.
      offset += 8 + length + length % 2
    }
  }

  private static func cut(
    _ descriptor: Int32,
    at offset: Int,
    _ extended: Int?
  ) throws(SystemError) {
    try System.attempt(.write) { _ in ftruncate(descriptor, off_t(offset)) }
    let size = UInt32(offset - 8)
    try write((0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }, descriptor, at: 4)
    guard let extended, let flags = try read(descriptor, at: extended, count: 1).first else {
      return
    }
    try write([flags & ~(exifFlag | xmpFlag)], descriptor, at: extended)
  }

  private static func read(
    _ descriptor: Int32,
    at offset: Int,
    count: Int
  ) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try System.attempt(.read) { pread(descriptor, &bytes, min($0, count), off_t(offset)) }
    return Array(bytes.prefix(got))
  }

  private static func write(
    _ bytes: [UInt8],
    _ descriptor: Int32,
    at offset: Int
  ) throws(SystemError) {
    try System.attempt(.write) { pwrite(descriptor, bytes, min($0, bytes.count), off_t(offset)) }
  }
}
