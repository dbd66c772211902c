import Glibc
import MinilabKit
import Vips

/// Makes the pixels of a geometry from a raster: the one place where that way is decided.
///
/// Shrink in the decoder, shrink by whole-number boxes, one interpolation, and the turn last, on
/// the small picture. The way depends on the geometry and the raster's header alone.
struct Resample {
  let geometry: Geometry
  let raster: any Raster
  /// For small pictures.
  var pipes: ReducingPipes?

  /// - Throws: `ItemError` where pixels are enlarged too much.
  func image() throws -> Image {
    try SizeLimit.check(geometry)
    if geometry.backdrops.isEmpty { return try bare() }
    let part = Resample(geometry: geometry.seen, raster: raster, pipes: pipes)
    return try Backing(geometry: geometry).around(part.bare())
  }

  /// By how much the decoder reduces the raster.
  var reduction: Int {
    let seen = geometry.seen
    if seen.isLinear { return 1 }
    switch Way(seen) {
    case .cut, .stretch: return 1
    case .reduce(let axes):
      let most = min(axes.factorX, axes.factorY)
      return raster.reductions.last { Double($0) * Self.leastResidual(after: $0) <= most } ?? 1
    case .interpolate:
      let cover = seen.map.leastCover
      return raster.reductions.last { Double($0) <= min(cover.x, cover.y) } ?? 1
    }
  }

  /// How the pixels of a geometry without backdrops are made.
  private enum Way {
    /// Whole pixels at their own size.
    case cut(StoredAxes)
    /// Smaller along both axes.
    case reduce(StoredAxes)
    /// Smaller along one axis, larger along the other.
    case stretch(StoredAxes)
    case interpolate

    init(_ geometry: Geometry) {
      guard geometry.map.isAxisAligned else {
        self = .interpolate
        return
      }
      let axes = StoredAxes(geometry)
      self =
        switch (axes.isCut, axes.canReduceX, axes.canReduceY) {
        case (true, _, _): .cut(axes)
        case (_, true, true): .reduce(axes)
        case (_, false, false): .interpolate
        case (_, true, false), (_, false, true): .stretch(axes)
        }
    }
  }

  /// The pixels without what lies around the raster: beyond its edge the edge is repeated.
  private func bare() throws -> Image {
    switch Way(geometry) {
    case .cut(let axes): try extracted(axes).turned(axes.orientation)
    case .reduce(let axes): try reduced(axes)
    case .stretch(let axes): try stretched(axes)
    case .interpolate: try interpolated()
    }
  }

  private func extracted(_ axes: StoredAxes) throws -> Image {
    let pixels = try raster.pixels(reduction: 1)
    let (left, top) = (Int(axes.x), Int(axes.y))
    return try pixels.image.window(
      left: left,
      top: top,
      right: left + axes.width,
      bottom: top + axes.height
    )
  }

  // MARK: Reduction along the axes

  /// What is left for the interpolation after the decoder's reduction: smaller is faster, and under
  /// this the kernel can no longer hide the decoder's box.
  ///
  /// libjpeg halves a picture nearly as well as a kernel does, and averages boxes beyond. Of
  /// photographs made 1024 pixels wide, SSIM with a reduction of all pixels was 0.997 to 1.000 where
  /// the decoder had halved them, and down to 0.983 where it had quartered them to 1.4 times that.
  private static func leastResidual(after reduction: Int) -> Double {
    reduction <= 2 ? 1.3 : 1.8
  }

  private func reduced(_ axes: StoredAxes) throws -> Image {
    let pixels = try raster.pixels(reduction: reduction)
    let reduction = Reduction(axes, of: pixels)
    if !geometry.isLinear, let made = try pipes?.reduced(pixels.image, by: reduction) {
      return made
    }
    let blending = Blending(of: pixels.image, inLinearLight: geometry.isLinear)
    return try reduction.reduced(pixels.image, blending)
  }

  // MARK: Smaller along one axis alone

  /// What the interpolation may read beside the edges, repeated.
  ///
  /// Bicubic reads two samples to either side.
  private static let margin = 3

