public import Vips

/// Small pictures that tests make.
public enum Sample {
  /// A file: one white pixel.
  public static let whitePixelGIF: [UInt8] =
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0]
    + [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]

  /// Red grows to the right and green downwards, so that a pixel tells its place.
  public static func gradient(width: Int, height: Int) throws -> Image {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 3)
    for y in 0..<height {
      for x in 0..<width {
        pixels.append(UInt8(x * 255 / max(1, width - 1)))
        pixels.append(UInt8(y * 255 / max(1, height - 1)))
        pixels.append(64)
      }
    }
    return try Image(pixels: pixels, width: width, height: height, bands: 3)
  }

  /// One color everywhere.
  public static func flat(_ samples: [UInt8], width: Int, height: Int) throws -> Image {
    let pixels = (0..<(width * height)).flatMap { _ in samples }
    return try Image(pixels: pixels, width: width, height: height, bands: samples.count)
  }

  /// A disc of one opaque color on transparent pixels of another.
  public static func disc(
    _ color: [UInt8],
    outside: [UInt8],
    side: Int
  ) throws -> Image {
    var pixels: [UInt8] = []
    let middle = Double(side - 1) / 2
    for y in 0..<side {
      for x in 0..<side {
        let distance =
          (Double(x) - middle) * (Double(x) - middle)
          + (Double(y) - middle) * (Double(y) - middle)
        let isInside = distance <= middle * middle / 2
        pixels += (isInside ? color : outside) + [isInside ? 255 : 0]
      }
    }
    return try Image(pixels: pixels, width: side, height: side, bands: 4)
  }
}

extension Image {
  /// The samples of one pixel of an 8-bit picture; none of a pixel that is not there, so that a picture
  /// of another size fails a test and does not end it.
  public func samples(x: Int, y: Int) throws -> [UInt8] {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return [] }
    let all = try pixels()
    let start = (y * width + x) * bands
    return Array(all[start..<(start + bands)])
  }
}
