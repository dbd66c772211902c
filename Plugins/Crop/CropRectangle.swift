public import MinilabKit

/// A rectangle by its edges, which need not be whole pixels.
struct Edges: Equatable {
  var left: Double
  var top: Double
  var right: Double
  var bottom: Double

  var width: Double { right - left }
  var height: Double { bottom - top }

  init(left: Double, top: Double, right: Double, bottom: Double) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
  }

  init(_ rectangle: LengthRectangle, width: Double, height: Double) {
    left = rectangle.x.pixels(of: width)
    top = rectangle.y.pixels(of: height)
    right = left + rectangle.width.pixels(of: width)
    bottom = top + rectangle.height.pixels(of: height)
  }

  init(_ rectangle: LengthRectangle, in size: Size) {
    self.init(rectangle, width: Double(size.width), height: Double(size.height))
  }

  /// Edges are rounded, not sizes, so that neighbors tile without gap or overlap.
  var rounded: PixelRectangle {
    let x = Int(left.rounded())
    let y = Int(top.rounded())
    // What is thinner than a pixel is still something.
    return PixelRectangle(
      x: x,
      y: y,
      width: max(1, Int(right.rounded()) - x),
      height: max(1, Int(bottom.rounded()) - y)
    )
  }
}

extension Crop {
  /// Way 1, and the rest of way 2.
  func cropped(_ frame: Frame, to edges: Edges, in context: Context) throws -> Frame {
    let wanted = edges.rounded
    let picture = PixelRectangle(frame.size)
    guard !wanted.intersection(picture).isEmpty else {
      throw context.error(
        .cropOutside,
        expected: "a rectangle inside the picture \(picture)",
        received: "\(wanted) outside it"
      )
    }
    // A frame has grown on its view already.
    let least = viewFrame == nil ? minSize ?? 0 : 0
    let grown = wanted.grown(toAtLeast: least, inside: frame.size)
    if picture.contains(grown) { return cut(frame, to: grown) }
    let clamped =
      switch clamp ?? (viewFrame == nil ? .cut : .move) {
      case .cut: grown.intersection(picture)
      case .move: grown.moved(inside: frame.size).intersection(picture)
      case .reject:
        throw context.error(
          .cropOutside,
          expected: "a rectangle inside the picture \(picture)",
          received: "\(grown), which sticks out"
        )
      }
    return cut(frame, to: clamped)
      .noting(.cropClamped, "\(grown) sticks out of \(picture); \(clamped) was cropped")
  }
}

/// What becomes of a rectangle that sticks out.
public enum Clamp: String, CaseIterable, ParameterChoice {
  case cut
  case move
  case reject
}

extension PixelRectangle {
  /// Sides shorter than `least` grow about their middle, as far as the picture has room.
  fileprivate func grown(toAtLeast least: Int, inside size: Size) -> PixelRectangle {
    func grow(_ start: Int, _ length: Int, _ side: Int) -> (Int, Int) {
      let wanted = min(least, side)
      guard length < wanted else { return (start, length) }
      let moved = start - (wanted - length) / 2
      return (min(max(0, moved), side - wanted), wanted)
    }
    let (x, width) = grow(x, width, size.width)
    let (y, height) = grow(y, height, size.height)
    return PixelRectangle(x: x, y: y, width: width, height: height)
  }

  /// Moved the least way that brings it inside, as far as it fits.
  fileprivate func moved(inside size: Size) -> PixelRectangle {
    PixelRectangle(
      x: max(0, min(x, size.width - width)),
      y: max(0, min(y, size.height - height)),
      width: width,
      height: height
    )
  }
}
