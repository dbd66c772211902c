/// The directories of a TIFF file as numbers (TIFF 6.0, section 2; BigTIFF).
struct TIFFStructure {
  /// Reads so many bytes from an offset; fewer at the end of the file.
  typealias Reading = (_ offset: Int, _ count: Int) throws -> [UInt8]

  /// What a file that is no TIFF, or is broken, is told by.
  struct Broken: Error {}

  /// One entry of a directory.
  struct Entry: Equatable {
    let tag: Int
    let type: Int
    let count: Int
    /// Where the values are; in the entry itself where they fit into it.
    let place: Int
    /// Where the entry has the offset of its values; nil where it has the values.
    let pointer: Int?

    /// Bytes of one value; 0 for a type that nobody knows.
    var size: Int { Self.sizes.indices.contains(type) ? Self.sizes[type] : 0 }

    /// By the number of the type; 16 to 18 are BigTIFF's.
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
  }

  struct Directory {
    let entries: [Entry]
    /// Where the offset of the next directory stands.
    let link: Int
    /// 0 for none.
    let next: Int
  }

  let isLittle: Bool
  let isBig: Bool
  /// Where the offset of the first directory stands.
  var firstLink: Int { isBig ? 8 : 4 }
  /// Bytes of an offset.
  var width: Int { isBig ? 8 : 4 }
  private let read: Reading

  init(_ read: @escaping Reading) throws {
    self.read = read
    let head = try read(0, 8)
    guard head.count == 8 else { throw Broken() }
    switch (head[0], head[1]) {
    case (0x49, 0x49): isLittle = true
    case (0x4d, 0x4d): isLittle = false
    default: throw Broken()
    }
    switch head[isLittle ? 2 : 3] {
    case 42: isBig = false
    case 43: isBig = true
    default: throw Broken()
    }
  }

  func number(at offset: Int, _ size: Int) throws -> Int {
    let bytes = try read(offset, size)
    guard bytes.count == size else { throw Broken() }
    return try number(bytes[...])
  }

  /// The bytes of a number in the file's order.
  func bytes(of number: Int, _ size: Int) -> [UInt8] {
    let little = (0..<size).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    return isLittle ? little : little.reversed()
  }

  func directory(at offset: Int) throws -> Directory {
    let (head, length) = isBig ? (8, 20) : (2, 12)
    let count = try number(at: offset, head)
    guard count < 1 << 16 else { throw Broken() }
    let bytes = try read(offset + head, count * length)
    guard bytes.count == count * length else { throw Broken() }
    let entries = try (0..<count).map { index in
      let start = index * length
      let value = start + length - width
      let type = try number(bytes[(start + 2)..<(start + 4)])
      let amount = try number(bytes[(start + 4)..<value])
      let entry = Entry(
        tag: try number(bytes[start..<(start + 2)]),
        type: type,
        count: amount,
        place: offset + head + value,
        pointer: nil
      )
      let (total, overflow) = amount.multipliedReportingOverflow(by: entry.size)
      if overflow { throw Broken() }
      if total <= width { return entry }
      return Entry(
        tag: entry.tag,
        type: type,
        count: amount,
        place: try number(bytes[value..<(value + width)]),
        pointer: entry.place
      )
    }
    let link = offset + head + count * length
    return Directory(entries: entries, link: link, next: try number(at: link, width))
  }

  /// The whole numbers of an entry.
  func values(of entry: Entry) throws -> [Int] {
    guard entry.size > 0, entry.count < 1 << 24 else { throw Broken() }
    let bytes = try read(entry.place, entry.count * entry.size)
    guard bytes.count == entry.count * entry.size else { throw Broken() }
    return try stride(from: 0, to: bytes.count, by: entry.size).map {
      try number(bytes[$0..<($0 + entry.size)])
    }
  }

  private func number(_ bytes: ArraySlice<UInt8>) throws -> Int {
    let value = (isLittle ? bytes.reversed() : Array(bytes)).reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    guard let number = Int(exactly: value) else { throw Broken() }
    return number
  }
}

extension TIFFStructure {
  private static let newSubfileType = 254
  private static let subfileType = 255
  /// libvips counts no further.
  private static let mostDirectories = 100_000

  /// For each directory of the chain: it is a page, and not a smaller copy or a mask of one.
  ///
  /// The first one always counts as a page.
  func pages() throws -> [Bool] {
    var pages: [Bool] = []
    var seen: Set<Int> = []
    var offset = try number(at: firstLink, width)
    while offset != 0, seen.insert(offset).inserted, pages.count < Self.mostDirectories {
      let directory = try directory(at: offset)
      pages.append(try pages.isEmpty || isPage(directory))
      offset = directory.next
    }
    return pages
  }

  /// The directory of a page has luma and chroma in planes of their own, and not as JPEG.
  ///
  /// libvips 8.14 takes those for red, green and blue.
  func hasSeparateChroma(page: Int) throws -> Bool {
    let entries = try directory(page: page).entries
    func value(_ tag: Int) throws -> Int? {
      try entries.first { $0.tag == tag && $0.count == 1 }.flatMap { try values(of: $0).first }
    }
    // Photometric interpretation, planar configuration, compression (TIFF 6.0, sections 8 and 21).
    return try value(262) == 6 && value(284) == 2 && ![6, 7].contains(value(259) ?? 1)
  }

  /// By libvips' number of the page.
  func directory(page: Int) throws -> Directory {
    var offset = try number(at: firstLink, width)
    for _ in 0..<page { offset = try directory(at: offset).next }
    return try directory(at: offset)
  }

  private func isPage(_ directory: Directory) throws -> Bool {
    for entry in directory.entries {
      // Bit 0: a smaller copy; bit 2: a mask.
      if entry.tag == Self.newSubfileType { return try values(of: entry).first.map { $0 & 5 } == 0 }
      if entry.tag == Self.subfileType { return try values(of: entry).first != 2 }
    }
    return true
  }
}
