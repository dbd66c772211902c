/// A path as data: lines and cubic curves in double precision.
///
/// Filled, each of its parts is closed, and what lies inside an even number of them is outside (the
/// even-odd rule).
public struct Outline: Sendable, Equatable {
  public enum Segment: Sendable, Equatable {
    /// Begins a part.
    case move(Point)
    case line(Point)
    /// A cubic Bézier curve, by its two control points and its end.
    case curve(Point, Point, Point)
    /// A line back to where the part began.
    case close
  }

  public private(set) var segments: [Segment] = []
  /// Where the next segment begins.
  private var current = Point(x: 0, y: 0)
  /// Where the present part began.
  private var start = Point(x: 0, y: 0)

  public init() {}

  public var isEmpty: Bool { segments.isEmpty }

  // MARK: Drawing it

  /// Begins a new part.
  public mutating func move(to point: Point) {
    segments.append(.move(point))
    current = point
    start = point
  }

  public mutating func line(to point: Point) {
    beginAgainIfClosed()
    segments.append(.line(point))
    current = point
  }

  /// A cubic Bézier curve.
  public mutating func curve(_ first: Point, _ second: Point, to end: Point) {
    beginAgainIfClosed()
    segments.append(.curve(first, second, end))
    current = end
  }

  /// A quadratic Bézier curve, as the cubic one that is the same.
  public mutating func quadratic(_ control: Point, to end: Point) {
    curve(current.mixed(with: control, at: 2 / 3), end.mixed(with: control, at: 2 / 3), to: end)
  }

  /// Draws a line back to where the part began.
  public mutating func close() {
    guard let last = segments.last, last != .close else { return }
    segments.append(.close)
    current = start
  }

  /// What is drawn behind a closed part begins where that part began.
  private mutating func beginAgainIfClosed() {
    if segments.isEmpty || segments.last == .close { segments.append(.move(start)) }
  }

  /// Adds the parts of another outline: where both are filled, neither is.
  public mutating func append(_ other: Outline) {
    segments += other.segments
    current = other.current
    start = other.start
  }

  // MARK: What it is

  /// The outline with every part closed, as a fill takes it.
  public func closed() -> Outline {
    var outline = Outline()
    for segment in segments {
      if case .move = segment { outline.close() }
      outline.segments.append(segment)
    }
    outline.close()
    outline.current = current
    outline.start = start
    return outline
  }

  /// The outline seen through a map of the plane.
  public func transformed(by map: AffineMap) -> Outline {
    var outline = self
    outline.segments = segments.map { segment in
      switch segment {
      case .move(let point): .move(map(point))
      case .line(let point): .line(map(point))
      case .curve(let first, let second, let end): .curve(map(first), map(second), map(end))
      case .close: .close
      }
    }
    outline.current = map(current)
    outline.start = map(start)
    return outline
  }

  /// The smallest upright box that holds all of it; nil where it is empty.
  ///
  /// A curve counts as far as it reaches, not as its control points do.
  public var bounds: Box? {
    var box: Box?
    for curve in pieces {
      box.take(curve.start)
      box.take(curve.end)
      for t in curve.extrema { box.take(curve.point(at: t)) }
    }
    return box
  }

  /// All lines and curves as curves; a line's control points are its ends.
  var pieces: [Curve] {
    var pieces: [Curve] = []
    var current = Point(x: 0, y: 0)
    var start = current
    for segment in segments {
      switch segment {
      case .move(let point):
        start = point
        current = point
      case .line(let point):
        pieces.append(Curve(line: current, point))
        current = point
      case .curve(let first, let second, let end):
        pieces.append(Curve(start: current, first: first, second: second, end: end))
        current = end
      case .close:
        pieces.append(Curve(line: current, start))
        current = start
      }
    }
    return pieces
  }
}
