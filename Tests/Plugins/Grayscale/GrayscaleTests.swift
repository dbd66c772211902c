import Glibc
import GrayscaleOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite(.vips) struct GrayscaleTests {
  private func gray(_ toml: String, _ image: Image) throws -> Image {
    try Trial(Trial.operation(Grayscale.self, toml), on: image).image()
  }

  private static let colors: [[UInt8]] = [
    [255, 0, 0], [0, 255, 0], [0, 0, 255], [200, 60, 40], [30, 160, 90], [250, 240, 20],
    [128, 128, 128], [1, 2, 3], [0, 0, 0], [255, 255, 255],
  ]

  /// IEC 61966-2-1.
  private func light(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private func encoded(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  private func luminance(_ color: [Double]) -> Double {
    let linear = color.map(light)
    return encoded(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
  }

  private func weighted(_ color: [Double], _ weights: [Double]) -> Double {
    min(1, max(0, zip(color, weights).map(*).reduce(0, +)))
  }

  @Test(arguments: colors)
  func luminanceIsThatOfLinearLight(color: [UInt8]) throws {
    let wanted = luminance(color.map { Double($0) / 255 })
    let made = try gray("", Sample.flat(color, width: 2, height: 2))
    #expect(made.bands == 1 && made.interpretation == .gray)
    #expect(abs(Double(try made.samples(x: 0, y: 0)[0]) - wanted * 255) <= 1)
    let deep = try gray(
      "",
      Image(pixels16: color.map { UInt16($0) * 257 }, width: 1, height: 1, bands: 3)
    )
    #expect(deep.bands == 1 && deep.format == .ushort && deep.interpretation == .gray16)
    #expect(abs(Double(try deep.pixels16()[0]) - wanted * 65_535) <= 257)
  }

  @Test(arguments: colors)
  func lumaAndMixWeighStoredValues(color: [UInt8]) throws {
    let levels = color.map { Double($0) / 255 }
    let image = try Sample.flat(color, width: 2, height: 2)
    let luma = weighted(levels, [0.2126, 0.7152, 0.0722]) * 255
    #expect(abs(Double(try gray("method = \"luma\"", image).pixels()[0]) - luma) <= 0.51)
    let mix = weighted(levels, [1.2, 0.3, -0.5]) * 255
    #expect(abs(Double(try gray("mix = [1.2, 0.3, -0.5]", image).pixels()[0]) - mix) <= 0.51)
    let deep = try Image(pixels16: color.map { UInt16($0) * 257 }, width: 1, height: 1, bands: 3)
    #expect(
      abs(Double(try gray("mix = [1.2, 0.3, -0.5]", deep).pixels16()[0]) - mix * 257) <= 0.6
    )
  }

  @Test func theTwoMethodsDiffer() throws {
    let red = try Sample.flat([255, 0, 0], width: 1, height: 1)
    let light = try gray("", red).pixels()[0]
    #expect(try light > gray("method = \"luma\"", red).pixels()[0] + 50)
  }

  @Test func transparencyStays() throws {
    let image = try Sample.disc([200, 60, 40], outside: [0, 255, 0], side: 20)
    for toml in ["", "method = \"luma\"", "mix = [1, 0, 0]"] {
      let made = try gray(toml, image)
      #expect(made.bands == 2 && made.hasAlpha)
      #expect(
        try made.extractBands(1, count: 1).pixels() == image.extractBands(3, count: 1).pixels()
      )
    }
  }

  @Test(arguments: [[90], [90, 40]])
  func aGrayPictureIsNotTouched(samples: [UInt8]) throws {
    let image = try Sample.flat(samples, width: 3, height: 3)
    let trial = try Trial(Grayscale(), on: image)
    #expect(!trial.frame.isTouched)
    #expect(try trial.image().pixels() == image.pixels())
  }

  @Test func aMixHasThreeNumbersAndNoMethod() {
    for toml in ["mix = [1, 0]", "mix = [1, 0, 0]\nmethod = \"luma\""] {
      let error = #expect(throws: Problems.self) { try Trial.operation(Grayscale.self, toml) }
      #expect(error?.all.map(\.code) == [.conflict])
    }
  }
}
