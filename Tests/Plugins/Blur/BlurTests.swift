import BlurOperation
import Glibc
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite(.vips) struct BlurTests {
  @Test func spreadsAPointAsAGaussian() throws {
    var pixels = [UInt8](repeating: 0, count: 31 * 31)
    for y in 14...16 { for x in 14...16 { pixels[y * 31 + x] = 255 } }
    let image = try Image(pixels: pixels, width: 31, height: 31, bands: 1)
    func blurred(_ sigma: Double) throws -> [UInt8] {
      try Trial(Trial.operation(Blur.self, "sigma = \(sigma)"), on: image).image().pixels()
    }
    let little = try blurred(1)
    let much = try blurred(3)
    #expect(little[15 * 31 + 15] > much[15 * 31 + 15])
    #expect(much[15 * 31 + 20] > little[15 * 31 + 20])
    // The same to all sides.
    #expect(much[15 * 31 + 20] == much[20 * 31 + 15])
  }

  /// The bell is as wide as told: a line's profile is compared with the Gaussian itself.
  @Test(arguments: [(0.5, UInt16(1)), (1.5, 1), (4, 1), (6, 1), (10, 1), (1.5, 257), (10, 257)])
  func sigmaIsTheStandardDeviation(sigma: Double, unit: UInt16) throws {
    let (side, middle) = (121, 60)
    // A bar wide enough to be bright, as a sum of Gaussians each a pixel wide.
    let bar = (middle - 3)...(middle + 3)
    let line = (0..<side).map { bar.contains($0) ? 255 * unit : 0 }
    let pixels = (0..<9).flatMap { _ in line }
    let image =
      try unit == 1
      ? Image(pixels: pixels.map { UInt8($0) }, width: side, height: 9, bands: 1)
      : Image(pixels16: pixels, width: side, height: 9, bands: 1)
    let blurred = try Trial(Trial.operation(Blur.self, "sigma = \(sigma)"), on: image).image()
    #expect(blurred.format == image.format)
    let found = try unit == 1 ? blurred.pixels().map { UInt16($0) } : blurred.pixels16()
    // A wide bell is approximated, by steps.
    let tolerance = (sigma <= 4 ? 1.5 : 4) * Double(unit)
    let all = (-60...60).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let total = all.reduce(0, +)
    for x in 0..<side {
      let sum = bar.reduce(0.0) { sum, at in
        sum + exp(-Double((x - at) * (x - at)) / (2 * sigma * sigma))
      }
      let expected = 255 * Double(unit) * sum / total
      let sample = Double(found[4 * side + x])
      #expect(abs(sample - expected) <= tolerance, "\(x): \(sample), not \(expected)")
    }
  }

  @Test func transparentPixelsLendNoColor() throws {
    let disc = try Sample.disc([255, 0, 0], outside: [0, 255, 0], side: 40)
    let pixels = try Trial(Trial.operation(Blur.self, "sigma = 2"), on: disc).image().pixels()
    for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] > 8 {
      #expect(pixels[start] >= 253 && pixels[start + 1] <= 2)
    }
  }
}
