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

  func image() throws -> Image {
    guard geometry.map.isAxisAligned else { return try interpolated(isTurned: true) }
    let axes = StoredAxes(geometry)
    switch (axes.factorX < 1, axes.factorY < 1) {
    case (true, true): return try interpolated(isTurned: false)
    case (true, false), (false, true): return try stretched(axes)
    case (false, false): break
    }
    let part = try axes.isCut ? extracted(axes) : reduced(axes)
    return try part.turned(axes.orientation)
  }

  private func extracted(_ axes: StoredAxes) throws -> Image {
    let pixels = try raster.pixels(reduction: 1)
    return try pixels.image.extractArea(
      left: Int(axes.x),
      top: Int(axes.y),
      width: axes.width,
      height: axes.height
    )
  }

  // MARK: Reduction along the axes

  /// What is left for the interpolation after the decoder's reduction: smaller is faster, and under
  /// 1.3 the kernel can no longer hide the decoder's box.
  private static let leastResidual = 1.3

  private func reduced(_ axes: StoredAxes) throws -> Image {
    let most = min(axes.factorX, axes.factorY) / Self.leastResidual
    let reduction =
      geometry.isLinear ? 1 : raster.reductions.last { Double($0) <= most } ?? 1
    let pixels = try raster.pixels(reduction: reduction)
    let horizontal = ReducedAxis(
      offset: axes.x,
      factor: axes.factorX,
      count: axes.width,
      covered: pixels.factorX,
      shift: pixels.shift
    )
    let vertical = ReducedAxis(
      offset: axes.y,
      factor: axes.factorY,
      count: axes.height,
      covered: pixels.factorY,
      shift: pixels.shift
    )
    let blending = Blending(of: pixels.image, inLinearLight: geometry.isLinear)
    let reduced = try blending.entered(pixels.image)
      .window(
        left: horizontal.window.start * horizontal.box,
        top: vertical.window.start * vertical.box,
        right: horizontal.window.end * horizontal.box,
        bottom: vertical.window.end * vertical.box
      )
      .boxed(horizontal.box, vertical.box)
      .reduced(vertically: vertical.factor).reduced(horizontally: horizontal.factor)
      .extractArea(
        left: horizontal.window.skip,
        top: vertical.window.skip,
        width: axes.width,
        height: axes.height
      )
    return try blending.left(reduced)
  }

  // MARK: Smaller along one axis, larger along the other

  /// Reduces the one axis first, so that nothing finer than its new pixels is left to interpolate.
  private func stretched(_ axes: StoredAxes) throws -> Image {
    let pixels = try raster.pixels(reduction: 1).image
    let blending = Blending(of: pixels, inLinearLight: geometry.isLinear)
    let entered = try blending.entered(pixels)
    let reduced: Image
    let map: AffineMap
    if axes.factorX < 1 {
      let vertical = ReducedAxis(
        offset: axes.y,
        factor: axes.factorY,
        count: axes.height,
        covered: 1
      )
      reduced = try entered.window(
        left: 0,
        top: vertical.window.start * vertical.box,
        right: pixels.width,
        bottom: vertical.window.end * vertical.box
      )
      .boxed(1, vertical.box).reduced(vertically: vertical.factor)
      .extractArea(left: 0, top: vertical.window.skip, width: pixels.width, height: axes.height)
      map = .translation(x: -axes.x, y: 0).then(.scale(x: 1 / axes.factorX, y: 1))
    } else {
      let horizontal = ReducedAxis(
        offset: axes.x,
        factor: axes.factorX,
        count: axes.width,
        covered: 1
      )
      reduced = try entered.window(
        left: horizontal.window.start * horizontal.box,
        top: 0,
        right: horizontal.window.end * horizontal.box,
        bottom: pixels.height
      )
      .boxed(horizontal.box, 1).reduced(horizontally: horizontal.factor)
      .extractArea(left: horizontal.window.skip, top: 0, width: axes.width, height: pixels.height)
      map = .translation(x: 0, y: -axes.y).then(.scale(x: 1, y: 1 / axes.factorY))
    }
    let size = Size(width: axes.width, height: axes.height)
    let mapped = try reduced.inMemory().affine(map, size: size, background: [])
    return try blending.left(mapped).turned(axes.orientation)
  }

  // MARK: Interpolation of any affine map

  private func interpolated(isTurned: Bool) throws -> Image {
    let cover = geometry.map.leastCover
    let least = min(cover.x, cover.y)
    let reduction =
      geometry.isLinear ? 1 : raster.reductions.last { Double($0) <= least } ?? 1
    let pixels = try raster.pixels(reduction: reduction)
    let box = (
      x: max(1, Int(cover.x / pixels.factorX)), y: max(1, Int(cover.y / pixels.factorY))
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
    let background = geometry.background
    let image = try pixels.image
      .holding(background ?? .black)
      .addingAlpha(background?.isOpaque == false)
    let blending = Blending(of: image, inLinearLight: geometry.isLinear)
    let part = try blending.entered(image)
      .window(
        left: needed.x * box.x,
        top: needed.y * box.y,
        right: (needed.x + needed.width) * box.x,
        bottom: (needed.y + needed.height) * box.y
      )
      .boxed(box.x, box.y).inMemory()
    let local = map.then(.translation(x: -Double(needed.x), y: -Double(needed.y)))
    var samples: [Double] = []
    if isTurned {
      let color = try image.samples(of: background ?? .transparent)
      samples = try blending.entered(Image.filled(color, width: 1, height: 1, like: image))
        .pixel(x: 0, y: 0)
    }
    let mapped = try part.affine(local.inverse, size: geometry.size, background: samples)
    return try blending.left(mapped)
  }

  /// The boxes of the raster that the map reads, with what the kernel reads beside them.
  private func bounds(of map: AffineMap, columns: Int, rows: Int) -> PixelRectangle {
    let right = Double(geometry.size.width)
    let bottom = Double(geometry.size.height)
    let corners = [
      map(x: 0, y: 0), map(x: right, y: 0), map(x: 0, y: bottom), map(x: right, y: bottom),
    ]
    // Bicubic reads two samples to either side.
    let margin = 3
    func span(_ values: [Double], _ count: Int) -> (Int, Int) {
      let least = (values.min() ?? 0).rounded(.down)
      let most = (values.max() ?? 0).rounded(.up)
      let first = min(max(0, Int(least) - margin), count - 1)
      return (first, max(first + 1, min(count, Int(most) + margin)))
    }
    let (left, end) = span(corners.map(\.x), columns)
    let (top, last) = span(corners.map(\.y), rows)
    return PixelRectangle(x: left, y: top, width: end - left, height: last - top)
  }
}

