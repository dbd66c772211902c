import MinilabKit

/// The blocks of a GIF file (GIF89a), walked through to its end.
///
/// libvips counts the frames that are whole, and takes a film that is cut off for a shorter one.
enum GIFBlocks {
  /// The file ends inside a block, or before what its first bytes promise.
  ///
  /// A missing last byte that says that the file ends harms nothing.
  static func isCutOff(_ data: PictureData) throws -> Bool {
    let reader = Reader(data: data)
    guard let flags = try reader.byte(at: 10) else { return true }
    var offset = 13 + table(flags)
    while let kind = try reader.byte(at: offset) {
      switch kind {
      case 0x21: offset += 2
      case 0x2c:
        guard let flags = try reader.byte(at: offset + 9) else { return true }
        offset += 11 + table(flags)
      // The end, or what no decoder reads on from.
      default: return false
      }
      while true {
        guard let length = try reader.byte(at: offset) else { return true }
        offset += 1 + Int(length)
        if length == 0 { break }
      }
    }
    return false
  }

  /// Bytes of a color table that the flags tell of.
  private static func table(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }

  /// Reads ahead: blocks are short.
  private final class Reader {
    private let data: PictureData
    private var start = 0
    private var bytes: [UInt8] = []

    init(data: PictureData) { self.data = data }

    /// Nil behind the end of the file.
    func byte(at offset: Int) throws -> UInt8? {
      if !(start..<(start + bytes.count)).contains(offset) {
        bytes = try data.read(at: offset, count: 1 << 16)
        start = offset
      }
      return bytes.isEmpty ? nil : bytes[offset - start]
    }
  }
}
