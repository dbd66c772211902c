import MinilabKit

/// A piece that the bands have reached.
///
/// Sendable because it is part of a canvas's progress, which one thread at a time has.
final class OpenPiece: @unchecked Sendable {
  private let reader: BandReader
  private let maskReader: BandReader?
  let area: PixelRectangle
  let mode: BlendMode
  let opacity: Double
  let bands: Int
  /// Nothing of what lies below it is seen.
  let isOpaque: Bool
  /// Pieces of so many pixels are held in memory, which closes their files; larger ones stream.
  private static let small = 1 << 18
  /// The same for those at an angle: 300 of 1000 × 1000 pixels on 20000 × 20000 took 2.8 GB as
  /// streams, and a tenth of that in memory.
  private static let smallTurned = 1 << 22
  /// As long as no more than so many do: a process has a limit of open files.
  private static let mostStreams = 100

  /// Its pixels are held; else they stream.
  ///
  /// `others`: how many are open already.
  static func isHeld(_ area: PixelRectangle, isTurned: Bool, besides others: Int = 0) -> Bool {
    area.width * area.height <= (isTurned ? smallTurned : small) || others >= mostStreams
  }

  /// `others`: how many are open already.
  init(_ piece: Piece, besides others: Int) throws {
    let isHeld = Self.isHeld(piece.area, isTurned: piece.isTurned, besides: others)
    let made = try piece.pixels()
    let image = try isHeld ? made.inMemory() : made
    area = piece.area
    mode = piece.mode
    opacity = piece.opacity
    reader = BandReader(image)
    maskReader = try piece.mask.map { BandReader(try $0()) }
    bands = image.bands
    let covers = mode == .over || mode == .source
    isOpaque = covers && opacity >= 1 && !image.hasAlpha && maskReader == nil
  }

  /// The samples of the present band.
  var rows: [UInt8] { reader.rows }
  /// How much of each pixel of the present band is seen; nil where all is.
  var mask: [UInt8]? { maskReader?.rows }

  /// `top`: on the canvas.
  func read(from top: Int, count: Int) throws {
    try reader.read(from: top - area.y, count: count)
    try maskReader?.read(from: top - area.y, count: count)
  }
}

/// Rows of a picture, copied band by band.
private final class BandReader {
  private let reader: RowReader
  private let rowLength: Int
  private(set) var rows: [UInt8] = []

  init(_ image: Image) {
    reader = RowReader(image)
    rowLength = image.width * image.bands * (image.format == .ushort ? 2 : 1)
  }

  func read(from top: Int, count: Int) throws {
    rows.removeAll(keepingCapacity: true)
    rows.reserveCapacity(rowLength * count)
    try reader.rows(from: top, count: count) { row in
      for index in 0..<count {
        rows.append(contentsOf: UnsafeRawBufferPointer(start: row(index), count: rowLength))
      }
    }
  }
}
