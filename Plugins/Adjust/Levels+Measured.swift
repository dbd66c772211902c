import MinilabKit

extension Levels {
  /// A range of tones narrower than this is a surface, and stretching it would only show its noise.
  static let narrowest = 4.0 / 255

  /// The levels that lose no more than a part of the picture's pixels at either end.
  ///
  /// Black is told by how light pixels are (luma, ITU-R BT.709), white by their lightest channel: a
  /// strong color is never light, and would else be burnt out. Pixels count by their alpha.
  ///
  /// `clip`: 0…1.
  init(of image: Image, clip: Double) throws {
    let full = Int(image.sampleMaximum)
    let samples =
      try image.format == .ushort ? image.pixels16().map(Int.init) : image.pixels().map(Int.init)
    let colors = image.hasAlpha ? image.bands - 1 : image.bands
    var luma = [Double](repeating: 0, count: full + 1)
    var lightest = luma
    var total = 0.0
    for start in stride(from: 0, to: samples.count, by: image.bands) {
      let weight = image.hasAlpha ? Double(samples[start + colors]) / Double(full) : 1
      if weight == 0 { continue }
      let pixel = samples[start..<(start + colors)]
      luma[Self.luma(pixel)] += weight
      lightest[pixel.max() ?? 0] += weight
      total += weight
    }
    let most = clip * total
    let black = Self.place(in: luma, after: most)
    let lightestLuma = full - Self.place(in: luma.reversed(), after: most)
    let white = full - Self.place(in: lightest.reversed(), after: most)
    let isSurface = Double(lightestLuma - black) / Double(full) < Self.narrowest
    self =
      isSurface
      ? .all : Levels(black: Double(black) / Double(full), white: Double(white) / Double(full))
  }

  private static func luma(_ pixel: ArraySlice<Int>) -> Int {
    guard pixel.count == 3 else { return pixel.first ?? 0 }
    let weights = [0.2126, 0.7152, 0.0722]
    return Int(zip(pixel, weights).map { Double($0) * $1 }.reduce(0, +).rounded())
  }

  /// The first place at which the counts up to and with it are more than `most`.
  private static func place(in counts: [Double], after most: Double) -> Int {
    var sum = 0.0
    for (place, count) in counts.enumerated() {
      sum += count
      if sum > most, count > 0 { return place }
    }
    return 0
  }
}
