import MinilabKit

/// An axis-aligned geometry in the raster's own axes: the part that is taken, and the turn that
/// comes after.
struct StoredAxes {
  let x: Double
  let y: Double
  /// Of the result, before the turn.
  let width: Int
  let height: Int
  /// Raster pixels for one pixel of the result.
  let factorX: Double
  let factorY: Double
  let orientation: Orientation
  private let source: Size

  init(_ geometry: Geometry) {
    let map = geometry.map
    source = geometry.source
    let isSwapped = map.xx == 0
    let start = map(x: 0, y: 0)
    let end = map(x: Double(geometry.size.width), y: Double(geometry.size.height))
    width = isSwapped ? geometry.size.height : geometry.size.width
    height = isSwapped ? geometry.size.width : geometry.size.height
    (x, factorX) = Self.axis(start.x, end.x, width, geometry.source.width)
    (y, factorY) = Self.axis(start.y, end.y, height, geometry.source.height)
    let signs = (isSwapped, end.x < start.x, end.y < start.y)
    orientation =
      switch signs {
      case (false, false, false): .up
      case (false, true, false): .upMirrored
      case (false, true, true): .down
      case (false, false, true): .downMirrored
      case (true, false, false): .leftMirrored
      case (true, false, true): .right
      case (true, true, true): .rightMirrored
      case (true, true, false): .left
      }
  }

  /// Where the axis begins, and its factor.
  ///
  /// A raster that is less than one pixel of the result gives that pixel its average: what a kernel
  /// would read around it is nothing but its edge, repeated.
  private static func axis(
    _ start: Double,
    _ end: Double,
    _ count: Int,
    _ side: Int
  ) -> (offset: Double, factor: Double) {
    let first = min(start, end)
    let factor = snapped(abs(end - start) / Double(count))
    let length = Double(side)
    guard factor > length else { return (settled(first), factor) }
    let pixel = ((length / 2 - first) / factor).rounded(.down)
    return (-pixel * length, length)
  }

  /// The axis becomes shorter, or stays, in a way that a box and `reduce` can bring about.
  var canReduceX: Bool { Self.canReduce(x, factorX, width, of: source.width) }
  var canReduceY: Bool { Self.canReduce(y, factorY, height, of: source.height) }

  /// How far the window of an axis may be beside its place, in samples, before an interpolation, which
  /// is exact, takes its part.
  private static let mostError = 0.1
  /// From here on an interpolation would skip too much of what it should average.
  private static let mostInterpolated = 1.3

  private static func canReduce(
    _ offset: Double,
    _ factor: Double,
    _ count: Int,
    of length: Int
  ) -> Bool {
    if factor < 1 { return false }
    if factor >= mostInterpolated { return true }
    let window = AxisWindow(offset: offset, factor: factor, count: count, length: length)
    return window.error <= mostError
  }

  /// Whole pixels at their own size.
  var isCut: Bool {
    factorX == 1 && factorY == 1 && x == x.rounded() && y == y.rounded()
  }
}

/// An edge that is a whole pixel's but for rounding must count as that.
private func settled(_ edge: Double) -> Double {
  abs(edge - edge.rounded()) < 1e-6 ? edge.rounded() : edge
}

/// A factor that is 1 but for rounding must count as 1.
func snapped(_ factor: Double) -> Double {
  abs(factor - 1) < 1e-9 ? 1 : factor
}
