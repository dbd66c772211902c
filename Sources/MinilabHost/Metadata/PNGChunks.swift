import Glibc
import PictureMetadata

/// The chunks of a PNG file (ISO/IEC 15948, 5.3).
struct PNGChunks {
  private let file: FileBytes
  private let chunks: [Chunk]

  private struct Chunk {
    let name: String
    /// With its length, name and checksum.
    let range: Range<Int>

    var dataOffset: Int { range.lowerBound + 8 }
    var dataLength: Int { range.count - 12 }
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  static let xmpKey = "XML:com.adobe.xmp"
  /// What says how pixels are to be shown, of the standard and of its registered extensions.
  private static let ofPixels: Set<String> = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV",
    "cLLI", "bKGD", "hIST", "pHYs", "sPLT", "oFFs", "pCAL", "sCAL", "sTER", "acTL", "fcTL", "fdAT",
  ]
  /// A file of more is one of tiny pieces, made to take memory; libpng writes 8 KB into each.
  static let mostChunks = 1 << 20
  private static let texts: Set<String> = ["tEXt", "zTXt", "iTXt"]

  /// Nil where the file is no PNG, or its chunks do not lead to its end.
  init?(_ descriptor: Int32) throws(SystemError) {
    file = FileBytes(descriptor: descriptor)
    guard try file.read(at: 0, count: 8) == Self.signature else { return nil }
    var found: [Chunk] = []
    var offset = 8
    let end = try file.count
    while found.last?.name != "IEND" {
      let head = try file.read(at: offset, count: 8)
      guard head.count == 8 else { return nil }
      let length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
      let chunk = Chunk(
        name: String(decoding: head[4...], as: UTF8.self),
        range: offset..<(offset + 12 + length)
      )
      guard chunk.range.upperBound <= end, found.count < Self.mostChunks else { return nil }
      found.append(chunk)
      offset = chunk.range.upperBound
    }
    chunks = found
  }

  /// Puts these blocks in place of all EXIF and XMP; of the texts those stay that a policy keeps.
  func write(_ blocks: MetadataBlocks, _ policy: MetadataPolicy) throws(SystemError) {
    guard let data = chunks.firstIndex(where: { $0.name == "IDAT" }),
      let last = chunks.lastIndex(where: { $0.name == "IDAT" })
    else { return }
    // From the end: the change before the pixels moves what is behind it.
    let tail = try kept(chunks[(last + 1)...], policy)
    try file.truncate(to: chunks[last].range.upperBound)
    try file.write(tail, at: chunks[last].range.upperBound)
    var head = try kept(chunks[..<1], policy)
    if let exif = blocks.exif { head += Self.chunk("eXIf", exif) }
    if let xmp = blocks.xmp {
      // Key, no compression, no language, no translated key.
      head += Self.chunk("iTXt", Array(Self.xmpKey.utf8) + [0, 0, 0, 0, 0] + xmp)
    }
    head += try kept(chunks[1..<data], policy)
    try file.replace(8..<chunks[data].range.lowerBound, with: head)
  }

  private func kept(
    _ chunks: ArraySlice<Chunk>,
    _ policy: MetadataPolicy
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    for chunk in chunks where try isKept(chunk, policy) {
      bytes += try file.read(at: chunk.range.lowerBound, count: chunk.range.count)
    }
    return bytes
  }

  private func isKept(_ chunk: Chunk, _ policy: MetadataPolicy) throws(SystemError) -> Bool {
    if Self.ofPixels.contains(chunk.name) { return true }
    guard Self.texts.contains(chunk.name) else { return false }
    // A key has at most 79 bytes.
    let start = try file.read(at: chunk.dataOffset, count: min(80, chunk.dataLength))
    let key = String(decoding: start.prefix { $0 != 0 }, as: UTF8.self)
    return Self.isText(key) && policy.keepsText(key)
  }

  /// What stands under this key is a text, and no block in disguise.
  static func isText(_ key: String) -> Bool {
    key != xmpKey && !key.lowercased().hasPrefix("raw profile type")
  }

  /// Leaves of the resolution that libvips writes into every file that it is unknown.
  ///
  /// `file`: as libvips has just written it.
  static func forgetDensity(_ file: FileBytes) throws(SystemError) {
    var offset = signature.count
    // Before the pixels.
    for _ in 0..<16 {
      let head = try file.read(at: offset, count: 8)
      guard head.count == 8 else { return }
      switch String(decoding: head[4...], as: UTF8.self) {
      case "pHYs":
        // One to one, of no unit.
        return try file.write(chunk("pHYs", [0, 0, 0, 1, 0, 0, 0, 1, 0]), at: offset)
      case "IDAT": return
      default: offset += 12 + head[..<4].reduce(0) { $0 << 8 | Int($1) }
      }
    }
  }

  /// With its length and checksum.
  static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    func long(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    let body = Array(name.utf8) + data
    return long(UInt32(data.count)) + body + long(Checksum.crc32(body))
  }
}
