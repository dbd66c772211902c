import Glibc
import PictureMetadata

/// The items of a HEIF or AVIF file that are metadata (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12,
/// annex A).
///
/// libvips reads no XMP here, and hands EXIF through libexif, which spoils what it does not know. So
/// it is let to write a block of its own, and the item is then pointed to other bytes at the end.
struct HEIFItems {
  private let file: FileBytes
  private let items: [Item]
  /// Where the places of items are written.
  private let locations: ItemLocations

  private struct Item {
    let number: Int
    /// Four letters.
    let type: String
    /// Of an item whose type is "mime".
    let content: String
  }

  private static let mostMeta = 1 << 24
  private static let mostBytes = 1 << 24
  private static let mostItems = 10_000

  /// Nil where the file has no list of items that can be read.
  init?(_ descriptor: Int32) throws(SystemError) {
    let file = FileBytes(descriptor: descriptor)
    guard let meta = try MetaBox.child("meta", file, in: 0..<file.count), meta.count >= 4,
      meta.count < Self.mostMeta
    else { return nil }
    // A version and flags stand before its boxes.
    let boxes = (meta.lowerBound + 4)..<meta.upperBound
    guard let list = try MetaBox.child("iinf", file, in: boxes),
      let places = try MetaBox.child("iloc", file, in: boxes),
      let locations = ItemLocations(
        try file.read(at: places.lowerBound, count: places.count),
        at: places.lowerBound,
        data: try MetaBox.child("idat", file, in: boxes)
      )
    else { return nil }
    self.file = file
    self.locations = locations
    items = try Self.items(file, in: list)
  }

  private static func items(_ file: FileBytes, in list: Range<Int>) throws(SystemError) -> [Item] {
    var items: [Item] = []
    let version = try file.read(at: list.lowerBound, count: 1).first ?? 0
    var offset = list.lowerBound + (version == 0 ? 6 : 8)
    while items.count < mostItems, let box = try MetaBox(file, at: offset, list.upperBound) {
      let data = try file.read(at: box.data.lowerBound, count: min(200, box.data.count))
      // Versions 2 and 3 name an item's type.
      let start = data.first == 2 ? 8 : 10
      if box.name == "infe", data.first == 2 || data.first == 3, data.count >= start + 4 {
        let texts = data[(start + 4)...].split(separator: 0, omittingEmptySubsequences: false)
        items.append(
          Item(
            number: data[4..<(start - 2)].reduce(0) { $0 << 8 | Int($1) },
            type: String(decoding: data[start..<(start + 4)], as: UTF8.self),
            content: texts.count > 1 ? String(decoding: texts[1], as: UTF8.self) : ""
          )
        )
      }
      offset = box.data.upperBound
    }
    return items
  }

  /// One of the items is of this type.
  func has(_ type: String) -> Bool { items.contains { $0.type == type } }

  // MARK: Reading

  func blocks() throws(SystemError) -> MetadataBlocks {
    var blocks = MetadataBlocks()
    for item in items {
      if item.type == "Exif", blocks.exif == nil, let data = try bytes(of: item) {
        // How far behind this number the structure begins.
        let start = 4 + data.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        if start < data.count { blocks.exif = Array(data[start...]) }
      }
      if item.type == "mime", item.content == "application/rdf+xml", blocks.xmp == nil {
        blocks.xmp = try bytes(of: item)
      }
    }
    return blocks
  }

  private func bytes(of item: Item) throws(SystemError) -> [UInt8]? {
    guard let places = locations.places[item.number] else { return nil }
    var bytes: [UInt8] = []
    for place in places {
      guard bytes.count + place.range.count <= Self.mostBytes else { return nil }
      bytes += try file.read(at: place.range.lowerBound, count: place.range.count)
    }
    return bytes
  }

  // MARK: Writing

  /// Puts another EXIF block in place of the one that is there.
  ///
  /// - Returns: false where there is none, or it is in pieces.
  func replaceEXIF(_ block: [UInt8]) throws(SystemError) -> Bool {
    guard let item = items.first(where: { $0.type == "Exif" }),
      let places = locations.places[item.number], places.count == 1, let place = places.first,
      place.isInFile, place.width >= 4, place.range.upperBound <= (try file.count)
    else { return false }
    // Where the structure begins behind this number; then as a JPEG has it.
    let data: [UInt8] = [0, 0, 0, 6] + Array("Exif\0\0".utf8) + block
    try file.write([UInt8](repeating: 0, count: place.range.count), at: place.range.lowerBound)
    if data.count <= place.range.count {
      try file.write(data, at: place.range.lowerBound)
    } else {
      let end = try file.count
      try file.write(Self.number(data.count + 8, 4) + Array("mdat".utf8) + data, at: end)
      try file.write(Self.number(end + 8 - place.base, place.width), at: place.offsetPlace)
    }
    try file.write(Self.number(data.count, place.width), at: place.lengthPlace)
    return true
  }

  private static func number(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}

/// A box of the ISO base media format: a length, a name, and what is in it.
struct MetaBox {
  /// That are walked past; a film has some dozens beside each other.
  private static let mostBoxes = 10_000

  let name: String
  let data: Range<Int>

  /// Nil where none fits before `end`.
  init?(_ file: FileBytes, at offset: Int, _ end: Int) throws(SystemError) {
    let head = try file.read(at: offset, count: 16)
    guard head.count >= 8 else { return nil }
    var length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
    var headLength = 8
    if length == 1, head.count == 16, head[8] == 0 {
      length = head[8...].reduce(0) { $0 << 8 | Int($1) }
      headLength = 16
    } else if length == 0 {
      length = end - offset
    }
    guard length >= headLength, length <= end - offset else { return nil }
    name = String(decoding: head[4..<8], as: UTF8.self)
    data = (offset + headLength)..<(offset + length)
  }

  /// What is in the first box of a name.
  static func child(
    _ name: String,
    _ file: FileBytes,
    in range: Range<Int>
  ) throws(SystemError) -> Range<Int>? {
    try all(name, file, in: range, most: 1).first
  }

  /// What is in the boxes of a name.
  static func all(
    _ name: String,
    _ file: FileBytes,
    in range: Range<Int>,
    most: Int = 1000
  ) throws(SystemError) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var offset = range.lowerBound
    var walked = 0
    while found.count < most, walked < mostBoxes, offset < range.upperBound,
      let box = try MetaBox(file, at: offset, range.upperBound)
    {
      walked += 1
      if box.name == name { found.append(box.data) }
      offset = box.data.upperBound
    }
    return found
  }
}
