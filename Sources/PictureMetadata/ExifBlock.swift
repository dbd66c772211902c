/// An EXIF block: directories of entries in a TIFF structure (EXIF 2.32, 4.5; TIFF 6.0, section 2).
///
/// Read with nothing taken for granted: an offset that leads out of the block leads nowhere.
struct ExifBlock {
  /// From the byte order mark on.
  var bytes: [UInt8]
  let order: ByteOrder
  let directories: [Directory]

  struct Directory {
    let kind: ExifDirectoryKind
    let offset: Int
    let entries: [Entry]
    /// Of the next directory in the chain; 0 where this is the last.
    let next: Int

    /// Its own bytes, without those of its values.
    var range: Range<Int> { offset..<(offset + Self.length(entries.count)) }

    /// A count, entries, and the offset of the next directory.
    static func length(_ count: Int) -> Int { 2 + count * 12 + 4 }
  }

  struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    /// Of its twelve bytes.
    let offset: Int
    /// Nil where it would be outside the block, or the type is not known.
    let value: Range<Int>?

    /// The value stands in the entry itself.
    var isInline: Bool { value.map { $0.lowerBound == offset + 8 } ?? false }
  }

  /// Bytes of one value of each type (TIFF 6.0, section 2), by the type's number.
  static let typeLengths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

  /// Nil where the block has no first directory.
  ///
  /// "Exif\0\0" before the structure may be there or not.
  init?(_ block: [UInt8]) {
    let bytes = Self.stripped(block)
    guard bytes.count <= Self.mostBytes, let order = ByteOrder(mark: bytes.prefix(2)),
      bytes.number(at: 2, count: 2, order) == 42,
      let first = bytes.number(at: 4, count: 4, order),
      let picture = Self.directory(.picture, at: first, bytes, order)
    else { return nil }
    self.bytes = bytes
    self.order = order
    var found = [picture]
    func add(_ kind: ExifDirectoryKind, at offset: Int?) {
      guard let offset, !found.contains(where: { $0.offset == offset }),
        let directory = Self.directory(kind, at: offset, bytes, order)
      else { return }
      found.append(directory)
    }
    func pointer(_ tag: Int, in kind: ExifDirectoryKind) -> Int? {
      let entry = found.first { $0.kind == kind }?.entries.first { $0.tag == tag }
      return entry?.value.flatMap { $0.count == 4 ? order.number(bytes[$0]) : nil }
    }
    add(.exposure, at: pointer(ExifNumber.exposureDirectory, in: .picture))
    add(.gps, at: pointer(ExifNumber.gpsDirectory, in: .picture))
    add(.interoperability, at: pointer(ExifNumber.interoperabilityDirectory, in: .exposure))
    var next = picture.next
    // A chain can be a ring: `add` follows no directory twice.
    while next != 0 {
      let count = found.count
      add(.thumbnail, at: next)
      guard found.count > count, count < Self.mostDirectories else { break }
      next = found[count].next
    }
    directories = found
  }

  private static let mostDirectories = 16
  /// Of a block that is read at all; a JPEG's has at most 64 KB.
  static let mostBytes = 1 << 24

  /// Without the "Exif\0\0" that some containers have before the structure.
  static func stripped(_ block: [UInt8]) -> [UInt8] {
    let prefix = Array("Exif\0\0".utf8)
    return block.starts(with: prefix) ? Array(block.dropFirst(prefix.count)) : block
  }

  func directory(_ kind: ExifDirectoryKind) -> Directory? {
    directories.first { $0.kind == kind }
  }

  /// Entries as many as fit into the block; nil where not even their count does.
  static func directory(
    _ kind: ExifDirectoryKind,
    at offset: Int,
    _ bytes: [UInt8],
    _ order: ByteOrder
  ) -> Directory? {
    guard let stated = bytes.number(at: offset, count: 2, order) else { return nil }
    // The offset of the next one may be missing from a block that is cut short.
    let count = min(stated, (bytes.count - offset - 2) / 12)
    let entries = (0..<count).compactMap { entry(at: offset + 2 + $0 * 12, bytes, order) }
    let next = bytes.number(at: offset + 2 + count * 12, count: 4, order) ?? 0
    return Directory(kind: kind, offset: offset, entries: entries, next: next)
  }

  private static func entry(at offset: Int, _ bytes: [UInt8], _ order: ByteOrder) -> Entry? {
    guard let tag = bytes.number(at: offset, count: 2, order),
      let type = bytes.number(at: offset + 2, count: 2, order),
      let count = bytes.number(at: offset + 4, count: 4, order)
    else { return nil }
    var value: Range<Int>?
    if typeLengths.indices.contains(type), type != 0 {
      // At most 2³² × 8.
      let length = count * typeLengths[type]
      let start = length <= 4 ? offset + 8 : bytes.number(at: offset + 8, count: 4, order) ?? 0
      if bytes.slice(at: start, count: length) != nil { value = start..<(start + length) }
    }
    return Entry(tag: tag, type: type, count: count, offset: offset, value: value)
  }

  /// What the block says of a place, or a part of it, stands where no entry leads to: a way leads out
  /// of the block, or there is a second one, or a value is none that can be found.
  var hasLostPlaces: Bool {
    let ways = directories.flatMap(\.entries).count { $0.tag == ExifNumber.gpsDirectory }
    guard let places = directory(.gps) else { return ways > 0 }
    return ways > 1 || places.entries.contains { $0.value == nil }
  }

  /// Nobody can tell whose an entry is: a directory has more of them than fit, or two lie on each other.
  var hasConfusedDirectories: Bool {
    let places = directories.map { $0.offset..<($0.offset + 2 + $0.entries.count * 12) }
    return directories.contains {
      bytes.number(at: $0.offset, count: 2, order) != $0.entries.count
    }
      || places.indices.contains { first in
        places[..<first].contains { $0.overlaps(places[first]) }
      }
  }

  /// The bytes of an entry's value.
  func value(_ entry: Entry) -> ArraySlice<UInt8>? { entry.value.map { bytes[$0] } }

  /// A whole number of one of the types `SHORT` and `LONG`.
  func number(_ entry: Entry) -> Int? {
    guard entry.count == 1, [3, 4].contains(entry.type) else { return nil }
    return value(entry).flatMap { order.number($0) }
  }

  /// The text of a tag up to its ending zero byte; nil where it is not there, or not ASCII.
  func text(_ tag: Int) -> String? {
    for directory in directories where directory.kind == .picture || directory.kind == .exposure {
      guard let entry = directory.entries.first(where: { $0.tag == tag && $0.type == 2 }),
        let value = value(entry)
      else { continue }
      return String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }
    return nil
  }
}
