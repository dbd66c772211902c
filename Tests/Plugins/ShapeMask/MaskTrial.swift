import MinilabHost
import MinilabKit
import ShapeMaskOperation
import TestSupport
import Testing
import Vips

/// What the operation makes of a picture.
func masked(_ toml: String, _ image: Image) throws -> Image {
  try Trial(Trial.operation(ShapeMask.self, toml), on: image).image()
}

/// Samples of an 8- or 16-bit picture, which are read once.
struct Pixels {
  let width: Int
  let height: Int
  let bands: Int
  let samples: [Int]

  init(_ image: Image) throws {
    width = image.width
    height = image.height
    bands = image.bands
    samples =
      try image.format == .ushort ? image.pixels16().map(Int.init) : image.pixels().map(Int.init)
  }

  subscript(x: Int, y: Int) -> [Int] {
    Array(samples[((y * width + x) * bands)..<((y * width + x + 1) * bands)])
  }

  /// The sum of the last band, in full pixels.
  var area: Double {
    stride(from: bands - 1, to: samples.count, by: bands).reduce(0) { $0 + Double(samples[$1]) }
      / 255
  }
}
