public import Drawing
internal import Glibc
public import Vips

/// Masks: pictures of one 8-bit band, 255 where a shape is and 0 where it is not.
///
/// They are never held whole: their pixels are drawn as a pipeline asks for them.
extension Outline {
  /// A mask of what the outline covers.
  ///
  /// - Parameters:
  ///   - style: filled, or drawn along.
  ///   - map: from the outline's points to the plane's.
  ///   - window: what the mask shows, in pixels of that plane.
  ///   - feather: the standard deviation of a Gaussian, in pixels of that plane.
  ///   - inverted: true for the rest of the plane.
  /// - Returns: a mask of the window's size.
  /// - Throws: `VipsError`.
  public func mask(
    _ style: CoveragePainter.Style = .fill,
    through map: AffineMap = .identity,
    window: PixelRectangle,
    feather: Double = 0,
    inverted: Bool = false
  ) throws -> Image {
    try MaskView(window: window, feather: feather, isInverted: inverted).mask { view, size in
      let outline = transformed(by: map.then(view))
      return try Image.painted(width: size.width, height: size.height) {
        CoveragePainter(outline, style, width: size.width, height: size.height)
      }
    }
  }
}

extension CoveragePainter: PixelPainter {}

extension Shape {
  /// A mask of the shape on a frame of that size.
  ///
  /// - Parameters:
  ///   - frame: what the shape's percentages are of.
  ///   - map: from the frame's points to the plane's.
  ///   - window: what the mask shows, in pixels of that plane.
  ///   - feather: the standard deviation of a Gaussian, in pixels of that plane.
  ///   - inverted: true for the rest of the plane.
  ///   - picture: opens the file of an `image`, in working pixels, held in memory.
  /// - Returns: a mask of the window's size.
  /// - Throws: `ItemError` for a shape without an area or off the frame.
  public func mask(
    in frame: Size,
    through map: AffineMap = .identity,
    window: PixelRectangle,
    feather: Double = 0,
    inverted: Bool = false,
    picture: (FileReference) throws -> Image
  ) throws -> Image {
    let outline = try outline(in: frame)
    guard kind == .image, let file else {
      return try outline.mask(through: map, window: window, feather: feather, inverted: inverted)
    }
    let levels = try picture(file).maskLevels()
    let place = AffineMap.scale(x: 1 / Double(levels.width), y: 1 / Double(levels.height))
      .then(unitMap(in: frame))
      .then(map)
    return try MaskView(window: window, feather: feather, isInverted: inverted).mask { view, size in
      let box = outline.transformed(by: map.then(view))
      let edge = try box.mask(window: PixelRectangle(size))
      return try levels.stretched(through: place.then(view), size: size).multiplied(by: edge)
    }
  }
}

/// How a mask is seen: through which window, and how soft.
private struct MaskView {
  let window: PixelRectangle
  let feather: Double
  let isInverted: Bool

  /// From this on, soft masks are drawn smaller and enlarged: it costs a tenth.
  private static let softest = 8.0
  /// The feather of such a small mask, in its own pixels, at least: a curve from which lines between
  /// its pixels are half a level away (an eighth of its second derivative).
  private static let smallFeather = 4.0

  /// Makes a mask.
  ///
  /// `draw`: the sharp mask of a plane that the map leads to, from its origin to that size.
  func mask(_ draw: (AffineMap, Size) throws -> Image) throws -> Image {
    let mask =
      switch feather {
      case ...0:
        try draw(.translation(x: -Double(window.x), y: -Double(window.y)), window.size)
      case ..<Self.softest: try softened(draw)
      default: try softenedSmall(draw, by: Int(feather / Self.smallFeather))
      }
    return try isInverted ? mask.call("invert") : mask
  }

  private func softened(_ draw: (AffineMap, Size) throws -> Image) throws -> Image {
    let reach = Int((4 * feather).rounded(.up)) + 1
    let sharp = try draw(
      .translation(x: Double(reach - window.x), y: Double(reach - window.y)),
      Size(width: window.width + 2 * reach, height: window.height + 2 * reach)
    )
    return try blurred(sharp, feather)
      .extractArea(left: reach, top: reach, width: window.width, height: window.height)
      .rounded(to: .uchar)
  }

