import MinilabKit
import PictureMetadata

/// The blocks of a GIF file (GIF89a), walked through to its end.
///
/// libvips counts the frames that are whole, and takes a film that is cut off for a shorter one.
enum GIFBlocks {
  /// The file ends inside a block, or before what its first bytes promise.
  ///
  /// A missing last byte that says that the file ends harms nothing.
  static func isCutOff(_ data: PictureData) throws -> Bool {
    try walk(data) { _ in }
  }

  /// What the file says of itself: comments, and an XMP packet (XMP specification part 3, 1.1.2).
  ///
  /// libvips reads neither.
  static func metadata(_ data: PictureData) throws -> MetadataBlocks {
    var blocks = MetadataBlocks()
    _ = try walk(data) { block in
      let (label, range) = (block.label, block.parts)
      guard label == 0xfe || label == 0xff, range.count <= mostBytes else { return }
      let bytes = try data.read(at: range.lowerBound, count: range.count)
      if label == 0xfe {
        blocks.comments.append(joined(bytes))
      } else if blocks.xmp == nil, bytes.starts(with: xmp), bytes.count > xmp.count + trailer {
        // The packet stands there in one piece; what follows leads any decoder out of it.
        blocks.xmp = Array(bytes[xmp.count..<(bytes.count - trailer)])
      }
    }
    return blocks
  }

  /// An extension or a picture.
  struct Block {
    /// Of its first byte.
    let start: Int
    /// Of an extension: what it is.
    let label: UInt8?
    /// Where its data is, in parts that each begin with their length, up to the one that ends them.
    let parts: Range<Int>
  }

  private static let mostBytes = 1 << 24
  private static let xmp = [11] + Array("XMP DataXMP".utf8)
  private static let trailer = 258

  /// The bytes of blocks that each begin with their length.
  private static func joined(_ blocks: [UInt8]) -> [UInt8] {
    var joined: [UInt8] = []
    var offset = 0
    while offset < blocks.count, blocks[offset] > 0 {
      joined += blocks[(offset + 1)...].prefix(Int(blocks[offset]))
      offset += 1 + Int(blocks[offset])
    }
    return joined
  }

  /// `visit`: is handed each extension that is whole, and each picture.
  ///
  /// - Returns: whether the file is cut off.
  static func walk(_ data: PictureData, _ visit: (Block) throws -> Void) throws -> Bool {
    let reader = Reader(data: data)
    guard let flags = try reader.byte(at: 10) else { return true }
    var offset = 13 + table(flags)
    while let kind = try reader.byte(at: offset) {
      let first = offset
      var label: UInt8?
      switch kind {
      case 0x21:
        label = try reader.byte(at: offset + 1)
        offset += 2
      case 0x2c:
        guard let flags = try reader.byte(at: offset + 9) else { return true }
        offset += 11 + table(flags)
      // The end, or what no decoder reads on from.
      default: return false
      }
      let start = offset
      while true {
        guard let length = try reader.byte(at: offset) else {
          // Of a picture the rows that are there are shown.
          let end = min(offset, data.status.size)
          if label == nil, start < end {
            try visit(Block(start: first, label: nil, parts: start..<end))
          }
          return true
        }
        offset += 1 + Int(length)
        if length == 0 { break }
      }
      try visit(Block(start: first, label: label, parts: start..<offset))
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
