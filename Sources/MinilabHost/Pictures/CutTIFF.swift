import MinilabKit
import Vips

/// A page of a TIFF whose strips or tiles are not all there, of which what is there is to be used.
///
/// libvips hands over nothing of a piece that it cannot read whole, nor of some before it. So it is
/// given a file in which there is something in place of each piece.
struct CutTIFF {
  private let bytes: [UInt8]
  /// From the top, that are the page's own; nil where all are, with zeros for what is missing.
  private let rows: Int?

  /// In bytes, of a file: it is held in memory.
  private static let most = 1 << 28

  /// Nil where nothing is missing, or nothing can be used.
  init?(_ data: PictureData, page: Int) throws {
    let structure = try TIFFStructure { try data.read(at: $0, count: $1) }
    let length = data.status.size
    guard length < Self.most,
      let pieces = try TIFFPieces(structure, page: page, fileLength: length),
      let first = pieces.short.map(\.row).min()
    else { return nil }
    if pieces.isPlain {
      let added = pieces.short.reduce(0) { min(Self.most, $0 + $1.needed) }
      guard length + added < Self.most,
        let filled = try Self.filled(data, structure, pieces)
      else { return nil }
      (bytes, rows) = (filled, nil)
    } else {
      guard first > 0, let whole = pieces.whole else { return nil }
      var bytes = try data.read(at: 0, count: length)
      for piece in pieces.short {
        pieces.set(piece, offset: whole.offset, count: whole.needed, in: &bytes, structure)
      }
      (self.bytes, rows) = (bytes, first)
    }
  }

  /// Opens the page as it would be opened, were it whole; what is missing is black.
  func open(_ loader: Loader, _ arguments: [Argument]) throws -> Image {
    let image = try load(loader.operation, from: Source(bytes: bytes), arguments)
    guard let rows else { return image }
    return try image.extractArea(left: 0, top: 0, width: image.width, height: rows)
      .embed(left: 0, top: 0, width: image.width, height: image.height, extend: "black")
  }

  /// What is there of short pieces is put behind the file, with zeros for what is not.
  ///
  /// Nil where the places of pieces are too short to name a place there.
  private static func filled(
    _ data: PictureData,
    _ structure: TIFFStructure,
    _ pieces: TIFFPieces
  ) throws -> [UInt8]? {
    var bytes = try data.read(at: 0, count: data.status.size)
    for piece in pieces.short {
      guard pieces.offsets.size >= 4, pieces.counts.size >= 4 || piece.needed < 1 << 16 else {
        return nil
      }
      if bytes.count % 2 == 1 { bytes.append(0) }
      let place = bytes.count
      bytes += bytes[min(piece.offset, bytes.count)...].prefix(piece.isThere)
      bytes += [UInt8](repeating: 0, count: piece.needed - piece.isThere)
      pieces.set(piece, offset: place, count: piece.needed, in: &bytes, structure)
    }
    return bytes
  }
}
