import Glibc

/// Which samples to take along one axis so that libvips' `reduce` puts its output exactly where
/// the geometry says.
///
/// `reduce` centers its output grid on its input: with input [a, b) and a factor h, output sample
/// j sits at (a + b)/2 - W·h/2 + (j + 0.5)·h, where W is the rounded output length. There is no
/// argument for an offset, so the offset is chosen by the window: of the windows around the wanted
/// part, the one whose grid comes nearest. What remains is 0.01 samples for half of all offsets and
/// at most a quarter for factors of 1.3 and more, where the factor is a simple fraction and the grids
/// of all windows coincide; at most half a sample below 1.3.
struct AxisWindow: Equatable {
  /// First sample, may be negative: the edge is repeated.
  var start: Int
  /// Behind the last sample, may lie beyond the raster.
  var end: Int
  /// How many output samples come before the first wanted one.
  var skip: Int
  /// How far beside the wanted place the grid lies, in samples.
  var error: Double

  /// - Parameters:
  ///   - offset: where the wanted part begins, in samples.
  ///   - factor: samples for one output sample, 1 or more.
  ///   - count: wanted output samples.
  ///   - length: samples of the raster, where the window need not reach beyond its edges: `reduce`
  ///     repeats them itself.
  init(offset: Double, factor: Double, count: Int, length: Int? = nil) {
    if factor == 1, offset == offset.rounded() {
      (start, end, skip, error) = (Int(offset), Int(offset) + count, 0, 0)
      return
    }
    // Lanczos3 reads three factors to either side.
    let margin = Int((3 * factor).rounded(.up)) + 1
    let first = Int(offset.rounded(.down)) - margin
    let last = Int((offset + Double(count) * factor).rounded(.up)) + margin
    var best = AxisWindow(from: first, to: last, offset, factor, count)
    if let length, first < 0 || last > length {
      let inside = AxisWindow(from: max(0, first), to: min(length, last), offset, factor, count)
      if inside.error <= Self.invisible { best = inside }
    }
    // The smallest windows first.
    search: for extra in 1..<47 where best.error > Self.invisible {
      for left in max(0, extra - 23)...min(extra, 23) {
        let window = AxisWindow(
          from: first - left,
          to: last + extra - left,
          offset,
          factor,
          count
        )
        if window.error < best.error {
          best = window
          if best.error <= Self.invisible { break search }
        }
      }
    }
    self = best
  }

  /// A hundredth of a sample is nearer than anyone can see.
  private static let invisible = 0.01

  /// Where the grid of this window lies; infinitely far off where the wanted part is not in it.
  private init(
    from start: Int,
    to end: Int,
    _ offset: Double,
    _ factor: Double,
    _ count: Int
  ) {
    self.start = start
    self.end = end
    let length = Int((Double(end - start) / factor + 0.5).rounded(.down))
    let origin = Double(start + end) / 2 - Double(length) * factor / 2
    let skip = Int(((offset - origin) / factor).rounded())
    self.skip = max(0, skip)
    error =
      skip >= 0 && skip + count <= length
      ? abs(origin + Double(skip) * factor - offset) : .infinity
  }
}
