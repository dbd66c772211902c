/// The strips or tiles that the pixels of a TIFF's page stand in (TIFF 6.0, sections 3 and 15).
struct TIFFPieces {
  struct Piece {
    let index: Int
    /// The first of its rows in the page.
    let row: Int
    /// In bytes.
    let offset: Int
    /// Of it, in the file.
    let isThere: Int
    /// In bytes.
    let needed: Int
  }

  private enum Tag {
    static let width = 256
    static let height = 257
    static let bits = 258
    static let compression = 259
    static let photometric = 262
    static let samples = 277
    static let rows = 278
    static let planes = 284
    static let tileWidth = 322
    static let tileHeight = 323
    static let strips = (offsets: 273, counts: 279)
    static let tiles = (offsets: 324, counts: 325)
  }

  /// No picture of more is opened.
  private static let longestSide = 1 << 24

  /// Where their offsets and lengths stand.
  let offsets: TIFFStructure.Entry
  let counts: TIFFStructure.Entry
  /// Neither compressed nor with less chroma than luma: a row's length is known, and libtiff reads rows
  /// whatever length a piece is said to have.
  let isPlain: Bool
  /// Those that the file does not hold whole.
  let short: [Piece]
  /// One that it holds.
  let whole: Piece?

  /// Nil where the page does not say where its pixels are.
  init?(_ structure: TIFFStructure, page: Int, fileLength: Int) throws {
    let entries = try structure.directory(page: page).entries
    func entry(_ tag: Int) -> TIFFStructure.Entry? { entries.first { $0.tag == tag } }
    func value(_ tag: Int) throws -> Int? {
      try entry(tag).flatMap { try structure.values(of: $0).first }
    }
    let isTiled = entry(Tag.tiles.offsets) != nil
    let tags = isTiled ? Tag.tiles : Tag.strips
    guard let offsets = entry(tags.offsets), let counts = entry(tags.counts),
      let width = try value(isTiled ? Tag.tileWidth : Tag.width), width > 0,
      let pageWidth = try value(Tag.width), let height = try value(Tag.height), height > 0
    else { return nil }
    let rows = try isTiled ? value(Tag.tileHeight) ?? 0 : min(value(Tag.rows) ?? height, height)
    let samples = try value(Tag.planes) == 2 ? 1 : value(Tag.samples) ?? 1
    let bits = try value(Tag.bits) ?? 1
    // With larger numbers what follows would not fit into a word.
    guard rows > 0, [width, pageWidth, height, rows].allSatisfy({ $0 <= Self.longestSide }),
      samples <= 1 << 10, bits <= 64
    else { return nil }
    self.offsets = offsets
    self.counts = counts
    let isPlain = try value(Tag.compression) ?? 1 == 1 && value(Tag.photometric) != 6
    self.isPlain = isPlain
    let rowLength = (width * samples * bits + 7) / 8
    let across = isTiled ? (pageWidth + width - 1) / width : 1
    let inPlane = across * ((height + rows - 1) / rows)
    let starts = try structure.values(of: offsets)
    let lengths = try structure.values(of: counts)
    let all = zip(starts, lengths).enumerated().map { index, piece in
      let row = index % inPlane / across * rows
      let own = isTiled ? rows : min(rows, height - row)
      let needed = isPlain ? own * rowLength : piece.1
      let isThere = max(0, min(needed, fileLength - piece.0))
      return Piece(index: index, row: row, offset: piece.0, isThere: isThere, needed: needed)
    }
    short = all.filter { $0.isThere < $0.needed }
    whole = all.first { $0.isThere == $0.needed }
  }

  /// Writes elsewhere where a piece is.
  func set(
    _ piece: Piece,
    offset: Int,
    count: Int,
    in bytes: inout [UInt8],
    _ structure: TIFFStructure
  ) {
    for (entry, number) in [(offsets, offset), (counts, count)] {
      let start = entry.place + piece.index * entry.size
      bytes.replaceSubrange(
        start..<(start + entry.size),
        with: structure.bytes(of: number, entry.size)
      )
    }
  }
}
