public import Drawing
internal import Glibc

extension Shape {
  /// The shape's edge in pixels of a frame of that size; of an `image` the edge of its box.
  ///
  /// - Throws: `ItemError` where the shape has no area, or none of it lies on the frame.
  public func outline(in frame: Size) throws -> Outline {
    let outline = placed(in: frame)
    guard let bounds = outline.bounds, hasArea(outline) else {
      throw ItemError(
        .shapeOutside,
        expected: "a shape that covers something",
        received: "\(kind.rawValue) without an area"
      )
    }
    guard !bounds.pixels.intersection(PixelRectangle(frame)).isEmpty else {
      throw ItemError(
        .shapeOutside,
        expected: "a shape on the picture \(PixelRectangle(frame))",
        received: "\(kind.rawValue) in \(bounds.pixels)"
      )
    }
    return outline
  }

  /// The whole pixels that hold the shape, as far as they lie on the frame.
  ///
  /// - Throws: as `outline(in:)`.
  public func box(in frame: Size) throws -> PixelRectangle {
    let bounds = try outline(in: frame).bounds
    return bounds.map { $0.pixels.intersection(PixelRectangle(frame)) } ?? PixelRectangle(frame)
  }

  /// From the unit square, origin top left, to the shape's box on the frame, turned.
  func unitMap(in frame: Size) -> AffineMap {
    let box = fullBox(in: frame)
    return AffineMap.scale(x: box.width, y: box.height)
      .then(.translation(x: box.left, y: box.top))
      .then(turn(about: box.center))
  }

  private func placed(in frame: Size) -> Outline {
    switch kind {
    case .polygon, .path: return drawn(in: frame)
    default: break
    }
    let box = fullBox(in: frame)
    let outline =
      switch kind {
      case .ellipse: Outline.ellipse(box)
      case .roundedRectangle: Outline.roundedRectangle(box, corners: corners(of: box))
      case .star: Outline.star(box, spikes: spikes, inner: inner)
      default: Outline.rectangle(box)
      }
    return outline.transformed(by: turn(about: box.center))
  }

  /// A polygon or a path: where it was drawn, or fitted into its box.
  private func drawn(in frame: Size) -> Outline {
    let outline = (kind == .path ? pathOutline(in: frame) : polygon(in: frame)).closed()
    guard let bounds = outline.bounds else { return outline }
    var place = bounds
    var fit = AffineMap.identity
    if let size = givenSize(in: frame) {
      let isStretched = side(width, frame.width) != nil && side(height, frame.height) != nil
      let factors = (
        x: bounds.width > 0 ? size.width / bounds.width : .infinity,
        y: bounds.height > 0 ? size.height / bounds.height : .infinity
      )
      let factor = min(factors.x, factors.y)
      guard factor.isFinite, !isStretched || max(factors.x, factors.y).isFinite else {
        return outline
      }
      fit = isStretched ? .scale(x: factors.x, y: factors.y) : .scale(x: factor, y: factor)
      place = box(centerPoint(in: frame), bounds.width * fit.xx, bounds.height * fit.yy)
    } else if center != nil {
      place = box(centerPoint(in: frame), bounds.width, bounds.height)
    }
    return outline.transformed(
      by: AffineMap.translation(x: -bounds.center.x, y: -bounds.center.y)
        .then(fit)
        .then(.translation(x: place.center.x, y: place.center.y))
        .then(turn(about: place.center))
    )
  }

  private func polygon(in frame: Size) -> Outline {
    .polygon(
      points.map { Point(x: $0.x.pixels(of: frame.width), y: $0.y.pixels(of: frame.height)) }
    )
  }

  private func pathOutline(in frame: Size) -> Outline {
    let outline = path?.outline ?? Outline()
    guard pathUnit == .percent else { return outline }
    return outline.transformed(
      by: .scale(x: Double(frame.width) / 100, y: Double(frame.height) / 100)
    )
  }

  // MARK: Box

  /// A side in pixels; nil where it is to be the other one.
  private func side(_ length: Length?, _ whole: Int) -> Double? {
    length.map { $0.pixels(of: whole) }.flatMap { $0 > 0 ? $0 : nil }
  }

