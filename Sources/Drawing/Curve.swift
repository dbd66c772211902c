/// A cubic Bézier curve.
struct Curve: Equatable {
  var start: Point
  var first: Point
  var second: Point
  var end: Point

  init(start: Point, first: Point, second: Point, end: Point) {
    self.start = start
    self.first = first
    self.second = second
    self.end = end
  }

  /// A straight one.
  init(line start: Point, _ end: Point) {
    self.init(start: start, first: start, second: end, end: end)
  }

  /// By de Casteljau's algorithm.
  func point(at t: Double) -> Point { split(at: t).before.end }

  func split(at t: Double) -> (before: Curve, after: Curve) {
    let a = start.mixed(with: first, at: t)
    let b = first.mixed(with: second, at: t)
    let c = second.mixed(with: end, at: t)
    let ab = a.mixed(with: b, at: t)
    let bc = b.mixed(with: c, at: t)
    let middle = ab.mixed(with: bc, at: t)
    return (
      Curve(start: start, first: a, second: ab, end: middle),
      Curve(start: middle, first: bc, second: c, end: end)
    )
  }

  /// Where it turns back along x or along y, between its ends: the zeros of its derivative, a
  /// quadratic on each axis.
  var extrema: [Double] {
    zeros(\.x) + zeros(\.y)
  }

  private func zeros(_ axis: KeyPath<Point, Double>) -> [Double] {
    let first = self.first[keyPath: axis] - start[keyPath: axis]
    let second = self.second[keyPath: axis] - self.first[keyPath: axis]
    let third = end[keyPath: axis] - self.second[keyPath: axis]
    // (1 − t)² · first + 2 t (1 − t) · second + t² · third
    let a = first - 2 * second + third
    let b = 2 * (second - first)
    let c = first
    var roots: [Double] = []
    let discriminant = b * b - 4 * a * c
    if discriminant >= 0 {
      // The form that loses no digits where a is small (Press et al., Numerical Recipes, 5.6).
      let q = -0.5 * (b + (b < 0 ? -1 : 1) * discriminant.squareRoot())
      if a != 0 { roots.append(q / a) }
      if q != 0 { roots.append(c / q) }
    }
    return roots.filter { $0 > 0 && $0 < 1 }
  }

  /// The box around all four points, which holds the curve.
  var hull: Box {
    Box(
      left: min(min(start.x, first.x), min(second.x, end.x)),
      top: min(min(start.y, first.y), min(second.y, end.y)),
      right: max(max(start.x, first.x), max(second.x, end.x)),
      bottom: max(max(start.y, first.y), max(second.y, end.y))
    )
  }

  /// Into how many equal pieces of its parameter it must be cut so that none is further from its
  /// chord than this.
  ///
  /// A piece's distance from its chord is at most an eighth of its greatest second derivative
  /// (Wang, Shen, Cohen: 1984).
  func pieceCount(tolerance: Double) -> Int {
    let a = start - first * 2 + second
    let b = first - second * 2 + end
    let bend = 6 * max(a.x * a.x + a.y * a.y, b.x * b.x + b.y * b.y).squareRoot()
    let count = (bend / (8 * tolerance)).squareRoot().rounded(.up)
    return count.isFinite ? max(1, Int(min(count, 1e6))) : 1
  }
}
