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

  /// How the pixels are made.
  private var way: ResampleWay { ResampleWay(geometry, reductions: raster.reductions) }

  /// The pixels without what lies around the raster: beyond its edge the edge is repeated.
  private func bare() throws -> Image {
    switch way.kind {
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

  private func reduced(_ axes: StoredAxes) throws -> Image {
    let pixels = try raster.pixels(reduction: way.reduction)
    let reduction = Reduction(axes, of: pixels.grid)
    // What steps have made may be costly to make a few rows at a time.
    let isPlain = pixels.image.isInMemory || raster.facts.decoder != nil
    if isPlain, !geometry.isLinear, let made = try pipes?.reduced(pixels.image, by: reduction) {
      return made
    }
    let blending = Blending(
      of: pixels.image,
      inLinearLight: geometry.isLinear,
      isExact: reduction.isExact
    )
    return try reduction.reduced(pixels.image, blending)
  }

  // MARK: Smaller along one axis alone

  /// Reduces the one axis first, so that nothing finer than its new pixels is left to interpolate.
  private func stretched(_ axes: StoredAxes) throws -> Image {
    let pixels = try raster.pixels(reduction: 1).image
    let blending = Blending(of: pixels, inLinearLight: geometry.isLinear)
    let entered = try blending.entered(pixels)
    let margin = Interpolation.margin
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
    let pixels = try raster.pixels(reduction: way.reduction)
    let plan = Interpolation(geometry, of: pixels.grid)
    let (box, needed) = (plan.box, plan.needed)
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
    return try blending.left(part.affine(plan.map.inverse, size: geometry.size))
  }
}
