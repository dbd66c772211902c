import Glibc
import PictureMetadata

/// The chunks of a WebP file (RFC 9649, section 2).
struct WebPChunks {
  private let file: FileBytes
  private let chunks: [Chunk]

  private struct Chunk {
    let name: String
    /// With its head, and the byte that fills it up to a whole pair.
    let range: Range<Int>
  }

  private static let exifFlag: UInt8 = 0x08
  private static let xmpFlag: UInt8 = 0x04
  private static let alphaFlag: UInt8 = 0x10
  private static let ofPixels: Set<String> = [
    "VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L",
  ]

  /// Nil where the file is no WebP.
  ///
  /// Bytes behind the last whole chunk are none of the file's.
  init?(_ descriptor: Int32) throws(SystemError) {
    file = FileBytes(descriptor: descriptor)
    let head = try file.read(at: 0, count: 12)
    guard head.starts(with: Array("RIFF".utf8)), head.suffix(4) == Array("WEBP".utf8)[...] else {
      return nil
    }
    let size = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    let end = min(try file.count, 8 + size)
    var found: [Chunk] = []
    var offset = 12
    while offset + 8 <= end {
      let head = try file.read(at: offset, count: 8)
      let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard offset + 8 + length <= end else { break }
      if found.count == PNGChunks.mostChunks { return nil }
      let range = offset..<min(offset + 8 + length + length % 2, end)
      found.append(Chunk(name: String(decoding: head[..<4], as: UTF8.self), range: range))
      offset = range.upperBound
    }
    guard let first = found.first, found.contains(where: { Self.ofPixels.contains($0.name) }),
      first.name != "VP8X" || first.range.count >= 18
    else { return nil }
    chunks = found
  }

  /// Puts these blocks in place of all metadata.
  ///
  /// `width` and `height`: of the picture, for a file that does not say them where they are needed.
  func write(_ blocks: MetadataBlocks, width: Int, height: Int) throws(SystemError) {
    var end = 12
    for range in ranges(of: Self.ofPixels) {
      if range.lowerBound > end { try file.move(range, to: end) }
      end += range.count
    }
    try file.truncate(to: end)
    var added: [UInt8] = []
    if let exif = blocks.exif { added += Self.chunk("EXIF", exif) }
    if let xmp = blocks.xmp { added += Self.chunk("XMP ", xmp) }
    // A last chunk of odd length may lack the byte behind it.
    try file.write((end % 2 == 1 ? [0] : []) + added, at: end)
    let flags = (blocks.exif == nil ? 0 : Self.exifFlag) | (blocks.xmp == nil ? 0 : Self.xmpFlag)
    if let extended = chunks.first, extended.name == "VP8X" {
      let place = extended.range.lowerBound + 8
      guard let old = try file.read(at: place, count: 1).first else { return }
      try file.write([old & ~(Self.exifFlag | Self.xmpFlag) | flags], at: place)
    } else if flags != 0 {
      try extend(flags, width, height)
    }
    let size = UInt32(try file.count - 8)
    try file.write((0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }, at: 4)
  }

  /// Where chunks of these names are, those behind each other as one: each moves once, and there may be
  /// millions.
  private func ranges(of names: Set<String>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for chunk in chunks where names.contains(chunk.name) {
      if let last = ranges.last, last.upperBound == chunk.range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<chunk.range.upperBound
      } else {
        ranges.append(chunk.range)
      }
    }
    return ranges
  }

  /// Puts the chunk that says what else there is before the picture.
  private func extend(_ flags: UInt8, _ width: Int, _ height: Int) throws(SystemError) {
    func three(_ value: Int) -> [UInt8] { [0, 8, 16].map { UInt8(value >> $0 & 255) } }
    var flags = flags
    if let lossless = chunks.first, lossless.name == "VP8L" {
      // A bit behind the mark and the two sizes of 14 bits.
      let byte = try file.read(at: lossless.range.lowerBound + 8 + 4, count: 1).first ?? 0
      if byte & 0x10 != 0 { flags |= Self.alphaFlag }
    }
    let data = [flags, 0, 0, 0] + three(width - 1) + three(height - 1)
    try file.replace(12..<12, with: Self.chunk("VP8X", data))
  }

  private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let length = (0..<4).map { UInt8(truncatingIfNeeded: data.count >> ($0 * 8)) }
    return Array(name.utf8) + length + data + [UInt8](repeating: 0, count: data.count % 2)
  }
}
