public import MinilabKit

/// A picture as plain numbers: what the oracles of these tests compute on, without libvips.
public struct NaivePicture: Equatable, Sendable {
  public let width: Int
  public let height: Int
  public let bands: Int
  /// Interleaved, row by row.
  public var samples: [Double]

  public init(width: Int, height: Int, bands: Int, samples: [Double]) {
    precondition(samples.count == width * height * bands)
    self.width = width
    self.height = height
    self.bands = bands
    self.samples = samples
  }

  /// Of the samples of a picture of 8 bit.
  public init(width: Int, height: Int, bands: Int, bytes: [UInt8]) {
    self.init(width: width, height: height, bands: bands, samples: bytes.map(Double.init))
  }

  /// Of the samples of a picture of 16 bit.
  public init(width: Int, height: Int, bands: Int, words: [UInt16]) {
    self.init(width: width, height: height, bands: bands, samples: words.map(Double.init))
  }

  public init(
    width: Int,
    height: Int,
    bands: Int,
    _ value: (_ x: Int, _ y: Int, _ band: Int) -> Double
  ) {
    var samples: [Double] = []
    samples.reserveCapacity(width * height * bands)
    for y in 0..<height {
      for x in 0..<width {
        for band in 0..<bands { samples.append(value(x, y, band)) }
      }
    }
    self.init(width: width, height: height, bands: bands, samples: samples)
  }

  public var size: Size { Size(width: width, height: height) }

  public subscript(x: Int, y: Int, band: Int) -> Double {
    get { samples[(y * width + x) * bands + band] }
    set { samples[(y * width + x) * bands + band] = newValue }
  }

  public func pixel(_ x: Int, _ y: Int) -> [Double] { (0..<bands).map { self[x, y, $0] } }

  /// Rounded and clipped as a picture of whole numbers is.
  public func clipped(to maximum: Double = 255) -> NaivePicture {
    NaivePicture(
      width: width,
      height: height,
      bands: bands,
      samples: samples.map { min(maximum, max(0, $0)) }
    )
  }

  /// The samples as 8 bit have them, rounded and clipped.
  public var bytes: [UInt8] { samples.map { UInt8(min(255, max(0, $0.rounded()))) } }

  /// The samples as 16 bit have them, rounded and clipped.
  public var words: [UInt16] { samples.map { UInt16(min(65_535, max(0, $0.rounded()))) } }

  /// The average of the absolute differences; infinite between different shapes.
  public func meanDifference(from other: NaivePicture, inside margin: Int = 0) -> Double {
    differences(from: other, inside: margin).map { $0.reduce(0, +) / Double(max(1, $0.count)) }
      ?? .infinity
  }

  /// The greatest absolute difference; infinite between different shapes.
  public func greatestDifference(from other: NaivePicture, inside margin: Int = 0) -> Double {
    differences(from: other, inside: margin).map { $0.max() ?? 0 } ?? .infinity
  }

  private func differences(from other: NaivePicture, inside margin: Int) -> [Double]? {
    guard size == other.size, bands == other.bands else { return nil }
    if margin == 0 { return zip(samples, other.samples).map { abs($0 - $1) } }
    var differences: [Double] = []
    for y in margin..<max(margin, height - margin) {
      for x in margin..<max(margin, width - margin) {
        for band in 0..<bands { differences.append(abs(self[x, y, band] - other[x, y, band])) }
      }
    }
    return differences
  }

  /// The picture that a viewer sees of stored pixels with an EXIF orientation, written from the
  /// standard's own words (EXIF 2.32, tag 274: which side of the picture the 0th row and the 0th
  /// column are) and not from any map of ours.
  public func turned(byTag tag: Int) -> NaivePicture {
    func seen(_ row: Int, _ column: Int) -> (x: Int, y: Int) {
      switch tag {
      // The 0th row is at the top, the 0th column at the right.
      case 2: (width - 1 - column, row)
      // Bottom, right.
      case 3: (width - 1 - column, height - 1 - row)
      // Bottom, left.
      case 4: (column, height - 1 - row)
      // Left, top.
      case 5: (row, column)
      // Right, top.
      case 6: (height - 1 - row, column)
      // Right, bottom.
      case 7: (height - 1 - row, width - 1 - column)
      // Left, bottom.
      case 8: (row, width - 1 - column)
      default: (column, row)
      }
    }
    let swaps = (5...8).contains(tag)
    var result = NaivePicture(
      width: swaps ? height : width,
      height: swaps ? width : height,
      bands: bands
    ) { _, _, _ in -1 }
    for row in 0..<height {
      for column in 0..<width {
        let (x, y) = seen(row, column)
        for band in 0..<bands { result[x, y, band] = self[column, row, band] }
      }
    }
    return result
  }
}

extension NaivePicture {
  /// A picture with all that resampling can spoil: slopes, waves of several lengths, a disc and a
  /// thin line; different in every direction, so that no turn or mirror of it is itself.
  ///
  /// Nothing in it is finer than `detail` pixels.
  public static func synthetic(
    _ width: Int,
    _ height: Int,
    bands: Int = 3,
    detail: Double = 6
  ) -> Self {
    let radius = Double(min(width, height)) / 5
    return NaivePicture(width: width, height: height, bands: bands) { x, y, band in
      let u = (Double(x) + 0.5) / Double(width)
      let v = (Double(y) + 0.5) / Double(height)
      let wave =
        wave((Double(x) * 0.8 + Double(y) * 0.6) / detail)
        + wave(Double(x) / (detail * 2.3) + Double(band)) * wave(Double(y) / (detail * 1.7))
      var level = 110 + 60 * u - 40 * v * v + 18 * wave + Double(band) * 8
      let distance =
        ((Double(x) - 0.3 * Double(width)) * (Double(x) - 0.3 * Double(width))
        + (Double(y) - 0.65 * Double(height)) * (Double(y) - 0.65 * Double(height))).squareRoot()
      // A soft edge as wide as the detail.
      level += 50 * min(1, max(0, (radius - distance) / detail + 0.5))
      return min(250, max(5, level))
    }
  }
}

/// A sine by its series would be slow in a debug build; a smooth wave of period 1 is enough.
private func wave(_ phase: Double) -> Double {
  let t = phase - phase.rounded(.down)
  // Two parabolas, which meet with the same slope.
  return t < 0.5 ? 16 * t * (0.5 - t) : -16 * (t - 0.5) * (1 - t)
}
