import BlurOperation
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

  @Test func transparentPixelsLendNoColor() throws {
    let disc = try Sample.disc([255, 0, 0], outside: [0, 255, 0], side: 40)
    let pixels = try Trial(Trial.operation(Blur.self, "sigma = 2"), on: disc).image().pixels()
    for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] > 8 {
      #expect(pixels[start] >= 253 && pixels[start + 1] <= 2)
    }
  }
}
