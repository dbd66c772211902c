import MinilabKit

extension Crop {
  /// What `attention` and `entropy` look at has at most this side, so that the place they find
  /// depends on nothing else.
  private static let lookingSide = 256

  /// Way 3: the largest rectangle of an aspect.
  func placed(_ frame: Frame, _ aspect: Aspect, in context: Context) throws -> Frame {
    let size = frame.size
    let isTurned = followOrientation && Self.turns(aspect.value(for: size), in: size)
    let box = isTurned ? aspect.inside(size.transposed).transposed : aspect.inside(size)
    return try placed(frame, box, in: context)
  }

  /// One of the two is taller than wide and the other wider than tall.
  private static func turns(_ aspect: Double, in size: Size) -> Bool {
    (aspect < 1 && size.width > size.height) || (aspect > 1 && size.width < size.height)
  }

  /// Way 3: a size in the profile's lengths.
  func placed(_ frame: Frame, _ size: Pair<Length>, in context: Context) throws -> Frame {
    var wanted = Size(
      width: max(1, Int(size.x.pixels(of: frame.size.width).rounded())),
      height: max(1, Int(size.y.pixels(of: frame.size.height).rounded()))
    )
    let aspect = Double(wanted.width) / Double(wanted.height)
    if followOrientation, Self.turns(aspect, in: frame.size) { wanted = wanted.transposed }
    let box = Size(
      width: min(wanted.width, frame.size.width),
      height: min(wanted.height, frame.size.height)
    )
    let result = try placed(frame, box, in: context)
    if box == wanted { return result }
    return result.noting(
      .cropClamped,
      "\(wanted) is larger than the picture of \(frame.size); cut to \(box)"
    )
  }

  /// Way 3: a size inside the frame.
  func placed(_ frame: Frame, _ box: Size, in context: Context) throws -> Frame {
    // While only headers are read any place does: the size is the same everywhere.
    let place = try place(of: box, in: frame, context)
    let (x, y) = place ?? Gravity.center.position(of: box, on: frame.size)
    let rectangle = PixelRectangle(x: x, y: y, width: box.width, height: box.height)
    let result = cut(frame, to: rectangle)
    guard box != frame.size, isPlacedByPixels else { return result }
    // Whether a picture is encoded must not depend on what it shows.
    return (place == nil ? result.withUnknownPlace() : result).lossless(.never)
  }

  private var isPlacedByPixels: Bool {
    guard focus == nil, case .interesting = gravity else { return false }
    return true
  }

  /// The upper left corner; nil where there are no pixels to look at yet.
  private func place(
    of box: Size,
    in frame: Frame,
    _ context: Context
  ) throws -> (x: Int, y: Int)? {
    let size = frame.size
    if box == size { return (0, 0) }
    if let focus {
      func start(_ point: Length, _ length: Int, _ side: Int) -> Int {
        let middle = point.pixels(of: side) - Double(length) / 2
        return min(max(0, Int(middle.rounded())), side - length)
      }
      return (start(focus.x, box.width, size.width), start(focus.y, box.height, size.height))
    }
    switch gravity {
    case .fixed(let gravity):
      return gravity.position(of: box, on: size)
    case .interesting(let kind):
      return try context.reduction(of: frame, to: Self.lookingSide).map {
        try kind.position(of: box, in: size, seenOn: $0)
      }
    }
  }
}
