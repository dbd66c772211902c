import Glibc
import MinilabKit

/// How the pixels of a geometry are made of a raster: a function of the two, known before any pixel.
struct ResampleWay {
  enum Kind {
    /// Whole pixels at their own size.
    case cut(StoredAxes)
    /// Smaller along both axes.
    case reduce(StoredAxes)
    /// Smaller along one axis, larger along the other.
    case stretch(StoredAxes)
    case interpolate
  }

  let kind: Kind
  /// By how much the decoder reduces the raster.
  let reduction: Int

  /// Decides.
  ///
  /// `geometry`: what lies around the raster in it makes no difference. `reductions`: those that the decoder
  /// can make, ascending.
  init(_ geometry: Geometry, reductions: [Int]) {
    let seen = geometry.seen
    kind = Self.kind(of: seen)
    switch kind {
    case _ where seen.isLinear: reduction = 1
    case .cut, .stretch: reduction = 1
    case .reduce(let axes):
      let most = min(axes.factorX, axes.factorY)
      reduction = reductions.last { Double($0) * Self.leastResidual(after: $0) <= most } ?? 1
    case .interpolate:
      let cover = seen.map.leastCover
      reduction = reductions.last { Double($0) <= min(cover.x, cover.y) } ?? 1
    }
  }

  /// What is left for the interpolation after the decoder's reduction: smaller is faster, and under
  /// this the kernel can no longer hide the decoder's box.
  ///
  /// libjpeg halves a picture nearly as well as a kernel does, and averages boxes beyond. Of
  /// photographs made 1024 pixels wide, SSIM with a reduction of all pixels was 0.997 to 1.000 where
  /// the decoder had halved them, and down to 0.983 where it had quartered them to 1.4 times that.
  private static func leastResidual(after reduction: Int) -> Double {
    reduction <= 2 ? 1.3 : 1.8
  }

  private static func kind(of geometry: Geometry) -> Kind {
    guard geometry.map.isAxisAligned else { return .interpolate }
    let axes = StoredAxes(geometry)
    return switch (axes.isCut, axes.canReduceX, axes.canReduceY) {
    case (true, _, _): .cut(axes)
    case (_, true, true): .reduce(axes)
    case (_, false, false): .interpolate
    case (_, true, false), (_, false, true): .stretch(axes)
    }
  }
}

/// An interpolation of any affine map: which samples it reads, and averaged by how many before.
struct Interpolation {
  /// Samples that are averaged into one, along each axis.
  let box: (x: Int, y: Int)
  /// The boxes that are read.
  let needed: PixelRectangle
  /// From points of the wanted picture to points of `needed`, in boxes.
  let map: AffineMap

  /// What the interpolation may read beside the edges, repeated.
  ///
  /// Bicubic reads two samples to either side.
  static let margin = 3

  init(_ geometry: Geometry, of grid: PixelGrid) {
    let cover = geometry.map.leastCover
    // More than the raster need not be averaged: around it is its own edge, repeated.
    let box = (
      x: min(max(1, Int(cover.x / grid.factorX)), grid.width),
      y: min(max(1, Int(cover.y / grid.factorY)), grid.height)
    )
    let factorX = grid.factorX * Double(box.x)
    let factorY = grid.factorY * Double(box.y)
    let whole = geometry.map.then(.scale(x: 1 / factorX, y: 1 / factorY))
      .then(.translation(x: grid.shift / Double(box.x), y: grid.shift / Double(box.y)))
    self.box = box
    needed = Self.bounds(
      of: whole,
      geometry.size,
      columns: (grid.width + box.x - 1) / box.x,
      rows: (grid.height + box.y - 1) / box.y
    )
    map = whole.then(.translation(x: -Double(needed.x), y: -Double(needed.y)))
  }

  /// The boxes of the raster that the map reads, with what the kernel reads beside them.
  private static func bounds(
    of map: AffineMap,
    _ size: Size,
    columns: Int,
    rows: Int
  ) -> PixelRectangle {
    let corners = size.corners.map { map($0) }
    func span(_ values: [Double], _ count: Int) -> (Int, Int) {
      let least = (values.min() ?? 0).rounded(.down) - Double(margin)
      let most = (values.max() ?? 0).rounded(.up) + Double(margin)
      let last = Double(count + margin)
      let first = Int(min(max(-Double(margin), least), last - 1))
      return (first, max(first + 1, Int(min(last, most))))
    }
    let (left, right) = span(corners.map(\.x), columns)
    let (top, bottom) = span(corners.map(\.y), rows)
    return PixelRectangle(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension AffineMap {
  /// How many pixels of the raster one wanted pixel covers at least, along each axis of the raster;
  /// no less than 1.
  ///
  /// So many may be averaged before an interpolation and nothing is blurred.
  var leastCover: (x: Double, y: Double) {
    let dot = xx * yx + xy * yy
    let squares = xx * xx + xy * xy + yx * yx + yy * yy
    if abs(dot) < 1e-9 * squares {
      // Scales along the raster's own axes, and then any turn.
      return (max(1, hypot(xx, xy)), max(1, hypot(yx, yy)))
    }
    // The smaller singular value.
    let root = max(0, squares * squares - 4 * determinant * determinant).squareRoot()
    let least = max(1, ((squares - root) / 2).squareRoot())
    return (least, least)
  }
}
