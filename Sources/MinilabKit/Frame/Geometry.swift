/// What is to be done to a raster's shape, as arithmetic: a map from the wanted pixels back to the
/// raster's, and the wanted size.
///
/// Editing it costs nothing; pixels are made once, from the whole.
public struct Geometry: Sendable, Equatable {
  /// The raster's size, as it is stored.
  public let source: Size
  /// From points of the wanted picture to points of the raster.
  public private(set) var map: AffineMap
  /// The wanted size.
  public private(set) var size: Size
  /// What lies around the picture, the first right behind it, each of the others around those before.
  public private(set) var backdrops: [Backdrop] = []
  /// Resize in linear light.
  public private(set) var isLinear = false

  /// The raster as it is seen.
  public init(source: Size, orientation: Orientation = .up) {
    self.source = source
    map = orientation.toStored(source)
    size = orientation.upright(source)
  }

  /// Nothing is to be done.
  public var isIdentity: Bool {
    map == .identity && size == source && !isLinear && backdrops.isEmpty
  }

  /// Cuts out a rectangle, which lies inside the frame.
  public mutating func crop(to rectangle: PixelRectangle) {
    precondition(
      !rectangle.isEmpty && PixelRectangle(size).contains(rectangle),
      "a rectangle of the frame"
    )
    let corner = AffineMap.translation(x: Double(rectangle.x), y: Double(rectangle.y))
    look(through: corner, size: rectangle.size)
  }

  /// Cuts a size that the frame has out of its middle.
  public mutating func crop(toMiddle wanted: Size) {
    guard wanted != size else { return }
    let (x, y) = Gravity.center.position(of: wanted, on: size)
    crop(to: PixelRectangle(x: x, y: y, width: wanted.width, height: wanted.height))
  }

  /// Stretches the frame to a size, edge to edge.
  public mutating func resize(to wanted: Size, linear: Bool = false) {
    precondition(wanted.width > 0 && wanted.height > 0, "a size of whole pixels")
    let scale = AffineMap.scale(
      x: Double(size.width) / Double(wanted.width),
      y: Double(size.height) / Double(wanted.height)
    )
    look(through: scale, size: wanted)
    isLinear = isLinear || linear
  }

  /// Turns or mirrors the frame as this orientation's picture is turned to make it upright.
  public mutating func turn(_ orientation: Orientation) {
    look(through: orientation.toStored(size), size: orientation.upright(size))
  }

  /// Turns the frame about its center, clockwise, onto a canvas that just holds it.
  ///
  /// `background`: what fills the corners.
  public mutating func rotate(degrees: Double, background: Color) {
    let forward = AffineMap.rotation(degrees: degrees)
    let width = Double(size.width)
    let height = Double(size.height)
    // A corner that is an edge's own length away by rounding alone must not add a pixel.
    let canvas = Size(
      width: Int((abs(forward.xx) * width + abs(forward.xy) * height - 1e-6).rounded(.up)),
      height: Int((abs(forward.yx) * width + abs(forward.yy) * height - 1e-6).rounded(.up))
    )
    let back = AffineMap.translation(x: -Double(canvas.width) / 2, y: -Double(canvas.height) / 2)
      .then(.rotation(degrees: -degrees))
      .then(.translation(x: width / 2, y: height / 2))
    view(through: back, size: canvas, background: background)
  }

  /// Looks at the frame through any affine map.
  ///
  /// - Parameters:
  ///   - map: from points of the wanted frame to points of the frame as it is; its determinant must
  ///     not be 0.
  ///   - wanted: the size of the wanted frame.
  ///   - background: what shows beyond the frame's edges. Nil where the view does not reach beyond
  ///     them but for rounding: then the edge is repeated.
  public mutating func view(through map: AffineMap, size wanted: Size, background: Color?) {
    precondition(wanted.width > 0 && wanted.height > 0, "a size of whole pixels")
    if let background {
      backdrops.append(Backdrop(map: .identity, seen: size, color: background))
    }
    look(through: map, size: wanted)
  }

  /// The geometry of a rectangle of the wanted picture, with nothing but the raster: its edge is
  /// repeated where the rectangle reaches beyond it.
  ///
  /// For whoever makes the pixels.
  public func bare(_ rectangle: PixelRectangle) -> Geometry {
    var geometry = self
    geometry.backdrops = []
    geometry.crop(to: rectangle)
    return geometry
  }

  /// The same picture made of what another geometry has made of the same raster, in place of the raster.
  ///
  /// For whoever makes the pixels.
  public func on(_ base: Geometry) -> Geometry {
    precondition(base.source == source, "two geometries of one raster")
    var geometry = Geometry(source: base.size)
    geometry.map = map.then(base.map.inverse)
    geometry.size = size
    geometry.backdrops = backdrops
    geometry.isLinear = isLinear
    return geometry
  }

  private mutating func look(through edit: AffineMap, size wanted: Size) {
    map = edit.then(map)
    size = wanted
    for index in backdrops.indices { backdrops[index].map = edit.then(backdrops[index].map) }
    backdrops.removeAll { $0.isHidden(in: wanted) }
  }
}
