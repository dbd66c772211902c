/// A point of the plane, in pixels, origin top left, y downwards: (0.5, 0.5) is the middle of the
/// first pixel.
public struct Point: Sendable, Hashable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

extension Point {
  static func + (left: Point, right: Point) -> Point {
    Point(x: left.x + right.x, y: left.y + right.y)
  }

  static func - (left: Point, right: Point) -> Point {
    Point(x: left.x - right.x, y: left.y - right.y)
  }

  static func * (left: Point, factor: Double) -> Point {
    Point(x: left.x * factor, y: left.y * factor)
  }

  /// The point so far along the way to another: 0 is here, 1 is there.
  func mixed(with other: Point, at t: Double) -> Point { self + (other - self) * t }
}

/// An upright rectangle with edges between pixels as well as on them.
public struct Box: Sendable, Hashable {
  public var left: Double
  public var top: Double
  public var right: Double
  public var bottom: Double

  public init(left: Double, top: Double, right: Double, bottom: Double) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
  }

  /// The smallest box around points; nil around none.
  public init?(around points: some Sequence<Point>) {
    var box: Box?
    for point in points {
      box.take(point)
    }
    guard let box else { return nil }
    self = box
  }

  public var width: Double { right - left }
  public var height: Double { bottom - top }
  public var center: Point { Point(x: (left + right) / 2, y: (top + bottom) / 2) }

  /// The smallest box around both.
  public func union(_ other: Box) -> Box {
    Box(
      left: min(left, other.left),
      top: min(top, other.top),
      right: max(right, other.right),
      bottom: max(bottom, other.bottom)
    )
  }

  func intersects(_ other: Box) -> Bool {
    left <= other.right && other.left <= right && top <= other.bottom && other.top <= bottom
  }

  /// The box with each edge moved outwards.
  func expanded(by distance: Double) -> Box {
    Box(
      left: left - distance,
      top: top - distance,
      right: right + distance,
      bottom: bottom + distance
    )
  }
}

extension Box? {
  /// Grows to hold a point.
  mutating func take(_ point: Point) {
    let box = Box(left: point.x, top: point.y, right: point.x, bottom: point.y)
    self = self.map { $0.union(box) } ?? box
  }
}
