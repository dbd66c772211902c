import MinilabKit
import Vips

/// What a PNG says of itself behind its pixels.
///
/// EXIF and texts may stand there (PNG third edition, 5.6), and libvips reads no further than the
/// first pixels. So these chunks are put into a picture of one pixel, which is given to libvips: what it
/// makes of them is then the same wherever they stand.
enum LatePNGChunks {
  private static let told: Set<String> = ["eXIf", "tEXt", "zTXt", "iTXt"]
  /// Of all these chunks together, in bytes.
  private static let most = 1 << 24
  /// Of chunks that are looked at.
  private static let mostChunks = 1 << 17

  /// The picture with what stands behind its pixels; what stands before them counts first.
  static func told(by image: Image, _ data: PictureData) throws -> Image {
    let chunks = try late(in: data)
    guard !chunks.isEmpty else { return image }
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    // One gray pixel of 8 bits.
    file += PNGChunks.chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
    file += chunks
    // Its row, as zlib has it.
    file += PNGChunks.chunk("IDAT", [0x78, 0x9c, 0x63, 0x60, 0, 0, 0, 2, 0, 1])
    file += PNGChunks.chunk("IEND", [])
    guard let late = try? load("pngload_source", from: Source(bytes: file)) else { return image }
    let result = try image.copy()
    if !result.has("xmp-data"), let packet = late.blob("xmp-data") {
      result.set("xmp-data", blob: packet)
    }
    if !result.has("exif-data") { carryEXIF(from: late, to: result) }
    var count = result.fieldNames.filter { MetadataField.textKey($0) != nil }.count
    for name in late.fieldNames {
      guard let key = MetadataField.textKey(name), let text = late.string(name) else { continue }
      result.set(MetadataField.text(count, key), string: text)
      count += 1
    }
    return result
  }

  /// The block, and the single tags as libvips has read them.
  private static func carryEXIF(from late: Image, to result: Image) {
    if let block = late.blob("exif-data") { result.set("exif-data", blob: block) }
    if let tag = late.int("orientation") { result.set("orientation", int: tag) }
    for name in late.fieldNames where name.hasPrefix("exif-ifd") {
      if let text = late.string(name) { result.set(name, string: text) }
    }
  }

  /// The chunks behind the first pixels that tell of the picture, as they are in the file.
  private static func late(in data: PictureData) throws -> [UInt8] {
    var found: [UInt8] = []
    var offset = 8
    var isLate = false
    for _ in 0..<mostChunks {
      let head = Head(try data.read(at: offset, count: 8)[...])
      guard let length = head.big32(at: 0), head.bytes.count == 8 else { break }
      let name = String(decoding: head.bytes.suffix(4), as: UTF8.self)
      if name == "IEND" { break }
      if name == "IDAT" { isLate = true }
      if isLate, told.contains(name), found.count + length < most {
        found += try data.read(at: offset, count: length + 12)
      }
      offset += length + 12
    }
    return found
  }
}
