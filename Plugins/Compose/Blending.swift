/// A pixel's colors and, last, its alpha, each 0 to 1; gray has its lightness three times.
typealias Pixel = SIMD4<Double>

extension SIMD4<Double> {
  @inline(__always) var alpha: Double { self[3] }

  @inline(__always) func with(alpha: Double) -> Pixel {
    var pixel = self
    pixel[3] = alpha
    return pixel
  }

  /// The colors multiplied by the alpha.
  @inline(__always) var premultiplied: Pixel { (self * alpha).with(alpha: alpha) }

  /// The colors divided by the alpha; black where nothing is to be seen.
  @inline(__always) var straight: Pixel {
    if alpha == 1 { return self }
    return alpha > 0 ? (self / alpha).with(alpha: alpha) : .zero
  }
}

extension BlendMode {
  /// The layer's pixel on the one below it.
  ///
  /// - Parameters:
  ///   - layer: Straight.
  ///   - below: With its colors multiplied by its alpha.
  /// - Returns: The same.
  @inline(__always)
  func mixed(_ layer: Pixel, on below: Pixel) -> Pixel {
    switch self {
    case .over: layer.premultiplied + below * (1 - layer.alpha)
    case .clear: .zero
    case .source: layer.premultiplied
    case .in: layer.premultiplied * below.alpha
    case .out: layer.premultiplied * (1 - below.alpha)
    case .atop: layer.premultiplied * below.alpha + below * (1 - layer.alpha)
    case .dest: below
    case .destOver: layer.premultiplied * (1 - below.alpha) + below
    case .destIn: below * layer.alpha
    case .destOut: below * (1 - layer.alpha)
    case .destAtop: layer.premultiplied * (1 - below.alpha) + below * layer.alpha
    case .xor: layer.premultiplied * (1 - below.alpha) + below * (1 - layer.alpha)
    case .add: pointwiseMin(layer.premultiplied + below, .one)
    case .saturate:
      (layer * min(layer.alpha, 1 - below.alpha) + below)
        .with(alpha: min(1, layer.alpha + below.alpha))
    default: blended(layer, on: below)
    }
  }

  /// Chapter 10: where both are, a color of both; where only one is, that one's.
  @inline(__always)
  private func blended(_ layer: Pixel, on below: Pixel) -> Pixel {
    let both = layer.alpha * below.alpha
    var pixel =
      layer.premultiplied * (1 - below.alpha) + below * (1 - layer.alpha)
      + color(layer, below.straight) * both
    pixel[3] = layer.alpha + below.alpha - both
    return pixel
  }

  /// The blend function B(Cb, Cs) of the layer's colors and those below, both straight.
  @inline(__always)
  private func color(_ layer: Pixel, _ below: Pixel) -> Pixel {
    switch self {
    case .multiply: return layer * below
    case .screen: return Self.screen(layer, below)
    case .overlay: return Self.hardLight(below, on: layer)
    case .darken: return pointwiseMin(layer, below)
    case .lighten: return pointwiseMax(layer, below)
    case .colorDodge:
      let dodged = pointwiseMin(below / (1 - layer), .one)
      return dodged.replacing(with: 1, where: layer .>= 1).replacing(with: 0, where: below .<= 0)
    case .colorBurn:
      let burnt = 1 - pointwiseMin((1 - below) / layer, .one)
      return burnt.replacing(with: 0, where: layer .<= 0).replacing(with: 1, where: below .>= 1)
    case .hardLight: return Self.hardLight(layer, on: below)
    case .softLight: return Self.softLight(layer, on: below)
    case .difference: return pointwiseMax(layer, below) - pointwiseMin(layer, below)
    case .exclusion: return layer + below - 2 * layer * below
    default: preconditionFailure("a mode of chapter 10")
    }
  }

  @inline(__always)
  private static func screen(_ layer: Pixel, _ below: Pixel) -> Pixel {
    layer + below - layer * below
  }

  @inline(__always)
  private static func hardLight(_ layer: Pixel, on below: Pixel) -> Pixel {
    let dark = 2 * layer * below
    return dark.replacing(with: screen(2 * layer - 1, below), where: layer .> 0.5)
  }

  @inline(__always)
  private static func softLight(_ layer: Pixel, on below: Pixel) -> Pixel {
    let low = ((16 * below - 12) * below + 4) * below
    let curve = low.replacing(with: below.squareRoot(), where: below .> 0.25)
    let dark = below - (1 - 2 * layer) * below * (1 - below)
    let light = below + (2 * layer - 1) * (curve - below)
    return dark.replacing(with: light, where: layer .> 0.5)
  }
}
