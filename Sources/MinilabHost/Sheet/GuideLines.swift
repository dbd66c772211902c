import MinilabKit

/// Guides as lines on a picture that is shown smaller: arithmetic alone, in pixels of the sheet.
struct GuideLines {
  /// A line and its width.
  struct Line {
    var outline: Outline
    var width: Double
    /// Of the white; the dark edge beside it is fainter by as much.
    var strength = 1.0
  }

  /// Where a label stands.
  struct Label {
    var text: String
    /// The top left corner of what it names.
    var place: Point
    /// The room there.
    var width: Double
  }

  /// What a crop leaves out; filled by the even-odd rule.
  private(set) var dimmed: Outline?
  private(set) var lines: [Line] = []
  private(set) var labels: [Label] = []
  private let size: Size
  private let scaleX: Double
  private let scaleY: Double

  private let frameWidth: Double
  private let gripWidth: Double
  private let gripLength: Double
  private let dividerWidth: Double
  /// A frame with a shorter side has no room for handles and thirds.
  private static let roomForHandles = 64.0
  private static let roomForThirds = 40.0

  /// - Parameters:
  ///   - guides: In pixels of the frame.
  ///   - frame: The size of what they are about.
  ///   - size: The size in which it is shown.
  ///   - weight: How heavy lines are, in whole numbers.
  init(_ guides: [Guide], of frame: Size, shownAs size: Size, weight: Int = 1) {
    self.size = size
    frameWidth = 1 + Double(weight)
    gripWidth = 2 + 2 * Double(weight)
    gripLength = 20 * Double(weight)
    dividerWidth = Double(weight)
    scaleX = Double(size.width) / Double(frame.width)
    scaleY = Double(size.height) / Double(frame.height)
    for guide in guides { add(guide) }
  }

  private mutating func add(_ guide: Guide) {
    switch guide {
    case .crop(let rectangle):
      let (left, top) = (Double(rectangle.x), Double(rectangle.y))
      let (right, bottom) = (left + Double(rectangle.width), top + Double(rectangle.height))
      // On whole pixels of the sheet, where lines are sharp.
      addFrame(
        [(left, top), (right, top), (right, bottom), (left, bottom)].map {
          let corner = shown(x: $0, y: $1)
          return Point(x: corner.x.rounded(), y: corner.y.rounded())
        }
      )
    case .frame(let corners):
      addFrame(corners.map { shown(x: $0.x, y: $0.y) })
    case .boxes(let boxes):
      for box in boxes { add(box) }
    case .outline(let outline):
      lines.append(
        Line(
          outline: outline.closed().transformed(
            by: .scale(x: scaleX, y: scaleY)
          ),
          width: frameWidth * 0.75
        )
      )
    }
  }

  private func shown(x: Double, y: Double) -> Point {
    Point(x: x * scaleX, y: y * scaleY)
  }

  /// A frame as photo editors draw it: thirds, a line around, brackets at the corners, handles on
  /// the edges.
  ///
  /// All of it lies inside what is kept, so that it shows where a crop ends at the picture's edge.
  private mutating func addFrame(_ corners: [Point]) {
    guard corners.count == 4 else { return }
    var outside =
      dimmed
      ?? .rectangle(
        Box(left: 0, top: 0, right: Double(size.width), bottom: Double(size.height))
      )
    outside.append(.polygon(corners))
    dimmed = outside
    let frame = Quadrangle(corners)
    let shortest = frame.shortestSide
    if shortest >= Self.roomForThirds {
      for part in [1.0 / 3, 2.0 / 3] {
        for (start, end) in frame.dividers(at: part, width: dividerWidth) {
          lines.append(Line(outline: .segment(start, end), width: dividerWidth, strength: 0.75))
        }
      }
    }
    let line = min(frameWidth, shortest / 4)
    lines.append(Line(outline: .polygon(frame.inset(by: line / 2).corners), width: line))
    let grip = min(gripWidth, shortest / 6)
    let length = min(gripLength, shortest / 4)
    let inner = frame.inset(by: grip / 2)
    for index in 0..<4 {
      lines.append(Line(outline: inner.bracket(at: index, length: length), width: grip))
      if shortest >= Self.roomForHandles {
        lines.append(Line(outline: inner.handle(on: index, length: length), width: grip))
      }
    }
  }

