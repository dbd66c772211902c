import Glibc
public import MinilabKit

/// The oracle of pixels: a map from wanted to source points, evaluated once on the full picture,
/// slowly and in double precision.
public enum NaiveResampler {
  /// Lanczos with three lobes, stretched by the factor where the picture becomes smaller.
  public static func lanczos3(_ x: Double) -> Double {
    if x == 0 { return 1 }
    if abs(x) >= 3 { return 0 }
    let p = Double.pi * x
    return 3 * sin(p) * sin(p / 3) / (p * p)
  }

  /// Catmull-Rom, which libvips calls bicubic.
  public static func catmullRom(_ x: Double) -> Double {
    let a = abs(x)
    if a < 1 { return 1.5 * a * a * a - 2.5 * a * a + 1 }
    if a < 2 { return -0.5 * a * a * a + 2.5 * a * a - 4 * a + 2 }
    return 0
  }

  /// A map without angles: each axis with its own kernel, Lanczos where it shrinks, bicubic where
  /// it grows.
  ///
  /// Beyond the edges the edge is repeated.
  public static func aligned(_ source: NaivePicture, _ map: AffineMap, _ size: Size) -> NaivePicture
  {
    if map.xx == 0 {
      // Swapped: resample the transposed picture with the transposed map.
      let transposed = source.turned(byTag: 5)
      let swapped = AffineMap(
        xx: map.yx,
        xy: map.yy,
        x0: map.y0,
        yx: map.xx,
        yy: map.xy,
        y0: map.x0
      )
      return aligned(transposed, swapped, size)
    }
    let across = resampled(source, count: size.width) {
      map.xx * $0 + map.x0
    } step: {
      abs(map.xx)
    }
    // The other axis is the same on the transposed picture.
    let down = resampled(across.turned(byTag: 5), count: size.height) {
      map.yy * $0 + map.y0
    } step: {
      abs(map.yy)
    }
    return down.turned(byTag: 5)
  }

  private static func resampled(
    _ source: NaivePicture,
    count: Int,
    _ position: (Double) -> Double,
    step: () -> Double
  ) -> NaivePicture {
    let factor = max(1, step())
    let isShrinking = step() >= 1
    let reach = (isShrinking ? 3 : 2) * factor
    var taps: [[(index: Int, weight: Double)]] = []
    for x in 0..<count {
      let center = position(Double(x) + 0.5)
      let first = Int((center - reach).rounded(.down))
      let last = Int((center + reach).rounded(.up))
      var row: [(index: Int, weight: Double)] = []
      var sum = 0.0
      for i in first...last {
        let distance = (Double(i) + 0.5 - center) / factor
        let weight = isShrinking ? lanczos3(distance) : catmullRom(distance)
        guard weight != 0 else { continue }
        row.append((min(max(i, 0), source.width - 1), weight))
        sum += weight
      }
      taps.append(row.map { ($0.index, $0.weight / sum) })
    }
    let bands = source.bands
    var samples = [Double](repeating: 0, count: count * source.height * bands)
    source.samples.withUnsafeBufferPointer { input in
      samples.withUnsafeMutableBufferPointer { output in
        for y in 0..<source.height {
          let row = y * source.width * bands
          for x in 0..<count {
            let to = (y * count + x) * bands
            for (index, weight) in taps[x] {
              let from = row + index * bands
              for band in 0..<bands { output[to + band] += input[from + band] * weight }
            }
          }
        }
      }
    }
    return NaivePicture(width: count, height: source.height, bands: bands, samples: samples)
  }

  /// Any map with a bicubic kernel of one source pixel, which sees the edge repeated.
  ///
  /// `background`: what is beyond the picture's edges, with each pixel's share counted.
  public static func bicubic(
    _ source: NaivePicture,
    _ map: AffineMap,
    _ size: Size,
    background: [Double]
  ) -> NaivePicture {
    bicubic(source, map, size).framed(by: NaiveFrame(map, source.size, background))
  }

  /// The same, with the edge repeated beyond the picture.
  public static func bicubic(_ source: NaivePicture, _ map: AffineMap, _ size: Size) -> NaivePicture
  {
    NaivePicture.rows(size, source.bands) { x, y in
      let point = map(x: Double(x) + 0.5, y: Double(y) + 0.5)
      let (fx, fy) = (point.x - 0.5, point.y - 0.5)
      let (left, top) = (Int(fx.rounded(.down)), Int(fy.rounded(.down)))
      var result = [Double](repeating: 0, count: source.bands)
      for j in (top - 1)...(top + 2) {
        let down = catmullRom(Double(j) - fy)
        let row = min(max(0, j), source.height - 1)
        for i in (left - 1)...(left + 2) {
          let weight = down * catmullRom(Double(i) - fx)
          let column = min(max(0, i), source.width - 1)
          for band in 0..<source.bands { result[band] += weight * source[column, row, band] }
        }
      }
      return result
    }
    .clipped()
  }
}

/// A rectangle that is seen, and what is around it, for the oracle.
public struct NaiveFrame: Sendable {
  /// From points of the wanted picture to points of the rectangle.
  public let map: AffineMap
  public let seen: Size
  public let color: [Double]

  public init(_ map: AffineMap, _ seen: Size, _ color: [Double]) {
    self.map = map
    self.seen = seen
    self.color = color
  }
}

extension NaivePicture {
  /// Each pixel mixed with the color by the share of 16 × 16 points in it that lie beyond the edges.
  public func framed(by frame: NaiveFrame) -> NaivePicture {
    let points = 16
    return NaivePicture.rows(size, bands) { x, y in
      let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map {
        frame.map(x: Double(x + $0.0), y: Double(y + $0.1))
      }
      let isWhole = corners.allSatisfy {
        $0.x >= 0 && $0.y >= 0 && $0.x <= Double(frame.seen.width)
          && $0.y <= Double(frame.seen.height)
      }
      if isWhole { return pixel(x, y) }
      var inside = 0
      for j in 0..<points {
        for i in 0..<points {
          let point = frame.map(
            x: Double(x) + (Double(i) + 0.5) / Double(points),
            y: Double(y) + (Double(j) + 0.5) / Double(points)
          )
          if point.x >= 0, point.y >= 0, point.x <= Double(frame.seen.width),
            point.y <= Double(frame.seen.height)
          {
            inside += 1
          }
        }
      }
      let share = Double(inside) / Double(points * points)
      return zip(pixel(x, y), frame.color).map { $0 * share + $1 * (1 - share) }
    }
  }
}

extension NaivePicture {
  /// A picture from a function of the pixel that gives all bands.
  public static func rows(
    _ size: Size,
    _ bands: Int,
    _ pixel: (Int, Int) -> [Double]
  ) -> NaivePicture {
    var samples: [Double] = []
    samples.reserveCapacity(size.width * size.height * bands)
    for y in 0..<size.height {
      for x in 0..<size.width { samples += pixel(x, y) }
    }
    return NaivePicture(width: size.width, height: size.height, bands: bands, samples: samples)
  }
}
