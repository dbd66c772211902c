import MinilabKit

/// A band cut into cells from left to right: in each of them the same pieces lie on each other.
///
/// Most cells of a sheet of tiles show one opaque picture, or nothing: those are copied.
struct Cells {
  /// A piece as a cell sees it.
  private struct Stratum {
    let mode: BlendMode
    /// Nil where the cell lies outside it: it then counts as transparent.
    let piece: OpenPiece?
  }

  private struct Cell {
    let left: Int
    let right: Int
    /// The lowest first; what is hidden altogether is left out.
    var strata: [Stratum] = []
    /// The ground is seen, or mixes with what is.
    var showsGround = true
  }

  private let canvas: BandedCanvas
  private let cells: [Cell]
  /// A row of the canvas with nothing on it.
  private let bareRow: [UInt8]

  /// `open`: the pieces that the band crosses, by their places among the canvas's.
  init(of canvas: BandedCanvas, open: [Int: OpenPiece]) {
    self.canvas = canvas
    bareRow =
      canvas.form.isDeep
      ? Self.bareRow(of: canvas, UInt16.self) : Self.bareRow(of: canvas, UInt8.self)
    let counting: [Stratum] = canvas.pieces.indices.compactMap { index in
      let mode = canvas.pieces[index].mode
      guard open[index] != nil || mode.reachesBeyondItsBox else { return nil }
      return Stratum(mode: mode, piece: open[index])
    }
    var edges: Set<Int> = [0, canvas.size.width]
    for piece in open.values { edges.formUnion([piece.area.x, piece.area.x + piece.area.width]) }
    let sorted = edges.sorted()
    cells = zip(sorted, sorted.dropFirst()).map { left, right in
      var cell = Cell(left: left, right: right)
      for stratum in counting {
        if let piece = stratum.piece, piece.covers(left, right) {
          if piece.isOpaque {
            cell.strata = []
            cell.showsGround = false
          }
          cell.strata.append(stratum)
        } else if stratum.mode.reachesBeyondItsBox {
          cell.strata.append(Stratum(mode: stratum.mode, piece: nil))
        }
      }
      return cell
    }
  }

  // MARK: Drawing

  private static func bareRow<Sample: FixedWidthInteger & UnsignedInteger>(
    of canvas: BandedCanvas,
    _ type: Sample.Type
  ) -> [UInt8] {
    let pixel = Samples<Sample>.stored(canvas.ground, isGray: canvas.form.isGray)
    let levels = (0..<canvas.bands).map { Sample(truncatingIfNeeded: pixel[$0]) }
    let bytes = levels.withUnsafeBytes { Array($0) }
    return Array(repeatElement(bytes, count: canvas.size.width).joined())
  }

  func draw<Sample: FixedWidthInteger & UnsignedInteger>(
    into samples: UnsafeMutableBufferPointer<Sample>,
    height: Int
  ) {
    guard let base = samples.baseAddress else { return }
    let stride = canvas.size.width * canvas.bands
    var mixed = [Pixel](repeating: .zero, count: canvas.size.width)
    for cell in cells {
      for y in 0..<height {
        let target = base + y * stride + cell.left * canvas.bands
        draw(cell, y, into: target, &mixed)
      }
    }
  }

  private func draw<Sample: FixedWidthInteger & UnsignedInteger>(
    _ cell: Cell,
    _ y: Int,
    into target: UnsafeMutablePointer<Sample>,
    _ mixed: inout [Pixel]
  ) {
    let count = cell.right - cell.left
    if cell.strata.isEmpty {
      bareRow.withUnsafeBytes { bytes in
        guard let row = bytes.bindMemory(to: Sample.self).baseAddress else { return }
        target.update(from: row, count: count * canvas.bands)
      }
      return
    }
    if let only = cell.strata.first?.piece, cell.strata.count == 1, !cell.showsGround {
      copy(only, cell, y, to: target)
      return
    }
    if let only = bare(cell) {
      copyBare(only, cell, y, to: target)
      return
    }
    let ground = cell.showsGround ? canvas.ground.premultiplied : .zero
    mixed.withUnsafeMutableBufferPointer { mixed in
      for x in 0..<count { mixed[x] = ground }
      for stratum in cell.strata { mix(stratum, cell, y, Sample.self, into: mixed) }
      for x in 0..<count {
        let pixel = Samples<Sample>.stored(mixed[x].straight, isGray: canvas.form.isGray)
        Samples.put(pixel, target + x * canvas.bands, canvas.bands)
      }
    }
  }

  /// The row of an opaque piece as it is.
  private func copy<Sample: FixedWidthInteger & UnsignedInteger>(
    _ piece: OpenPiece,
    _ cell: Cell,
    _ y: Int,
    to target: UnsafeMutablePointer<Sample>
  ) {
    let count = cell.right - cell.left
    piece.row(y, from: cell.left, Sample.self) { source in
      if piece.bands == canvas.bands {
        target.update(from: source, count: count * canvas.bands)
        return
      }
      for x in 0..<count {
        let pixel = target + x * canvas.bands
        pixel.update(from: source + x * piece.bands, count: piece.bands)
        pixel[piece.bands] = .max
      }
    }
  }

