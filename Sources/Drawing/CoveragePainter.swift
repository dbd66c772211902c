internal import Glibc

/// How much of each pixel of a plane an outline covers, for planes of any size.
///
/// Cairo looks at 15 lines of points in a row of pixels, so that an edge may be off by a thirtieth of
/// a pixel. Here a row is drawn as eight and averaged.
///
/// Whatever windows are asked for, the plane is drawn in the same strips of columns and rows, so that
/// a pixel is the same in all of them.
///
/// To be used by one thread at a time; each thread makes its own.
public final class CoveragePainter {
  public enum Style: Sendable, Equatable {
    /// What lies inside, by the even-odd rule.
    case fill
    /// A line of this width along the outline, half of it on either side.
    case stroke(width: Double, join: Canvas.Join)

    /// How far from the outline it draws.
    var reach: Double {
      switch self {
      case .fill: 1
      case .stroke(let width, _): width * 2 + 1
      }
    }
  }

  /// A part of the plane whose coordinates a canvas can count.
  private struct Cell: Hashable {
    let column: Int
    let block: Int
  }

  private struct Strip: Hashable {
    let column: Int
    let row: Int
  }

  /// Rows drawn for one.
  private static let oversampling = 8
  /// Rows of a strip.
  private static let stripHeight = 16
  /// Rows in which lines are cut off at the same place: a canvas counts eight million of its own.
  private static let blockHeight = 1 << 17
  /// How far beyond a cell lines are kept as they are.
  private static let margin = Double(1 << 18)
  /// Columns, where one canvas cannot hold the plane's width.
  private static let columnWidth = 1 << 14

  private let outline: Outline
  private let style: Style
  private let reach: Box?
  private let width: Int
  private let height: Int

  private var lines: (cell: Cell, polylines: [Polyline])?
  private var canvas: Canvas?
  private var strips: [Strip: [UInt8]] = [:]
  private var order: [Strip] = []

  /// Draws on a plane of that size, in pixels.
  public init(_ outline: Outline, _ style: Style = .fill, width: Int, height: Int) {
    self.outline = outline
    self.style = style
    self.width = width
    self.height = height
    reach = outline.bounds?.expanded(by: style.reach)
  }

  private var columnWidth: Int { width <= Canvas.longestSide ? max(1, width) : Self.columnWidth }

  /// Writes the coverage of a rectangle of the plane, a byte a pixel.
  ///
  /// `bytes`: the bytes of a row of the rectangle, counted from its top.
  public func paint(
    left: Int,
    top: Int,
    width: Int,
    height: Int,
    into bytes: (_ row: Int) -> UnsafeMutableRawBufferPointer
  ) throws(DrawingError) {
    let rows = (top / Self.stripHeight)...((top + height - 1) / Self.stripHeight)
    let columns = (left / columnWidth)...((left + width - 1) / columnWidth)
    let room = max(16, rows.count * columns.count)
    for row in rows {
      for column in columns {
        let strip = try strip(Strip(column: column, row: row), room: room)
        let origin = column * columnWidth
        let start = max(left, origin)
        let end = min(left + width, origin + columnWidth)
        for y in max(top, row * Self.stripHeight)..<min(top + height, (row + 1) * Self.stripHeight)
        {
          let first = (y - row * Self.stripHeight) * columnWidth + (start - origin)
          let target = UnsafeMutableRawBufferPointer(
            rebasing: bytes(y - top)[(start - left)..<(end - left)]
          )
          strip.withUnsafeBytes {
            target.copyMemory(
              from: UnsafeRawBufferPointer(rebasing: $0[first..<(first + end - start)])
            )
          }
        }
      }
    }
  }

