import Glibc
import MinilabKit

/// A picture between a raster and several wanted ones that are made of it: the finest of them on its
/// own grid, not turned, with as much around it as the others need.
///
/// What each of the others is made of it is as good as what is made of the raster: the base was made
/// with the decoder's reduction of the finest one, and what is left for the second kernel is a
/// reduction that hides the first one's.
struct CommonGrid {
  private let raster: Size
  private let x: Double
  private let y: Double
  private let factorX: Double
  private let factorY: Double
  /// In pixels of the grid, whose origin is the upper left corner of the finest picture.
  private(set) var area: PixelRectangle
  /// Of the finest picture alone.
  private let own: Int

  /// The grid of a picture that is cut and reduced along the raster's axes; nil for any other.
  init?(of geometry: Geometry) {
    guard geometry.map.isAxisAligned, !geometry.isLinear else { return nil }
    let seen = geometry.seen
    let axes = StoredAxes(seen)
    let cover = seen.map.leastCover
    // A raster that is less than one pixel is averaged, which is no grid.
    guard axes.isCut || (axes.canReduceX && axes.canReduceY),
      cover.x <= Double(geometry.source.width), cover.y <= Double(geometry.source.height)
    else { return nil }
    raster = geometry.source
    (x, y) = (axes.x, axes.y)
    (factorX, factorY) = (axes.factorX, axes.factorY)
    area = PixelRectangle(Size(width: axes.width, height: axes.height))
    own = axes.width * axes.height
  }

  /// How many pixels of the raster one of the grid's covers.
  var coarseness: Double { factorX * factorY }

  /// From the grid's pixels to the raster's.
  var geometry: Geometry {
    var geometry = Geometry(source: raster)
    let map = AffineMap.translation(x: Double(area.x), y: Double(area.y))
      .then(.scale(x: factorX, y: factorY))
      .then(.translation(x: x, y: y))
    geometry.view(through: map, size: area.size, background: nil)
    return geometry
  }

  // MARK: Others

  /// What of a reduction is left for a second kernel to hide the first one.
  private static let leastFactor = 1.3
  /// The same where a picture is turned: it is averaged by two and then interpolated.
  private static let leastCover = 2.0
  /// How much larger than the finest picture a base may be.
  private static let mostGrowth = 2

  /// Makes room for another picture.
  ///
  /// - Returns: false where that one had better be made of the raster; the grid is then as it was.
  mutating func add(_ other: Geometry) -> Bool {
    guard !other.isLinear else { return false }
    let seen = other.seen
    var larger = self
    larger.cover(seen)
    guard larger.area.width * larger.area.height <= Self.mostGrowth * own else { return false }
    let relative = seen.on(larger.geometry)
    if relative.map.isAxisAligned {
      let axes = StoredAxes(relative)
      guard axes.isCut || min(axes.factorX, axes.factorY) >= Self.leastFactor else { return false }
    } else {
      let cover = relative.map.leastCover
      guard min(cover.x, cover.y) >= Self.leastCover else { return false }
    }
    self = larger
    return true
  }

  /// Extends the area over what a picture shows of the raster, and over what its kernel sees beside it.
  private mutating func cover(_ other: Geometry) {
    let corners = other.size.corners.map { other.map($0) }
    let cover = other.map.leastCover
    let (left, right) = Self.span(
      corners.map(\.x),
      margin: 3 * cover.x,
      offset: x,
      factor: factorX,
      side: raster.width
    )
    let (top, bottom) = Self.span(
      corners.map(\.y),
      margin: 3 * cover.y,
      offset: y,
      factor: factorY,
      side: raster.height
    )
    let start = (x: min(area.x, left), y: min(area.y, top))
    let end = (x: max(area.x + area.width, right), y: max(area.y + area.height, bottom))
    area = PixelRectangle(
      x: start.x,
      y: start.y,
      width: end.x - start.x,
      height: end.y - start.y
    )
  }

  /// The pixels of the grid along one axis that hold a part of the raster, and nothing beyond its edge.
  private static func span(
    _ corners: [Double],
    margin: Double,
    offset: Double,
    factor: Double,
    side: Int
  ) -> (Int, Int) {
    func place(_ value: Double) -> Double {
      (min(max(0, value), Double(side)) - offset) / factor
    }
    // What is off an edge by rounding alone takes no further pixel.
    let tolerance = 1e-6
    let first = place((corners.min() ?? 0) - margin) + tolerance
    let last = place((corners.max() ?? 0) + margin) - tolerance
    return (Int(first.rounded(.down)), Int(last.rounded(.up)))
  }
}

extension Geometry {
  /// The part in which the raster can be seen, without what lies around it.
  var seen: Geometry { backdrops.isEmpty ? self : bare(Backing(geometry: self).shown) }
}
