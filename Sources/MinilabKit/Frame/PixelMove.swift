/// What a geometry does that only moves pixels: each wanted pixel is one of the raster.
public struct PixelMove: Sendable, Equatable {
  /// What is kept of the raster, as it is stored.
  public let rectangle: PixelRectangle
  /// The tag with which a viewer would turn that as it is wanted.
  public let orientation: Orientation

  public init(rectangle: PixelRectangle, orientation: Orientation) {
    self.rectangle = rectangle
    self.orientation = orientation
  }

  /// The wanted size.
  public var size: Size { orientation.upright(rectangle.size) }

  /// The stored columns are read from their end.
  public var mirrorsX: Bool { orientation.toStored(rectangle.size).x0 > 0 }

  /// The stored rows are read from their end.
  public var mirrorsY: Bool { orientation.toStored(rectangle.size).y0 > 0 }

  /// What must be cut off the wanted picture so that it begins between units of the raster, each as
  /// large as `unit` and as it is stored.
  ///
  /// Where the picture ends is of no matter: a unit need not be wanted whole.
  public func overhang(over unit: Size) -> (left: Int, top: Int) {
    func along(_ start: Int, _ end: Int, _ unit: Int, _ isMirrored: Bool) -> Int {
      isMirrored ? end % unit : (unit - start % unit) % unit
    }
    let x = along(rectangle.x, rectangle.x + rectangle.width, unit.width, mirrorsX)
    let y = along(rectangle.y, rectangle.y + rectangle.height, unit.height, mirrorsY)
    return orientation.swapsSides ? (y, x) : (x, y)
  }
}

extension Geometry {
  /// Nil where pixels are scaled, turned by other than quarter turns, or shown beyond an edge.
  public var move: PixelMove? {
    guard backdrops.isEmpty else { return nil }
    let box = PixelRectangle(around: size.corners.map { map($0) })
    guard PixelRectangle(source).contains(box) else { return nil }
    let corner = AffineMap.translation(x: Double(box.x), y: Double(box.y))
    return Orientation.allCases
      .first { $0.upright(box.size) == size && $0.toStored(box.size).then(corner) == map }
      .map { PixelMove(rectangle: box, orientation: $0) }
  }
}