extension AffineMap {
  /// How many pixels of the raster one wanted pixel covers at least, along each axis of the raster;
  /// no less than 1.
  ///
  /// So many may be averaged before an interpolation and nothing is blurred.
  fileprivate var leastCover: (x: Double, y: Double) {
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

/// An axis-aligned geometry in the raster's own axes: the part that is taken, and the turn that
/// comes after.
private struct StoredAxes {
  let x: Double
  let y: Double
  /// Of the result, before the turn.
  let width: Int
  let height: Int
  /// Raster pixels for one pixel of the result.
  let factorX: Double
  let factorY: Double
  let orientation: Orientation

  init(_ geometry: Geometry) {
    let map = geometry.map
    let isSwapped = map.xx == 0
    let start = map(x: 0, y: 0)
    let end = map(x: Double(geometry.size.width), y: Double(geometry.size.height))
    width = isSwapped ? geometry.size.height : geometry.size.width
    height = isSwapped ? geometry.size.width : geometry.size.height
    x = min(start.x, end.x)
    y = min(start.y, end.y)
    factorX = snapped(abs(end.x - start.x) / Double(width))
    factorY = snapped(abs(end.y - start.y) / Double(height))
    let signs = (isSwapped, end.x < start.x, end.y < start.y)
    orientation =
      switch signs {
      case (false, false, false): .up
      case (false, true, false): .upMirrored
      case (false, true, true): .down
      case (false, false, true): .downMirrored
      case (true, false, false): .leftMirrored
      case (true, false, true): .right
      case (true, true, true): .rightMirrored
      case (true, true, false): .left
      }
  }

  /// Whole pixels at their own size.
  var isCut: Bool {
    factorX == 1 && factorY == 1 && x == x.rounded() && y == y.rounded()
  }
}

/// A factor that is 1 but for rounding must count as 1.
private func snapped(_ factor: Double) -> Double {
  abs(factor - 1) < 1e-9 ? 1 : factor
}

/// How one axis is reduced: by a whole-number box, then by a kernel over a window.
private struct ReducedAxis {
  let box: Int
  /// What is left for the kernel.
  let factor: Double
  /// In boxes.
  let window: AxisWindow

  /// `covered`: full-resolution pixels that one sample of the decoded picture covers; `shift`:
  /// where the decoded picture has the full resolution's edge.
  init(offset: Double, factor: Double, count: Int, covered: Double, shift: Double = 0) {
    let left = snapped(factor / covered)
    // A box leaves 2 to 4 for the kernel, as libvips' own `resize` does with a gap of 2.
    box = max(1, Int(left / 2))
    self.factor = left / Double(box)
    window = AxisWindow(
      offset: (offset / covered + shift) / Double(box),
      factor: self.factor,
      count: count
    )
  }
}
