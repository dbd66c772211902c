import Glibc

/// The items of a HEIF or AVIF file that libheif has written (ISO/IEC 14496-12, 8.11).
///
/// libvips hands EXIF through libexif, which spoils what it does not know. So libvips is let to write
/// a block of its own, and the item is then pointed to other bytes at the end of the file.
struct HEIFItems {
  private let file: FileBytes
  private let place: Place

  /// Where the file says where the item's bytes are.
  private struct Place {
    /// Of the numbers in the file; each of `width` bytes.
    let offsetPlace: Int
    let lengthPlace: Int
    let width: Int
    /// What the offset counts from.
    let base: Int
    /// Of the bytes that are there.
    let range: Range<Int>
  }

  private struct Box {
    let name: String
    let data: Range<Int>
  }

  private static let mostMeta = 1 << 24

  /// Nil where the file has no EXIF item in one piece.
  init?(_ descriptor: Int32) throws(SystemError) {
    file = FileBytes(descriptor: descriptor)
    let end = try file.count
    var offset = 0
    var meta: Range<Int>?
    while meta == nil, offset < end {
      guard let box = try Self.box(file, at: offset, end) else { return nil }
      // A version and flags stand before its boxes.
      if box.name == "meta" { meta = (box.data.lowerBound + 4)..<box.data.upperBound }
      offset = box.data.upperBound
    }
    guard let meta, meta.count < Self.mostMeta, let item = try Self.exifItem(file, in: meta),
      let place = try Self.location(file, of: item, in: meta, end)
    else { return nil }
    self.place = place
  }

  /// Puts another EXIF block in place of the one that is there.
  func replaceEXIF(_ block: [UInt8]) throws(SystemError) {
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
  }

  private static func number(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  // MARK: Boxes

  private static func box(_ file: FileBytes, at offset: Int, _ end: Int) throws(SystemError) -> Box?
  {
    let head = try file.read(at: offset, count: 16)
    guard head.count >= 8 else { return nil }
    var length = value(head[..<4])
    var headLength = 8
    if length == 1, head.count == 16, head[8] == 0 {
      length = value(head[8...])
      headLength = 16
    } else if length == 0 {
      length = end - offset
    }
    guard length >= headLength, length <= end - offset else { return nil }
    return Box(
      name: String(decoding: head[4..<8], as: UTF8.self),
      data: (offset + headLength)..<(offset + length)
    )
  }

  private static func value(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private static func child(
    _ name: String,
    _ file: FileBytes,
    in range: Range<Int>
  ) throws(SystemError) -> Range<Int>? {
    var offset = range.lowerBound
    while offset < range.upperBound, let box = try box(file, at: offset, range.upperBound) {
      if box.name == name { return box.data }
      offset = box.data.upperBound
    }
    return nil
  }

  /// The number of the item that is EXIF.
  private static func exifItem(
    _ file: FileBytes,
    in meta: Range<Int>
  ) throws(SystemError) -> Int? {
    guard let list = try child("iinf", file, in: meta) else { return nil }
    let version = try file.read(at: list.lowerBound, count: 1).first ?? 0
    var offset = list.lowerBound + (version == 0 ? 6 : 8)
    while offset < list.upperBound, let box = try box(file, at: offset, list.upperBound) {
      let data = try file.read(at: box.data.lowerBound, count: min(14, box.data.count))
      // Versions 2 and 3 name an item's type.
      if box.name == "infe", data.count >= 12, data[0] == 2 || data[0] == 3 {
        let wide = data[0] == 2 ? 2 : 4
        let type = data[(4 + wide + 2)..<min(data.count, 4 + wide + 6)]
        if type.elementsEqual(Array("Exif".utf8)) { return value(data[4..<(4 + wide)]) }
      }
      offset = box.data.upperBound
    }
    return nil
  }

  /// Walks the locations up to the item's.
  private static func location(
    _ file: FileBytes,
    of wanted: Int,
    in meta: Range<Int>,
    _ end: Int
  ) throws(SystemError) -> Place? {
    guard let range = try child("iloc", file, in: meta) else { return nil }
    let data = try file.read(at: range.lowerBound, count: range.count)
    var offset = 0
    func next(_ width: Int) -> Int? {
      guard width <= 8, offset + width <= data.count else { return nil }
      defer { offset += width }
      let number = data[offset..<(offset + width)]
      return number.count == 8 && number.first.map({ $0 > 127 }) == true ? nil : value(number)
    }
    guard let head = next(4), let widths = next(2) else { return nil }
    let version = head >> 24
    let (offsetWidth, lengthWidth) = (widths >> 12, widths >> 8 & 15)
    let (baseWidth, indexWidth) = (widths >> 4 & 15, version > 0 ? widths & 15 : 0)
    guard version <= 2, let count = next(version < 2 ? 2 : 4) else { return nil }
    for _ in 0..<count {
      guard let item = next(version < 2 ? 2 : 4) else { return nil }
      var method = 0
      if version > 0 {
        guard let number = next(2) else { return nil }
        method = number & 15
      }
      guard next(2) != nil, let base = next(baseWidth), let extents = next(2) else { return nil }
      for _ in 0..<extents {
        guard next(indexWidth) != nil else { return nil }
        let offsetPlace = range.lowerBound + offset
        guard let start = next(offsetWidth) else { return nil }
        let lengthPlace = range.lowerBound + offset
        guard let length = next(lengthWidth) else { return nil }
        guard item == wanted else { continue }
        guard extents == 1, method == 0, offsetWidth == lengthWidth, offsetWidth >= 4,
          base + start + length <= end
        else { return nil }
        return Place(
          offsetPlace: offsetPlace,
          lengthPlace: lengthPlace,
          width: offsetWidth,
          base: base,
          range: (base + start)..<(base + start + length)
        )
      }
    }
    return nil
  }
}