  private func givenSize(in frame: Size) -> (width: Double, height: Double)? {
    switch (side(width, frame.width), side(height, frame.height)) {
    case (nil, nil): nil
    case (let width?, nil): (width, width)
    case (nil, let height?): (height, height)
    case (let width?, let height?): (width, height)
    }
  }

  private func centerPoint(in frame: Size) -> Point {
    guard let center else {
      return Point(x: Double(frame.width) / 2, y: Double(frame.height) / 2)
    }
    return Point(x: center.x.pixels(of: frame.width), y: center.y.pixels(of: frame.height))
  }

  /// The box that the shape fills before it is turned.
  private func fullBox(in frame: Size) -> Box {
    let size = givenSize(in: frame) ?? (Double(frame.width), Double(frame.height))
    return box(centerPoint(in: frame), size.width, size.height)
  }

  private func box(_ center: Point, _ width: Double, _ height: Double) -> Box {
    Box(
      left: center.x - width / 2,
      top: center.y - height / 2,
      right: center.x + width / 2,
      bottom: center.y + height / 2
    )
  }

  private func corners(of box: Box) -> Outline.Corners {
    let shorter = min(box.width, box.height)
    /// A percentage of a side that is no whole number.
    func pixels(_ length: Length) -> Double {
      switch length {
      case .pixels(let pixels): pixels
      case .fraction(let fraction): fraction * shorter
      }
    }
    return Outline.Corners(
      topLeft: pixels(radius.topLeft),
      topRight: pixels(radius.topRight),
      bottomRight: pixels(radius.bottomRight),
      bottomLeft: pixels(radius.bottomLeft)
    )
  }

  private func turn(about center: Point) -> AffineMap {
    // A whole number of quarter turns must not blur an edge by its cosine's last digit.
    let rotation =
      angle.quarterTurns.map { Self.quarterTurns[$0] } ?? .rotation(degrees: angle.degrees)
    return AffineMap.translation(x: -center.x, y: -center.y)
      .then(rotation)
      .then(.translation(x: center.x, y: center.y))
  }

  private static let quarterTurns = [
    AffineMap.identity,
    AffineMap(xx: 0, xy: -1, x0: 0, yx: 1, yy: 0, y0: 0),
    AffineMap(xx: -1, xy: 0, x0: 0, yx: 0, yy: -1, y0: 0),
    AffineMap(xx: 0, xy: 1, x0: 0, yx: -1, yy: 0, y0: 0),
  ]

  /// Some part of the outline is more than a point or a line.
  private func hasArea(_ outline: Outline) -> Bool {
    var points: [Point] = []
    var isFlat = true
    for segment in outline.segments {
      switch segment {
      case .move(let point):
        isFlat = isFlat && Self.isFlat(points)
        points = [point]
      case .line(let point): points.append(point)
      case .curve(let first, let second, let end): points += [first, second, end]
      case .close: break
      }
    }
    return !isFlat || !Self.isFlat(points)
  }

  /// All points lie on one line.
  private static func isFlat(_ points: [Point]) -> Bool {
    guard let first = points.first else { return true }
    func distance(_ point: Point) -> Double { hypot(point.x - first.x, point.y - first.y) }
    guard let far = points.max(by: { distance($0) < distance($1) }), distance(far) > 0 else {
      return true
    }
    let length = distance(far)
    return points.allSatisfy { point in
      let cross =
        (far.x - first.x) * (point.y - first.y) - (far.y - first.y) * (point.x - first.x)
      return abs(cross) / length < 1e-6
    }
  }
}

extension Box {
  /// The whole pixels that hold it.
  ///
  /// An edge that is on a pixel's but for the last digits must not add one.
  public var pixels: PixelRectangle {
    let tolerance = 1e-6
    // Far more than any picture has, and few enough for whole numbers.
    func whole(_ number: Double) -> Int { Int(min(max(number, -1e12), 1e12)) }
    let x = whole((left + tolerance).rounded(.down))
    let y = whole((top + tolerance).rounded(.down))
    return PixelRectangle(
      x: x,
      y: y,
      width: whole((right - tolerance).rounded(.up)) - x,
      height: whole((bottom - tolerance).rounded(.up)) - y
    )
  }
}