  private mutating func add(_ box: Guide.Box) {
    let corners = box.corners.map { shown(x: $0.x, y: $0.y) }
    guard corners.count == 4 else { return }
    let frame = Quadrangle(corners)
    let line = min(frameWidth, frame.shortestSide / 4)
    lines.append(Line(outline: .polygon(frame.inset(by: line / 2).corners), width: line))
    guard let around = Box(around: corners), !box.label.isEmpty else { return }
    let left = max(0, around.left)
    let top = max(0, around.top)
    labels.append(
      Label(
        text: box.label,
        place: Point(x: left, y: top),
        width: min(Double(size.width), around.right) - left
      )
    )
  }
}

/// Four corners in order.
private struct Quadrangle {
  let corners: [Point]

  init(_ corners: [Point]) {
    self.corners = corners
  }

  private func corner(_ index: Int) -> Point { corners[(index + 4) % 4] }

  private func distance(_ from: Point, _ to: Point) -> Double {
    let (x, y) = (to.x - from.x, to.y - from.y)
    return (x * x + y * y).squareRoot()
  }

  var shortestSide: Double {
    (0..<4).map { distance(corner($0), corner($0 + 1)) }.min() ?? 0
  }

  /// A point so far from a corner on the way to another.
  private func moved(_ from: Point, _ to: Point, _ length: Double) -> Point {
    let whole = distance(from, to)
    let part = whole > 0 ? length / whole : 0
    return Point(x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part)
  }

  /// Each side moved inwards; the corners are right angles, or nearly.
  func inset(by distance: Double) -> Quadrangle {
    Quadrangle(
      (0..<4).map { index in
        let here = corner(index)
        let one = moved(here, corner(index + 1), distance)
        let other = moved(here, corner(index - 1), distance)
        return Point(x: one.x + other.x - here.x, y: one.y + other.y - here.y)
      }
    )
  }

  /// The two lines that divide it at a part of its sides; upright ones where they are sharp.
  func dividers(at part: Double, width: Double) -> [(Point, Point)] {
    func between(_ from: Int, _ to: Int) -> Point {
      let (start, end) = (corner(from), corner(to))
      return Point(
        x: start.x + (end.x - start.x) * part,
        y: start.y + (end.y - start.y) * part
      )
    }
    /// The middle of a line of whole pixels.
    func sharp(_ position: Double) -> Double { (position - width / 2).rounded() + width / 2 }
    return [(between(0, 1), between(3, 2)), (between(0, 3), between(1, 2))].map { start, end in
      var (start, end) = (start, end)
      if start.x == end.x {
        start.x = sharp(start.x)
        end.x = start.x
      } else if start.y == end.y {
        start.y = sharp(start.y)
        end.y = start.y
      }
      return (start, end)
    }
  }

  /// Along both sides of a corner.
  func bracket(at index: Int, length: Double) -> Outline {
    var outline = Outline()
    outline.move(to: moved(corner(index), corner(index - 1), length))
    outline.line(to: corner(index))
    outline.line(to: moved(corner(index), corner(index + 1), length))
    return outline
  }

  /// About the middle of a side.
  func handle(on side: Int, length: Double) -> Outline {
    let (start, end) = (corner(side), corner(side + 1))
    let middle = Point(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2)
    return .segment(moved(middle, start, length / 2), moved(middle, end, length / 2))
  }
}

extension Outline {
  fileprivate static func segment(_ start: Point, _ end: Point) -> Outline {
    var outline = Outline()
    outline.move(to: start)
    outline.line(to: end)
    return outline
  }
}
