/// A part of an outline as straight lines.
struct Polyline: Equatable {
  var points: [Point]
  var isClosed: Bool
}

extension Outline {
  /// The outline as straight lines, none further from its curve than `tolerance`.
  ///
  /// A piece of a curve that lies beyond `box` becomes one line: inside the box that changes
  /// neither what is filled nor, where the box is wide enough around, what is stroked.
  func flattened(tolerance: Double, near box: Box) -> [Polyline] {
    var polylines: [Polyline] = []
    var points: [Point] = []
    func finish(closed: Bool) {
      if points.count > 1 { polylines.append(Polyline(points: points, isClosed: closed)) }
      points = []
    }
    for segment in segments {
      switch segment {
      case .move(let point):
        finish(closed: false)
        points = [point]
      case .line(let point):
        points.append(point)
      case .curve(let first, let second, let end):
        guard let start = points.last else { continue }
        Curve(start: start, first: first, second: second, end: end)
          .flatten(into: &points, tolerance: tolerance, near: box)
      case .close:
        finish(closed: true)
      }
    }
    finish(closed: false)
    return polylines
  }
}

extension Curve {
  /// Curves that need more pieces are halved first, so that a half far from the box costs nothing.
  private static let mostPieces = 64

  fileprivate func flatten(into points: inout [Point], tolerance: Double, near box: Box) {
    guard hull.intersects(box) else { return points.append(end) }
    let count = pieceCount(tolerance: tolerance)
    if count > Self.mostPieces {
      let (before, after) = split(at: 0.5)
      before.flatten(into: &points, tolerance: tolerance, near: box)
      after.flatten(into: &points, tolerance: tolerance, near: box)
      return
    }
    for index in 1..<max(1, count) { points.append(point(at: Double(index) / Double(count))) }
    points.append(end)
  }
}

extension Polyline {
  /// The line with all that lies beyond the box moved onto its edge.
  ///
  /// Inside the box a fill is the same. What is left has coordinates that a canvas can count.
  func clamped(to box: Box) -> Polyline {
    guard let bounds = Box(around: points) else { return self }
    if bounds.left >= box.left, bounds.right <= box.right, bounds.top >= box.top,
      bounds.bottom <= box.bottom
    {
      return self
    }
    var clamped: [Point] = []
    let ends = isClosed ? points + points.prefix(1) : points
    for (start, end) in zip(ends, ends.dropFirst()) {
      clamped.append(start.clamped(to: box))
      // Where the line crosses an edge's own line it has a corner.
      let crossings =
        crossings(start.x, end.x, box.left, box.right)
        + crossings(start.y, end.y, box.top, box.bottom)
      for t in crossings.sorted() { clamped.append(start.mixed(with: end, at: t).clamped(to: box)) }
    }
    if !isClosed, let last = points.last { clamped.append(last.clamped(to: box)) }
    return Polyline(points: clamped, isClosed: isClosed)
  }

  private func crossings(_ start: Double, _ end: Double, _ edges: Double...) -> [Double] {
    edges.map { ($0 - start) / (end - start) }.filter { $0 > 0 && $0 < 1 }
  }

  /// The line on a grid of so many steps in a pixel.
  ///
  /// A canvas counts in such steps; rounding here, where the whole plane is seen, gives every window
  /// onto it the same lines.
  func snapped(stepsX: Double, stepsY: Double) -> Polyline {
    Polyline(
      points: points.map {
        Point(x: ($0.x * stepsX).rounded() / stepsX, y: ($0.y * stepsY).rounded() / stepsY)
      },
      isClosed: isClosed
    )
  }

  /// The line without the points that cannot be seen from rows in this range: of those that lie
  /// above the rows one after the other, or below, the first and the last.
  func seen(from rows: ClosedRange<Double>) -> Polyline {
    func side(_ point: Point) -> Int {
      point.y < rows.lowerBound ? -1 : point.y > rows.upperBound ? 1 : 0
    }
    var seen: [Point] = []
    for (index, point) in points.enumerated() {
      let here = side(point)
      if here != 0, index > 0, index + 1 < points.count, side(points[index - 1]) == here,
        side(points[index + 1]) == here
      {
        continue
      }
      seen.append(point)
    }
    return Polyline(points: seen, isClosed: isClosed)
  }
}

extension Point {
  fileprivate func clamped(to box: Box) -> Point {
    Point(x: min(max(x, box.left), box.right), y: min(max(y, box.top), box.bottom))
  }
}
