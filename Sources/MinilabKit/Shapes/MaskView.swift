import Vips

/// How a mask is seen: through which window, and how soft.
struct MaskView {
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