  /// `factor`: pixels of the plane along one pixel of the small mask.
  private func softenedSmall(
    _ draw: (AffineMap, Size) throws -> Image,
    by factor: Int
  ) throws -> Image {
    let scale = Double(factor)
    // A small pixel is an average over a square, and enlarging it by lines averages over a triangle:
    // both are soft already (their variances are 1/12 and 1/6).
    let variance = (feather * feather + 1.0 / 12) / (scale * scale) - 1.0 / 12 - 1.0 / 6
    let reach = Int((4 * variance.squareRoot()).rounded(.up)) + 2
    // Pixels of the small mask lie on a grid of the whole plane, whatever the window.
    let left = Int((Double(window.x) / scale).rounded(.down)) - reach
    let top = Int((Double(window.y) / scale).rounded(.down)) - reach
    let size = Size(
      width: Int((Double(window.x + window.width) / scale).rounded(.up)) + reach - left,
      height: Int((Double(window.y + window.height) / scale).rounded(.up)) + reach - top
    )
    let view = AffineMap.scale(x: 1 / scale, y: 1 / scale)
      .then(.translation(x: -Double(left), y: -Double(top)))
    let small = try blurred(draw(view, size), variance.squareRoot())
    let back = AffineMap(
      xx: scale,
      xy: 0,
      x0: Double(left * factor - window.x),
      yx: 0,
      yy: scale,
      y0: Double(top * factor - window.y)
    )
    return try small.mapped(through: back, size: window.size).rounded(to: .uchar)
  }

  private func blurred(_ sharp: Image, _ sigma: Double) throws -> Image {
    try sharp.call(
      "gaussblur",
      [
        .init("sigma", .double(sigma)), .init("min-ampl", .double(0.001)),
        .init("precision", .enumeration("float")),
      ]
    )
  }
}

extension Image {
  /// What a mask picture says, as one 8-bit band: its alpha, else its lightness.
  fileprivate func maskLevels() throws -> Image {
    let gray = try isGray || hasAlpha ? self : colourspace(format == .ushort ? .gray16 : .gray)
    let band = try gray.extractBands(hasAlpha ? bands - 1 : 0, count: 1)
    guard band.format == .ushort else { return try band.copy(interpretation: .gray) }
    return try band.call(
      "linear",
      [.init("a", .doubles([1.0 / 257])), .init("b", .doubles([0.5])), .init("uchar", .bool(true))]
    )
    .copy(interpretation: .gray)
  }

  /// The picture on a plane, beyond its edges its edge; first shrunk where the map shrinks it.
  fileprivate func stretched(through map: AffineMap, size: Size) throws -> Image {
    let stretch = map.stretch
    let small = Size(
      width: min(width, max(1, Int((stretch.x * Double(width)).rounded(.up)))),
      height: min(height, max(1, Int((stretch.y * Double(height)).rounded(.up))))
    )
    if small == Size(width: width, height: height) { return try mapped(through: map, size: size) }
    // A kernel with negative lobes would leave rings of half transparency.
    let shrunk = try resize(
      Double(small.width) / Double(width),
      vertical: Double(small.height) / Double(height),
      kernel: "linear"
    )
    .inMemory()
    let grown = AffineMap.scale(
      x: Double(width) / Double(shrunk.width),
      y: Double(height) / Double(shrunk.height)
    )
    return try shrunk.mapped(through: grown.then(map), size: size)
  }

  /// The picture seen through a map, with straight lines between its pixels.
  fileprivate func mapped(through map: AffineMap, size: Size) throws -> Image {
    // libvips counts from the centers of pixels, a map from their corners: half a pixel each way.
    try call(
      "affine",
      [
        .init("matrix", .doubles([map.xx, map.xy, map.yx, map.yy])),
        .init("oarea", .ints([0, 0, size.width, size.height])),
        .init("idx", .double(0.5)), .init("idy", .double(0.5)),
        .init("odx", .double(map.x0 - 0.5)), .init("ody", .double(map.y0 - 0.5)),
        .init("interpolate", .interpolate("bilinear")), .init("extend", .enumeration("copy")),
      ]
    )
  }

  /// The product of two masks.
  fileprivate func multiplied(by other: Image) throws -> Image {
    try call("multiply", [.init("right", .image(other))], input: "left")
      .call(
        "linear",
        [
          .init("a", .doubles([1.0 / 255])), .init("b", .doubles([0.5])),
          .init("uchar", .bool(true)),
        ]
      )
  }
}
