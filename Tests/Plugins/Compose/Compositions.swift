import ComposeOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

/// What a step makes of pictures.
func composed(
  _ toml: String,
  _ images: [Image],
  outputs: [String: Image] = [:]
) throws -> Image {
  try trial(toml, images, outputs: outputs).image()
}

func trial(_ toml: String, _ images: [Image], outputs: [String: Image] = [:]) throws -> Trial {
  try Trial(Trial.operation(Compose.self, toml), on: images, outputs: outputs)
}

/// The samples of 8 bit as numbers that can be asked for by place.
struct Pixels {
  let width: Int
  let height: Int
  let bands: Int
  let samples: [UInt8]

  init(_ image: Image) throws {
    width = image.width
    height = image.height
    bands = image.bands
    samples = try image.pixels()
  }

  subscript(x: Int, y: Int) -> [UInt8] {
    let start = (y * width + x) * bands
    return Array(samples[start..<(start + bands)])
  }

  /// The middle of what is bright in the first band, in points.
  var centroid: Point {
    var (sum, sumX, sumY) = (0.0, 0.0, 0.0)
    for y in 0..<height {
      for x in 0..<width {
        let level = Double(samples[(y * width + x) * bands])
        sum += level
        sumX += level * (Double(x) + 0.5)
        sumY += level * (Double(y) + 0.5)
      }
    }
    return Point(x: sumX / sum, y: sumY / sum)
  }
}

/// Every pixel another.
func noise(_ width: Int, _ height: Int, bands: Int = 3, seed: UInt32 = 1) throws -> Image {
  var dice = Dice(seed)
  let pixels = (0..<(width * height * bands)).map { _ in UInt8(dice.next(0...255)) }
  return try Image(pixels: pixels, width: width, height: height, bands: bands)
}
