import Glibc
import MinilabKit

/// The frame through which an editor shows a picture, in units of its own.
struct EditorFrame: Equatable {
  let width: Double
  let height: Double
  /// From the frame's center to where the picture's center is when nothing was moved.
  let rest: Point

  /// A frame in the middle of its view.
  init(size: Pair<Double>) {
    width = size.x
    height = size.y
    rest = Point(x: 0, y: 0)
  }

  /// A frame anywhere on a view; the picture rests in the view's middle.
  init(_ rectangle: LengthRectangle, on view: Pair<Double>) {
    let edges = Edges(rectangle, width: view.x, height: view.y)
    width = edges.width
    height = edges.height
    rest = Point(
      x: (view.x - edges.left - edges.right) / 2,
      y: (view.y - edges.top - edges.bottom) / 2
    )
  }
}

/// A picture behind an editor's frame: scaled and turned about its own center, then moved.
struct EditorView: Equatable {
  let frame: EditorFrame
  let picture: Size
  let angle: Angle
  /// At 1 the picture, not turned and in the middle, just covers the frame.
  var zoom: Double
  /// From the frame's center to the picture's, in frame units.
  var offset: Point

  init(_ frame: EditorFrame, picture: Size, zoom: Double, pan: Pair<Double>, angle: Angle) {
    self.frame = frame
    self.picture = picture
    self.angle = angle
    self.zoom = zoom
    offset = Point(x: frame.rest.x + pan.x, y: frame.rest.y + pan.y)
  }

  /// Frame units for one pixel of the picture.
  var scale: Double { coverScale * zoom }

  private var coverScale: Double {
    max(frame.width / Double(picture.width), frame.height / Double(picture.height))
  }

  /// From directions on the frame to directions on the picture.
  private var turnBack: AffineMap { .rotation(degrees: -angle.degrees) }

  /// From points of a result of that size, which shows all of the frame, to points of the picture.
  func toPicture(from result: Size) -> AffineMap {
    AffineMap.scale(
      x: frame.width / Double(result.width),
      y: frame.height / Double(result.height)
    )
    .then(.translation(x: -frame.width / 2 - offset.x, y: -frame.height / 2 - offset.y))
    .then(turnBack)
    .then(.scale(x: 1 / scale, y: 1 / scale))
    .then(.translation(x: Double(picture.width) / 2, y: Double(picture.height) / 2))
  }

  // MARK: The result's size

  /// How many of the picture's pixels lie side by side in the frame.
  var width: Int { Self.whole(frame.width / scale) }

  /// The height that belongs to a width.
  func height(for width: Int) -> Int {
    Self.whole(Double(width) * frame.height / frame.width)
  }

  /// Whole pixels, never 0, and no more than any limit of sizes would let pass.
  private static func whole(_ length: Double) -> Int { Int(min(max(1, length), 1e9).rounded()) }

  // MARK: No empty corner

  /// Half of the box around the frame that is upright on the picture, in frame units.
  private var reach: Point {
    let turn = turnBack
    return Point(
      x: (abs(turn.xx) * frame.width + abs(turn.xy) * frame.height) / 2,
      y: (abs(turn.yx) * frame.width + abs(turn.yy) * frame.height) / 2
    )
  }

  /// The least zoom at which a picture in the middle covers the frame at this angle.
  var leastZoom: Double {
    let reach = reach
    let scale = max(2 * reach.x / Double(picture.width), 2 * reach.y / Double(picture.height))
    return scale / coverScale
  }

  /// Moves the picture the least way on which it comes to cover the frame; the zoom must suffice.
  ///
  /// The frame's centers for which it is covered form a rectangle on the picture; the nearest of
  /// them is found along the picture's axes, and distances are the same on picture and frame.
  ///
  /// - Returns: the length of the way, in frame units.
  mutating func cover() -> Double {
    let reach = reach
    let onPicture = turnBack(offset)
    let roomX = max(0, Double(picture.width) * scale / 2 - reach.x)
    let roomY = max(0, Double(picture.height) * scale / 2 - reach.y)
    let near = Point(
      x: min(max(-roomX, onPicture.x), roomX),
      y: min(max(-roomY, onPicture.y), roomY)
    )
    if near == onPicture { return 0 }
    offset = AffineMap.rotation(degrees: angle.degrees)(near)
    return hypot(near.x - onPicture.x, near.y - onPicture.y)
  }

  /// Some of the picture is in the frame.
  ///
  /// Two rectangles are apart where they are apart along an axis of one of them.
  var isInFrame: Bool {
    let reach = reach
    let halfWidth = Double(picture.width) * scale / 2
    let halfHeight = Double(picture.height) * scale / 2
    let onPicture = turnBack(offset)
    let turn = turnBack
    // The box around the picture that is upright on the frame.
    let around = Point(
      x: abs(turn.xx) * halfWidth + abs(turn.yx) * halfHeight,
      y: abs(turn.xy) * halfWidth + abs(turn.yy) * halfHeight
    )
    return abs(onPicture.x) < halfWidth + reach.x && abs(onPicture.y) < halfHeight + reach.y
      && abs(offset.x) < frame.width / 2 + around.x && abs(offset.y) < frame.height / 2 + around.y
  }

  /// Where the picture lies on the frame: the box around it.
  var box: Edges {
    let toFrame = toPicture(from: Size(width: 1, height: 1)).inverse
      .then(.scale(x: frame.width, y: frame.height))
    let corners = picture.corners.map { toFrame($0) }
    return Edges(
      left: corners.map(\.x).min() ?? 0,
      top: corners.map(\.y).min() ?? 0,
      right: corners.map(\.x).max() ?? 0,
      bottom: corners.map(\.y).max() ?? 0
    )
  }
}