  /// Reduces the one axis first, so that nothing finer than its new pixels is left to interpolate.
  private func stretched(_ axes: StoredAxes) throws -> Image {
    let pixels = try raster.pixels(reduction: 1).image
    let blending = Blending(of: pixels, inLinearLight: geometry.isLinear)
    let entered = try blending.entered(pixels)
    let margin = Self.margin
    let reduced: Image
    let map: AffineMap
    if axes.canReduceY {
      let vertical = ReducedAxis(
        offset: axes.y,
        factor: axes.factorY,
        count: axes.height,
        length: pixels.height,
        covered: 1
      )
      reduced = try entered.window(
        left: -margin,
        top: vertical.window.start * vertical.box,
        right: pixels.width + margin,
        bottom: vertical.window.end * vertical.box
      )
      .boxed(1, vertical.box).reduced(vertically: vertical.factor)
      .extractArea(
        left: 0,
        top: vertical.window.skip,
        width: pixels.width + 2 * margin,
        height: axes.height
      )
      map = .translation(x: -axes.x - Double(margin), y: 0)
        .then(.scale(x: 1 / axes.factorX, y: 1))
    } else {
      let horizontal = ReducedAxis(
        offset: axes.x,
        factor: axes.factorX,
        count: axes.width,
        length: pixels.width,
        covered: 1
      )
      reduced = try entered.window(
        left: horizontal.window.start * horizontal.box,
        top: -margin,
        right: horizontal.window.end * horizontal.box,
        bottom: pixels.height + margin
      )
      .boxed(horizontal.box, 1).reduced(horizontally: horizontal.factor)
      .extractArea(
        left: horizontal.window.skip,
        top: 0,
        width: axes.width,
        height: pixels.height + 2 * margin
      )
      map = .translation(x: 0, y: -axes.y - Double(margin))
        .then(.scale(x: 1, y: 1 / axes.factorY))
    }
    let size = Size(width: axes.width, height: axes.height)
    let mapped = try reduced.held().affine(map, size: size)
    return try blending.left(mapped).turned(axes.orientation)
  }

  // MARK: Interpolation of any affine map

  private func interpolated() throws -> Image {
    let cover = geometry.map.leastCover
    let pixels = try raster.pixels(reduction: reduction)
    // More than the raster need not be averaged: around it is its own edge, repeated.
    let box = (
      x: min(max(1, Int(cover.x / pixels.factorX)), pixels.image.width),
      y: min(max(1, Int(cover.y / pixels.factorY)), pixels.image.height)
    )
    let factorX = pixels.factorX * Double(box.x)
    let factorY = pixels.factorY * Double(box.y)
    let map = geometry.map.then(.scale(x: 1 / factorX, y: 1 / factorY))
      .then(
        .translation(x: pixels.shift / Double(box.x), y: pixels.shift / Double(box.y))
      )
    let needed = bounds(
      of: map,
      columns: (pixels.image.width + box.x - 1) / box.x,
      rows: (pixels.image.height + box.y - 1) / box.y
    )
    let blending = Blending(of: pixels.image, inLinearLight: geometry.isLinear)
    // Held as they are, where nothing is averaged first: what is mixed by has four times the bytes.
    let isPlain = box.x == 1 && box.y == 1
    let window = try (isPlain ? pixels.image : blending.entered(pixels.image))
      .window(
        left: needed.x * box.x,
        top: needed.y * box.y,
        right: (needed.x + needed.width) * box.x,
        bottom: (needed.y + needed.height) * box.y
      )
    let part = try isPlain ? blending.entered(window.held()) : window.boxed(box.x, box.y).held()
    let local = map.then(.translation(x: -Double(needed.x), y: -Double(needed.y)))
    return try blending.left(part.affine(local.inverse, size: geometry.size))
  }

  /// The boxes of the raster that the map reads, with what the kernel reads beside them.
  private func bounds(of map: AffineMap, columns: Int, rows: Int) -> PixelRectangle {
    let corners = geometry.size.corners.map { map($0) }
    func span(_ values: [Double], _ count: Int) -> (Int, Int) {
      let least = (values.min() ?? 0).rounded(.down) - Double(Self.margin)
      let most = (values.max() ?? 0).rounded(.up) + Double(Self.margin)
      let last = Double(count + Self.margin)
      let first = Int(min(max(-Double(Self.margin), least), last - 1))
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