  /// All of the plane, row by row.
  public func pixels() throws(DrawingError) -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: width * height)
    guard !pixels.isEmpty else { return pixels }
    let width = width
    try pixels.withUnsafeMutableBufferPointer { (pixels) throws(DrawingError) in
      let buffer = UnsafeMutableRawBufferPointer(pixels)
      try paint(left: 0, top: 0, width: width, height: height) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[($0 * width)..<(($0 + 1) * width)])
      }
    }
    return pixels
  }

  // MARK: Strips

  /// A strip, drawn or remembered: tiles side by side ask for the same rows.
  private func strip(_ strip: Strip, room: Int) throws(DrawingError) -> [UInt8] {
    if let known = strips[strip] { return known }
    while order.count >= room { strips[order.removeFirst()] = nil }
    let drawn = try drawn(strip)
    strips[strip] = drawn
    order.append(strip)
    return drawn
  }

  private func drawn(_ strip: Strip) throws(DrawingError) -> [UInt8] {
    let left = strip.column * columnWidth
    let top = strip.row * Self.stripHeight
    let box = Box(
      left: Double(left),
      top: Double(top),
      right: Double(left + columnWidth),
      bottom: Double(top + Self.stripHeight)
    )
    guard let reach, reach.intersects(box) else {
      return [UInt8](repeating: 0, count: columnWidth * Self.stripHeight)
    }
    let rows = (box.top - style.reach)...(box.bottom + style.reach)
    let lines = polylines(
      Cell(column: strip.column, block: top / Self.blockHeight)
    )
    .map { $0.seen(from: rows) }
    .map { line in
      Polyline(
        points: line.points.map { Point(x: $0.x - box.left, y: $0.y - box.top) },
        isClosed: line.isClosed
      )
    }
    let canvas = try cleared()
    let rowsPerPixel = Double(Self.oversampling)
    switch style {
    case .fill:
      canvas.fill(lines, .black, rowsPerPixel: rowsPerPixel)
    case .stroke(let width, let join):
      canvas.stroke(lines, width: width, join: join, .black, rowsPerPixel: rowsPerPixel)
    }
    try canvas.check()
    return canvas.withRows { averaged($0, $1) } ?? []
  }

  private func cleared() throws(DrawingError) -> Canvas {
    if let canvas {
      try canvas.clear()
      return canvas
    }
    let canvas = try Canvas(
      .coverage,
      width: columnWidth,
      height: Self.stripHeight * Self.oversampling
    )
    self.canvas = canvas
    return canvas
  }

  /// The outline's lines as far as they matter for a cell.
  private func polylines(_ cell: Cell) -> [Polyline] {
    if let lines, lines.cell == cell { return lines.polylines }
    let box = Box(
      left: Double(cell.column * columnWidth),
      top: Double(cell.block * Self.blockHeight),
      right: Double((cell.column + 1) * columnWidth),
      bottom: Double(min(height, (cell.block + 1) * Self.blockHeight))
    )
    let polylines = outline.flattened(
      tolerance: Canvas.tolerance,
      near: box.expanded(by: style.reach)
    )
    .map {
      $0.clamped(to: box.expanded(by: Self.margin))
        .snapped(stepsX: Canvas.steps, stepsY: Canvas.steps * Double(Self.oversampling))
    }
    lines = (cell, polylines)
    return polylines
  }

  // MARK: Averages

  /// Rows are compared in pieces of this many bytes, and averaged only where they differ: along the
  /// outline.
  private static let piece = 64

  private func averaged(_ rows: UnsafePointer<UInt8>, _ stride: Int) -> [UInt8] {
    let width = columnWidth
    return [UInt8](unsafeUninitializedCapacity: width * Self.stripHeight) { result, count in
      guard let base = result.baseAddress else { return }
      for y in 0..<Self.stripHeight {
        let source = rows + y * Self.oversampling * stride
        let target = base + y * width
        var x = 0
        while x < width {
          let length = min(Self.piece, width - x)
          let first = source + x
          let isSame = (1..<Self.oversampling).allSatisfy {
            memcmp(first, first + $0 * stride, length) == 0
          }
          if isSame {
            memcpy(target + x, first, length)
          } else {
            average(first, stride, into: target + x, length)
          }
          x += length
        }
      }
      count = width * Self.stripHeight
    }
  }

  private func average(
    _ source: UnsafePointer<UInt8>,
    _ stride: Int,
    into target: UnsafeMutablePointer<UInt8>,
    _ length: Int
  ) {
    for x in 0..<length {
      var sum = Self.oversampling / 2
      for row in 0..<Self.oversampling { sum += Int(source[row * stride + x]) }
      target[x] = UInt8(sum / Self.oversampling)
    }
  }
}
