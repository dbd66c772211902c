import Glibc

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
  /// What shows where the wanted picture reaches beyond the raster.
  public private(set) var background: Color?
  /// Resize in linear light.
  public private(set) var isLinear = false

  /// The raster as it is seen.
  public init(source: Size, orientation: Orientation = .up) {
    self.source = source
    map = orientation.toStored(source)
    size = orientation.upright(source)
  }

  /// Nothing is to be done.
  public var isIdentity: Bool { map == .identity && size == source && !isLinear }

  /// Cuts out a rectangle, which lies inside the frame.
  public mutating func crop(to rectangle: PixelRectangle) {
    precondition(
      !rectangle.isEmpty && PixelRectangle(size).contains(rectangle),
      "a rectangle of the frame"
    )
    map = AffineMap.translation(x: Double(rectangle.x), y: Double(rectangle.y)).then(map)
    size = rectangle.size
  }

  /// Stretches the frame to a size, edge to edge.
  public mutating func resize(to wanted: Size, linear: Bool = false) {
    precondition(wanted.width > 0 && wanted.height > 0, "a size of whole pixels")
    map = AffineMap.scale(
      x: Double(size.width) / Double(wanted.width),
      y: Double(size.height) / Double(wanted.height)
    ).then(map)
    size = wanted
    isLinear = isLinear || linear
  }

  /// Turns or mirrors the frame as this orientation's picture is turned to make it upright.
  public mutating func turn(_ orientation: Orientation) {
    map = orientation.toStored(size).then(map)
    size = orientation.upright(size)
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
    map = AffineMap.translation(x: -Double(canvas.width) / 2, y: -Double(canvas.height) / 2)
      .then(.rotation(degrees: -degrees))
      .then(.translation(x: width / 2, y: height / 2))
      .then(map)
    size = canvas
    self.background = background
  }
}
