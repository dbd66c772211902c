import MinilabKit
import Synchronization

/// The canvas, made band by band from top to bottom as somebody asks for its rows.
///
/// In memory are the last rows made, and of the pieces those that the present band crosses: a small
/// one whole, a large one as a stream. Each piece is opened when the bands reach it and closed when
/// they have passed it, so that neither pixels nor open files grow with the number of pieces.
final class BandedCanvas: Sendable {
  let size: Size
  let form: PixelForm
  let hasAlpha: Bool
  /// What lies behind all pieces, straight.
  let ground: Pixel
  /// The lowest first.
  let pieces: [Piece]

  private let progress = Mutex(Progress())

  init(size: Size, form: PixelForm, hasAlpha: Bool, ground: Pixel, pieces: [Piece]) {
    self.size = size
    self.form = form
    self.hasAlpha = hasAlpha
    self.ground = ground
    self.pieces = pieces
  }

  var bands: Int { form.colorBands + (hasAlpha ? 1 : 0) }
  private var rowLength: Int { size.width * bands * (form.isDeep ? 2 : 1) }

  func image() throws -> Image {
    let image = try Image.generated(
      width: size.width,
      height: size.height,
      bands: bands,
      format: form.format
    ) { try self.fill($0) }
    if let profile = form.profile { image.set("icc-profile-data", blob: profile) }
    return image
  }

  // MARK: Bands

  /// Rows made one after the other; 4 MB are worth the work of beginning them.
  private var bandHeight: Int { max(1, min(256, (4 << 20) / rowLength)) }

  private var keptRows: Int { Self.keptRows(rowLength) }

  /// Several threads ask for rows a little apart: so many of the last ones are kept for them.
  private static func keptRows(_ rowLength: Int) -> Int { max(512, (32 << 20) / rowLength) }

  /// What is kept of a canvas of this size at most, in bytes.
  static func held(_ size: Size, pixelBytes: Int) -> Int {
    let rowLength = size.width * pixelBytes
    return min(size.height, keptRows(rowLength)) * rowLength
  }

  /// How far the bands have come.
  ///
  /// Whoever asks for rows that are gone makes them begin again.
  private struct Progress {
    var bands: [Band] = []
    var next = 0
    /// Those that the present band crosses, by their places among the pieces.
    var open: [Int: OpenPiece] = [:]
  }

  private struct Band {
    let top: Int
    let height: Int
    let rows: [UInt8]
  }

  private func fill(_ area: Image.Area) throws {
    try progress.withLock { progress in
      if area.top < progress.bands.first?.top ?? progress.next { progress = Progress() }
      while progress.next < area.top + area.height { try advance(&progress) }
      for index in 0..<area.height {
        copy(area.top + index, area.left, progress, to: area.row(index))
      }
    }
  }

  private func copy(
    _ y: Int,
    _ left: Int,
    _ progress: Progress,
    to row: UnsafeMutableRawBufferPointer
  ) {
    guard let band = progress.bands.last(where: { $0.top <= y }) else { return }
    let start = (y - band.top) * rowLength + left * (rowLength / size.width)
    band.rows.withUnsafeBytes {
      row.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + row.count)]))
    }
  }

  /// Makes the next band: no piece begins or ends inside it.
  private func advance(_ progress: inout Progress) throws {
    let top = progress.next
    var bottom = min(size.height, top + bandHeight)
    for piece in pieces {
      let edges = [piece.area.y, piece.area.y + piece.area.height]
      for edge in edges where edge > top { bottom = min(bottom, edge) }
    }
    let height = bottom - top
    for (index, piece) in pieces.enumerated()
    where piece.area.y <= top && top < piece.area.y + piece.area.height {
      progress.open[index] = try piece.naming {
        let open = try progress.open[index] ?? OpenPiece(piece, besides: progress.open.count)
        try open.read(from: top, count: height)
        return open
      }
    }
    let cells = Cells(of: self, open: progress.open)
    let rows = [UInt8](unsafeUninitializedCapacity: rowLength * height) { buffer, count in
      let all = UnsafeMutableRawBufferPointer(buffer)
      if form.isDeep {
        cells.draw(into: all.bindMemory(to: UInt16.self), height: height)
      } else {
        cells.draw(into: all.bindMemory(to: UInt8.self), height: height)
      }
      count = rowLength * height
    }
    progress.bands.append(Band(top: top, height: height, rows: rows))
    progress.bands.removeAll { $0.top + $0.height <= bottom - keptRows }
    progress.open = progress.open.filter { $0.value.area.y + $0.value.area.height > bottom }
    progress.next = bottom
  }
}
