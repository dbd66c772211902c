import Glibc
import Vips

/// Structural similarity to a picture, averaged over all places.
///
/// Equation 13 of Wang, Bovik, Sheikh and Simoncelli 2004; `AutomaticQuality` has the title.
struct Similarity {
  private let reference: Image
  private let mean: Image
  private let variance: Image

  /// (0.01 · 255)² and (0.03 · 255)².
  private static let c1 = 6.5025
  private static let c2 = 58.5225

  /// `reference`: one band of floating-point luma from 0 to 255.
  init(to reference: Image) throws {
    self.reference = try reference.inMemory()
    mean = try self.reference.windowed().inMemory()
    variance = try self.reference.times(self.reference).windowed().minus(mean.times(mean))
      .inMemory()
  }

  /// 1 for the picture itself; `other` has its size.
  func mean(of other: Image) throws -> Double {
    let other = try other.inMemory()
    let mean = try other.windowed().inMemory()
    let squares = try other.times(other).windowed()
    let products = try reference.times(other).windowed()
    let meanProduct = try self.mean.times(mean)
    let covariance = try products.minus(meanProduct)
    let otherSquare = try mean.times(mean)
    let variances = try squares.minus(otherSquare).plus(variance)
    let meanSquares = try self.mean.times(self.mean).plus(otherSquare)
    let above = try meanProduct.scaled(2, plus: Self.c1)
      .times(covariance.scaled(2, plus: Self.c2))
    let below = try meanSquares.scaled(1, plus: Self.c1)
      .times(variances.scaled(1, plus: Self.c2))
    return try above.call("divide", [.init("right", .image(below))], input: "left").average()
  }
}

extension Image {
  /// Weighted by the paper's window: 11 × 11 pixels, circular, of standard deviation 1.5.
  fileprivate func windowed() throws -> Image {
    let weights = (-5...5).map { exp(-Double($0 * $0) / (2 * 1.5 * 1.5)) }
    let sum = weights.reduce(0, +)
    return try call(
      "convsep",
      [
        .init("mask", .image(Image(matrix: [weights.map { $0 / sum }]))),
        .init("precision", .enumeration("float")),
      ]
    )
  }

  fileprivate func times(_ other: Image) throws -> Image {
    try call("multiply", [.init("right", .image(other))], input: "left")
  }

  fileprivate func minus(_ other: Image) throws -> Image {
    try call("subtract", [.init("right", .image(other))], input: "left")
  }

  fileprivate func plus(_ other: Image) throws -> Image {
    try call("add", [.init("right", .image(other))], input: "left")
  }

  fileprivate func scaled(_ factor: Double, plus offset: Double) throws -> Image {
    try call("linear", [.init("a", .doubles([factor])), .init("b", .doubles([offset]))])
  }
}
