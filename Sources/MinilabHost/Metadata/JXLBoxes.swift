import Glibc
import PictureMetadata

/// The container of JPEG XL (ISO/IEC 18181-2): boxes around the bare codestream that libvips writes.
struct JXLBoxes {
  private let file: FileBytes
  /// Where further boxes go, and whether the picture still has to be put into a box.
  private let place: Int
  private let isBare: Bool

  private static let signature: [UInt8] = [
    0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a,
  ]
  private static let codestream: [UInt8] = [0xff, 0x0a]

  /// Nil where the file is no JPEG XL.
  init?(_ descriptor: Int32) throws(SystemError) {
    file = FileBytes(descriptor: descriptor)
    let head = try file.read(at: 0, count: 16)
    if head.starts(with: Self.codestream) {
      isBare = true
      place = 0
      return
    }
    guard head.count == 16, head.starts(with: Self.signature) else { return nil }
    isBare = false
    // The file's type is the second box.
    place = 12 + head[12...].reduce(0) { $0 << 8 | Int($1) }
    guard place >= 20, place <= (try file.count) else { return nil }
  }

  // MARK: Reading

  /// EXIF and XMP that stand uncompressed in boxes of their own.
  func blocks() throws(SystemError) -> MetadataBlocks {
    var blocks = MetadataBlocks()
    if isBare { return blocks }
    let end = try file.count
    var offset = place
    var walked = 0
    while offset + 8 <= end, walked < Self.mostBoxes {
      walked += 1
      let head = try file.read(at: offset, count: 8)
      let length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
      // The rest of the file, or more than 4 GB: a picture.
      guard length >= 8, offset + length <= end else { break }
      let name = String(decoding: head[4...], as: UTF8.self)
      if length < Self.mostBytes, name == "Exif" || name == "xml " {
        let data = try file.read(at: offset + 8, count: length - 8)
        if name == "xml ", blocks.xmp == nil { blocks.xmp = data }
        // How far behind this number the structure begins.
        let start = 4 + data.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        if name == "Exif", blocks.exif == nil, start < data.count {
          blocks.exif = Array(data[start...])
        }
      }
      if name == "brob", length >= 12 { try addCompressed(at: offset + 8, to: &blocks) }
      offset += length
    }
    return blocks
  }

  private static let mostBytes = 1 << 24
  private static let mostBoxes = 10_000

  /// A box that is compressed by Brotli begins with the name that it had before.
  private func addCompressed(at offset: Int, to blocks: inout MetadataBlocks) throws(SystemError) {
    switch String(decoding: try file.read(at: offset, count: 4), as: UTF8.self) {
    case "Exif": blocks.unread.insert(.compressed(.exif))
    case "xml ": blocks.unread.insert(.compressed(.xmp))
    default: break
    }
  }

  // MARK: Writing

  /// Puts blocks before the picture of a file that has none.
  func write(_ blocks: MetadataBlocks) throws(SystemError) {
    var added: [UInt8] = []
    if let exif = blocks.exif { added += Self.box("Exif", [0, 0, 0, 0] + exif) }
    if let xmp = blocks.xmp { added += Self.box("xml ", xmp) }
    guard !added.isEmpty else { return }
    if isBare {
      let type = Self.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
      // A length of 0 is up to the end of the file.
      added = Self.signature + type + added + [0, 0, 0, 0] + Array("jxlc".utf8)
    }
    try file.replace(place..<place, with: added)
  }

  private static func box(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let length = data.count + 8
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(name.utf8) + data
  }
}
