import MinilabKit

/// Where a picture lies, in pixels of the result and before anything is rounded.
struct Box: Equatable {
  var center: Point
  /// Of the picture before it is turned.
  var width: Double
  var height: Double
  var angle = Angle(degrees: 0)

  /// From points of the box, origin at its own top left corner, to points of the result.
  var map: AffineMap {
    AffineMap.translation(x: -width / 2, y: -height / 2)
      .then(.rotation(degrees: angle.degrees))
      .then(.translation(x: center.x, y: center.y))
  }

  /// In order, beginning with the picture's own top left one.
  var corners: [Point] {
    [
      Point(x: 0, y: 0), Point(x: width, y: 0), Point(x: width, y: height),
      Point(x: 0, y: height),
    ]
    .map { map($0) }
  }

  /// The sides of the upright rectangle around it.
  var extent: (width: Double, height: Double) {
    // Quarter turns are exact, which sines are not.
    switch angle.quarterTurns {
    case 0, 2: return (width, height)
    case 1, 3: return (height, width)
    default:
      let turn = AffineMap.rotation(degrees: angle.degrees)
      return (
        abs(turn.xx) * width + abs(turn.xy) * height, abs(turn.yx) * width + abs(turn.yy) * height
      )
    }
  }

  /// The whole pixels that it takes.
  ///
  /// The edges of an upright box are rounded to the nearest; around a turned one go all that it
  /// touches.
  var pixels: PixelRectangle {
    let (width, height) = extent
    let isUpright = angle.quarterTurns != nil
    let x = Self.span(center.x, width, isUpright)
    let y = Self.span(center.y, height, isUpright)
    return PixelRectangle(x: x.start, y: y.start, width: x.length, height: y.length)
  }

  /// What is nearer to a whole pixel than this lies on it: numbers were rounded on their way here.
  private static let tolerance = 1e-6

  private static func span(
    _ center: Double,
    _ length: Double,
    _ isUpright: Bool
  ) -> (start: Int, length: Int) {
    // An odd pixel goes to the right and to the bottom, as with gravities everywhere.
    func nearest(_ edge: Double) -> Int { Int((edge - 0.5 - tolerance).rounded(.up)) }
    let first = center - length / 2
    let last = center + length / 2
    guard isUpright else {
      let start = Int((first + tolerance).rounded(.down))
      return (start, max(1, Int((last - tolerance).rounded(.up)) - start))
    }
    let start = nearest(first)
    // What has a whole length keeps it wherever it lies; what is thinner than a pixel is something.
    let whole = length.rounded()
    let isWhole = abs(length - whole) < tolerance
    return (start, max(1, isWhole ? Int(whole) : nearest(last) - start))
  }

  /// The box with its edges where its pixels' are.
  var snapped: Box {
    guard let turns = angle.quarterTurns else { return self }
    let whole = pixels
    let (width, height) = (Double(whole.width), Double(whole.height))
    return Box(
      center: Point(x: Double(whole.x) + width / 2, y: Double(whole.y) + height / 2),
      width: turns % 2 == 0 ? width : height,
      height: turns % 2 == 0 ? height : width,
      angle: angle
    )
  }

  /// Nothing of it sticks out of a canvas of that size.
  func isInside(_ canvas: Size) -> Bool { PixelRectangle(canvas).contains(pixels) }
}

extension Layer {
  /// The layer's box in pixels of the result.
  ///
  /// - Parameters:
  ///   - picture: The size of the layer's picture.
  ///   - canvas: What percentages and gravities are of, in pixels of the profile.
  ///   - scale: Pixels of the result for one of the profile's.
  /// - Returns: The box, not rounded.
  func box(of picture: Size, on canvas: Size, scale: Double) -> Box {
    let size = size(of: picture, on: canvas)
    var box = Box(
      center: Point(x: Double(canvas.width) / 2, y: Double(canvas.height) / 2),
      width: size.width,
      height: size.height,
      angle: angle
    )
    if let center {
      box.center = Point(
        x: center.x.pixels(of: canvas.width),
        y: center.y.pixels(of: canvas.height)
      )
    } else if let gravity {
      let (width, height) = box.extent
      box.center = Point(
        x: gravity.horizontal.middle(of: width, on: Double(canvas.width))
          + offset.x.pixels(of: canvas.width),
        y: gravity.vertical.middle(of: height, on: Double(canvas.height))
          + offset.y.pixels(of: canvas.height)
      )
    }
    return box.scaled(by: scale)
  }

  private func size(of picture: Size, on canvas: Size) -> (width: Double, height: Double) {
    let (ownWidth, ownHeight) = (Double(picture.width), Double(picture.height))
    switch (width?.pixels(of: canvas.width), height?.pixels(of: canvas.height)) {
    case (nil, nil): return (ownWidth * zoom, ownHeight * zoom)
    case (let width?, nil): return (width, width * ownHeight / ownWidth)
    case (nil, let height?): return (height * ownWidth / ownHeight, height)
    case (let width?, let height?): return fit.size(of: picture, in: (width, height))
    }
  }
}

extension Box {
  func scaled(by scale: Double) -> Box {
    Box(
      center: Point(x: center.x * scale, y: center.y * scale),
      width: width * scale,
      height: height * scale,
      angle: angle
    )
  }

  func moved(by way: Point) -> Box {
    var box = self
    box.center = Point(x: center.x + way.x, y: center.y + way.y)
    return box
  }
}

extension Fit {
  /// What a picture takes of a box that it is to fill: all of it, but for `contain`.
  func size(
    of picture: Size,
    in box: (width: Double, height: Double)
  ) -> (width: Double, height: Double) {
    guard self == .contain else { return box }
    let (width, height) = (Double(picture.width), Double(picture.height))
    // The limiting side is exact.
    return box.width * height <= box.height * width
      ? (box.width, box.width * height / width) : (box.height * width / height, box.height)
  }
}