  /// The only piece of a cell, where it lies on nothing: what it would be mixed to it is already.
  private func bare(_ cell: Cell) -> OpenPiece? {
    guard cell.strata.count == 1, cell.strata[0].mode == .over, canvas.hasAlpha,
      canvas.ground.alpha == 0,
      let piece = cell.strata[0].piece, piece.opacity >= 1, piece.mask == nil,
      piece.bands == canvas.bands
    else { return nil }
    return piece
  }

  /// A row of it; where nothing is seen, there is no color.
  private func copyBare<Sample: FixedWidthInteger & UnsignedInteger>(
    _ piece: OpenPiece,
    _ cell: Cell,
    _ y: Int,
    to target: UnsafeMutablePointer<Sample>
  ) {
    let bands = piece.bands
    piece.row(y, from: cell.left, Sample.self) { source in
      for x in 0..<(cell.right - cell.left) {
        let (pixel, own) = (target + x * bands, source + x * bands)
        if own[bands - 1] == 0 {
          pixel.update(repeating: 0, count: bands)
        } else {
          pixel.update(from: own, count: bands)
        }
      }
    }
  }

  /// Mixes one row of a piece with what lies below it.
  private func mix<Sample: FixedWidthInteger & UnsignedInteger>(
    _ stratum: Stratum,
    _ cell: Cell,
    _ y: Int,
    _ type: Sample.Type,
    into mixed: UnsafeMutableBufferPointer<Pixel>
  ) {
    let count = cell.right - cell.left
    let mode = stratum.mode
    guard let piece = stratum.piece else {
      for x in 0..<count { mixed[x] = mode.mixed(.zero, on: mixed[x]) }
      return
    }
    let opacity = piece.opacity
    piece.row(y, from: cell.left, type) { source in
      piece.maskRow(y, from: cell.left) { mask in
        for x in 0..<count {
          let layer = Samples.pixel(at: source + x * piece.bands, bands: piece.bands)
          let seen = mask.map { Double($0[x]) / 255 * opacity } ?? opacity
          mixed[x] = mode.mixed(layer.with(alpha: layer.alpha * seen), on: mixed[x])
        }
      }
    }
  }
}

extension OpenPiece {
  fileprivate func covers(_ left: Int, _ right: Int) -> Bool {
    area.x <= left && right <= area.x + area.width
  }

  /// The samples of a row from a column on.
  ///
  /// `y`: in the band. `left`: on the canvas.
  fileprivate func row<Sample>(
    _ y: Int,
    from left: Int,
    _ type: Sample.Type,
    _ body: (UnsafePointer<Sample>) -> Void
  ) {
    rows.withUnsafeBytes { bytes in
      guard let base = bytes.bindMemory(to: type).baseAddress else { return }
      body(base + (y * area.width + left - area.x) * bands)
    }
  }

  /// The same of the mask; nil where there is none.
  fileprivate func maskRow(_ y: Int, from left: Int, _ body: (UnsafePointer<UInt8>?) -> Void) {
    guard let mask else { return body(nil) }
    mask.withUnsafeBufferPointer {
      body($0.baseAddress.map { $0 + y * area.width + left - area.x })
    }
  }
}

/// How pixels are stored, as whole numbers.
private enum Samples<Sample: FixedWidthInteger & UnsignedInteger> {
  @inline(__always) private static var maximum: Double { Double(Sample.max) }

  @inline(__always)
  static func pixel(at samples: UnsafePointer<Sample>, bands: Int) -> Pixel {
    let pixel =
      switch bands {
      case 1: Pixel(Double(samples[0]), Double(samples[0]), Double(samples[0]), maximum)
      case 2: Pixel(Double(samples[0]), Double(samples[0]), Double(samples[0]), Double(samples[1]))
      case 3: Pixel(Double(samples[0]), Double(samples[1]), Double(samples[2]), maximum)
      default: Pixel(Double(samples[0]), Double(samples[1]), Double(samples[2]), Double(samples[3]))
      }
    return pixel / maximum
  }

  /// Rounded; of gray the alpha comes second.
  @inline(__always)
  static func stored(_ pixel: Pixel, isGray: Bool) -> SIMD4<Int32> {
    let levels = (pixel * maximum + 0.5).clamped(
      lowerBound: Pixel.zero,
      upperBound: Pixel(repeating: maximum)
    )
    // One by one: converting the vector, with a rounding, would take three quarters of all the time.
    let whole = SIMD4(Int32(levels[0]), Int32(levels[1]), Int32(levels[2]), Int32(levels[3]))
    return isGray ? SIMD4(whole[0], whole[3], 0, 0) : whole
  }

  @inline(__always)
  static func put(_ levels: SIMD4<Int32>, _ target: UnsafeMutablePointer<Sample>, _ bands: Int) {
    for band in 0..<bands { target[band] = Sample(truncatingIfNeeded: levels[band]) }
  }
}
