import MinilabKit
import Vips

/// Puts what lies around a picture around it, with an edge as smooth as the pixels allow.
///
/// The picture was made with its edge repeated, so that its kernel has seen no other color; each
/// backdrop then covers what is beyond its edge, and half of what the edge halves. So no pixel at an
/// edge is brighter or darker than the two it lies between.
struct Backing {
  let geometry: Geometry

  /// The part of the wanted picture in which the raster can be seen; one pixel where it is nowhere
  /// seen.
  var shown: PixelRectangle {
    let all = PixelRectangle(geometry.size)
    if let window = wholeWindow { return window.intersection(all) }
    let part = geometry.backdrops.reduce(all) { part, backdrop in
      let corners = backdrop.seen.corners.map { backdrop.map.inverse($0) }
      let (left, right) = Self.span(corners.map(\.x), all.width)
      let (top, bottom) = Self.span(corners.map(\.y), all.height)
      let box = PixelRectangle(x: left, y: top, width: right - left, height: bottom - top)
      return part.intersection(box)
    }
    return part.isEmpty ? PixelRectangle(x: 0, y: 0, width: 1, height: 1) : part
  }

  /// Nothing has to be mixed at the picture's edges.
  var isFramed: Bool { wholeWindow != nil }

  /// The whole pixels of the wanted picture behind which the only backdrop begins; nil where there are
  /// several, or edges between pixels.
  private var wholeWindow: PixelRectangle? {
    guard geometry.backdrops.count == 1, let backdrop = geometry.backdrops.first,
      backdrop.map.isAxisAligned
    else { return nil }
    let corners = backdrop.seen.corners.map { backdrop.map.inverse($0) }
    let tolerance = 1e-6
    let areWhole = corners.allSatisfy {
      abs($0.x - $0.x.rounded()) < tolerance && abs($0.y - $0.y.rounded()) < tolerance
    }
    let window = PixelRectangle(around: corners)
    let isSeen = !window.isEmpty && !window.intersection(PixelRectangle(geometry.size)).isEmpty
    return areWhole && isSeen ? window : nil
  }

  /// The whole pixels that a smooth edge touches, as far as the picture goes.
  private static func span(_ values: [Double], _ length: Int) -> (Int, Int) {
    func inside(_ value: Double) -> Int { Int(min(max(0, value), Double(length))) }
    let first = ((values.min() ?? 0) - 0.5).rounded(.down)
    let last = ((values.max() ?? 0) + 0.5).rounded(.up)
    return (inside(first), inside(last))
  }

  /// The wanted picture.
  ///
  /// `part`: the pixels of `shown`.
  func around(_ part: Image) throws -> Image {
    if wholeWindow != nil, let backdrop = geometry.backdrops.first {
      return try framed(part, by: backdrop.color)
    }
    let size = geometry.size
    let able = try geometry.backdrops.map(\.color).reduce(part.held()) { image, color in
      try image.holding(color).addingAlpha(!color.isOpaque)
    }
    let blending = Blending(of: able, inLinearLight: geometry.isLinear)
    let shown = shown
    var picture = try blending.entered(able)
      .embed(
        left: shown.x,
        top: shown.y,
        width: size.width,
        height: size.height,
        extend: "black"
      )
    for backdrop in geometry.backdrops {
      let color = try Image.filled(
        able.samples(of: backdrop.color),
        width: 1,
        height: 1,
        like: able
      )
      let flat = try blending.entered(color).inMemory()
        .embed(left: 0, top: 0, width: size.width, height: size.height, extend: "copy")
      picture = try coverage(of: backdrop).mixed(picture, flat)
    }
    return try blending.left(picture.copy(interpretation: able.interpretation))
  }

  /// Pixels are of the picture, or beside it, and none is both: nothing is to be mixed.
  private func framed(_ part: Image, by color: Color) throws -> Image {
    let able = try part.holding(color).addingAlpha(!color.isOpaque)
    return try able.embed(
      left: shown.x,
      top: shown.y,
      width: geometry.size.width,
      height: geometry.size.height,
      extend: "background",
      background: able.samples(of: color)
    )
  }

  /// How much of each wanted pixel lies within the backdrop's edges: 0 to 255.
  private func coverage(of backdrop: Backdrop) throws -> Image {
    let size = geometry.size
    let toWanted = backdrop.map.inverse
    let corners = size.corners.map { backdrop.map($0) }
    let stretch = toWanted.stretch
    let across = Side(of: backdrop.seen.width, within: corners.map(\.x), scale: stretch.x)
    let down = Side(of: backdrop.seen.height, within: corners.map(\.y), scale: stretch.y)
    guard let across, let down else { return try .gray(0, size) }
    // A white picture whose pixels are as large as the wanted ones, with black around it: between
    // the two a linear kernel gives each pixel the part that is covered.
    let border = 2
    let count = Size(width: across.count, height: down.count)
    let white = try Image.gray(255 * across.part * down.part, count)
      .embed(
        left: border,
        top: border,
        width: count.width + 2 * border,
        height: count.height + 2 * border,
        extend: "black"
      )
    let map = AffineMap.translation(x: -Double(border), y: -Double(border))
      .then(.scale(x: across.step, y: down.step))
      .then(.translation(x: across.start, y: down.start))
      .then(toWanted)
    return try white.affine(map, size: size, background: [0], interpolator: "bilinear")
  }

  /// One side of an edge's rectangle, as far as the wanted picture can show it, in pixels of about
  /// the wanted size.
  private struct Side {
    let start: Double
    /// The length of one pixel.
    let step: Double
    let count: Int
    /// A side that is thinner than a pixel covers only this part of it.
    let part: Double

    /// Nil where the wanted picture shows nothing of it.
    ///
    /// - Parameters:
    ///   - length: of the side.
    ///   - corners: of the wanted picture, along this side.
    ///   - scale: wanted pixels for one unit of the side.
    init?(of length: Int, within corners: [Double], scale: Double) {
      let margin = 2 / scale
      let first = max(0, (corners.min() ?? 0) - margin)
      let last = min(Double(length), (corners.max() ?? 0) + margin)
      guard first < last else { return nil }
      let pixels = (last - first) * scale
      count = max(1, Int(pixels.rounded(.up)))
      part = min(1, pixels)
      step = max(last - first, 1 / scale) / Double(count)
      start = (first + last) / 2 - step * Double(count) / 2
    }
  }
}

extension Image {
  fileprivate static func gray(_ level: Double, _ size: Size) throws -> Image {
    let black = try OperationCall("black")
    try black.set("width", .int(size.width))
    try black.set("height", .int(size.height))
    return try black.run().image
      .call("linear", [.init("a", .doubles([1])), .init("b", .doubles([level]))]).rounded(
        to: .uchar
      )
  }
}
