import MinilabKit

/// A picture as a view shows it.
struct CropView {
  /// In the view's own units.
  let width: Double
  let height: Double
  let picture: Size
  /// View units for one pixel of the picture.
  private let scale: Point

  init(_ view: Pair<Double>, fit: Fit, showing picture: Size) {
    width = view.x
    height = view.y
    self.picture = picture
    let (x, y) = fit.factors(width / Double(picture.width), height / Double(picture.height))
    scale = Point(x: x, y: y)
  }

  /// Where all of the picture lies, in view units.
  var shown: Edges {
    let halfWidth = Double(picture.width) * scale.x / 2
    let halfHeight = Double(picture.height) * scale.y / 2
    return Edges(
      left: width / 2 - halfWidth,
      top: height / 2 - halfHeight,
      right: width / 2 + halfWidth,
      bottom: height / 2 + halfHeight
    )
  }

  /// What can be seen of the picture.
  private var visible: Edges {
    let shown = shown
    return Edges(
      left: max(0, shown.left),
      top: max(0, shown.top),
      right: min(width, shown.right),
      bottom: min(height, shown.bottom)
    )
  }

  /// In the picture's pixels.
  func pixels(of frame: Edges) -> Edges {
    let shown = shown
    return Edges(
      left: (frame.left - shown.left) / scale.x,
      top: (frame.top - shown.top) / scale.y,
      right: (frame.right - shown.left) / scale.x,
      bottom: (frame.bottom - shown.top) / scale.y
    )
  }

  /// Sides shorter than `least` grow about their middle, and stay on what can be seen.
  func grown(_ frame: Edges, toAtLeast least: Double) -> Edges {
    func grow(_ start: Double, _ end: Double, _ first: Double, _ last: Double) -> (Double, Double) {
      let wanted = min(least, last - first)
      guard end - start < wanted else { return (start, end) }
      let moved = min(max(first, (start + end - wanted) / 2), last - wanted)
      return (moved, moved + wanted)
    }
    let visible = visible
    let (left, right) = grow(frame.left, frame.right, visible.left, visible.right)
    let (top, bottom) = grow(frame.top, frame.bottom, visible.top, visible.bottom)
    return Edges(left: left, top: top, right: right, bottom: bottom)
  }
}

extension Crop {
  /// The shortest side of a frame that fingers can have meant, in view units.
  private static let leastFrame = 60

  /// Way 2.
  func cropped(
    _ frame: Frame,
    to drawn: LengthRectangle,
    on view: Pair<Double>,
    in context: Context
  ) throws -> Frame {
    let view = CropView(view, fit: fit, showing: frame.size)
    let edges = Edges(drawn, width: view.width, height: view.height)
    let shown = view.shown
    guard edges.left < shown.right, edges.right > shown.left, edges.top < shown.bottom,
      edges.bottom > shown.top
    else {
      throw context.error(
        .cropOutside,
        expected: "a frame on the picture, which the view shows at \(shown.text)",
        received: "\(edges.text) outside it"
      )
    }
    let grown = view.grown(edges, toAtLeast: Double(minSize ?? Self.leastFrame))
    return try cropped(frame, to: view.pixels(of: grown), in: context)
  }
}

extension Edges {
  /// Left, top, width and height, to a tenth.
  var text: String {
    let numbers = [left, top, width, height].map { (($0 * 10).rounded() / 10).literal }
    return "[\(numbers.joined(separator: ", "))]"
  }
}
