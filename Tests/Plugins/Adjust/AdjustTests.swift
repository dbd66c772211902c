import AdjustOperation
import Glibc
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite(.vips) struct AdjustTests {
  private func adjusted(_ toml: String, _ image: Image) throws -> Image {
    try Trial(Trial.operation(Adjust.self, toml), on: image).image()
  }

  /// Every level of gray, or of three channels that run against each other.
  private func ramp(bands: Int) throws -> Image {
    let pixels = (0..<256).flatMap { level -> [UInt8] in
      let color = [UInt8(level), UInt8(255 - level), UInt8((level * 7 + 40) % 256)]
      return Array(color.prefix(bands < 3 ? 1 : 3)) + (bands % 2 == 0 ? [UInt8(level / 2)] : [])
    }
    return try Image(pixels: pixels, width: 256, height: 1, bands: bands)
  }

  private func ramp16() throws -> Image {
    var pixels: [UInt16] = []
    for level in 0..<256 {
      pixels += [level * 257, 65_535 - level * 250, (level * 1999 + 40) % 65_536].map(UInt16.init)
    }
    return try Image(pixels16: pixels, width: 256, height: 1, bands: 3)
  }

  /// A tone in 0…1 by the words of the documentation.
  private typealias Tone = @Sendable (Double) -> Double

  private static let tones: [(toml: String, tone: Tone)] = [
    ("brightness = 40", { $0 + (1 - $0) * 0.4 }),
    ("brightness = -40", { $0 * 0.6 }),
    ("brightness = 100", { _ in 1 }),
    ("brightness = -100", { _ in 0 }),
    ("contrast = 30", { min(1, max(0, ($0 - 0.5) * tan(1.3 * .pi / 4) + 0.5)) }),
    ("contrast = -30", { ($0 - 0.5) * tan(0.7 * .pi / 4) + 0.5 }),
    ("contrast = -100", { _ in 0.5 }),
    ("contrast = 100", { $0 > 0.5 ? 1 : 0 }),
    ("gamma = 2", { $0.squareRoot() }),
    ("gamma = 0.5", { $0 * $0 }),
    (
      "gamma = 0.5\nbrightness = 20\ncontrast = -50",
      { tone in
        let bright = tone + (1 - tone) * 0.2
        let flat = (bright - 0.5) * tan(.pi / 8) + 0.5
        return flat * flat
      }
    ),
  ]

  @Test(arguments: [1, 2, 3, 4])
  func tonesFollowTheirFormulas(bands: Int) throws {
    let image = try ramp(bands: bands)
    let before = try image.pixels()
    for (toml, tone) in Self.tones {
      let after = try adjusted(toml, image)
      #expect(after.bands == bands && after.format == .uchar)
      for (index, (was, became)) in zip(before, try after.pixels()).enumerated() {
        let isAlpha = bands % 2 == 0 && index % bands == bands - 1
        let wanted = isAlpha ? Double(was) : (tone(Double(was) / 255) * 255).rounded()
        #expect(abs(Double(became) - wanted) < 1e-9, "\(toml): \(was)")
      }
    }
  }

  @Test func sixteenBitsAreRoundedAndNotCut() throws {
    let image = try ramp16()
    for (toml, tone) in Self.tones {
      for (was, became) in zip(try image.pixels16(), try adjusted(toml, image).pixels16()) {
        let wanted = (tone(Double(was) / 65_535) * 65_535).rounded()
        #expect(abs(Double(became) - wanted) < 1e-9, "\(toml): \(was)")
      }
    }
  }

  /// The matrix of W3C Filter Effects 1, `saturate`, written out.
  private func saturated(_ color: [Double], _ factor: Double, full: Double) -> [Double] {
    let gray = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]
    return color.map { min(full, max(0, gray + factor * ($0 - gray))) }
  }

  @Test(arguments: [0, 0.3, 1.5, 10])
  func saturationMovesColorsFromTheirGray(factor: Double) throws {
    for bands in [3, 4] {
      let image = try ramp(bands: bands)
      let before = try image.pixels().map(Double.init)
      let after = try adjusted("saturation = \(factor)", image).pixels().map(Double.init)
      for start in stride(from: 0, to: before.count, by: bands) {
        let wanted = saturated(Array(before[start..<(start + 3)]), factor, full: 255)
        for band in 0..<3 { #expect(abs(after[start + band] - wanted[band]) <= 0.51) }
        if bands == 4 { #expect(after[start + 3] == before[start + 3]) }
      }
    }
    let deep = try ramp16()
    let before = try deep.pixels16().map(Double.init)
    let after = try adjusted("saturation = \(factor)", deep).pixels16().map(Double.init)
    for start in stride(from: 0, to: before.count, by: 3) {
      let wanted = saturated(Array(before[start..<(start + 3)]), factor, full: 65_535)
      for band in 0..<3 { #expect(abs(after[start + band] - wanted[band]) <= 0.6) }
    }
  }

  @Test func saturationComesAfterTheTones() throws {
    let image = try Sample.flat([180, 90, 60], width: 2, height: 2)
    let toned = [180.0, 90, 60].map { $0 * $0 / 255 }
    let wanted = saturated(toned, 2, full: 255)
    let made = try adjusted("gamma = 0.5\nsaturation = 2", image).samples(x: 0, y: 0)
    for (one, two) in zip(made, wanted) { #expect(abs(Double(one) - two) <= 0.51) }
  }

  @Test func grayHasNoSaturation() throws {
    let image = try ramp(bands: 1)
    #expect(try adjusted("saturation = 3", image).pixels() == image.pixels())
  }

  @Test(arguments: [
    "", "brightness = 0\ncontrast = 0\ngamma = 1\nsaturation = 1", "auto-level = false",
  ])
  func defaultsRegisterNothing(toml: String) throws {
    let operation = try Trial.operation(Adjust.self, toml)
    let trial = try Trial(operation, on: Sample.gradient(width: 4, height: 4))
    #expect(!trial.frame.isTouched)
  }

  @Test func theProfileAndTheRestStay() throws {
    let image = try Sample.flat([180, 90, 60], width: 2, height: 2).toSRGB(depth: 8)
    let profile = try #require(image.blob("icc-profile-data"))
    let made = try adjusted("brightness = 10\nsaturation = 2", image)
    #expect(made.blob("icc-profile-data") == profile)
    #expect(made.interpretation == .srgb)
  }

  // MARK: Levels

  /// Tones from 60 to 180, in colors, with one pixel of each end's beyond.
  private func flatScan(width: Int = 240, height: Int = 50, alpha: Bool = false) throws -> Image {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let tone = 60 + x * 120 / (width - 1)
        let isSpeck = y == 0 && x < 2
        let color = isSpeck ? [x * 255, x * 255, x * 255] : [tone, (tone + 60) / 2, 60]
        pixels += color.map(UInt8.init) + (alpha ? [isSpeck ? 0 : 255] : [])
      }
    }
    return try Image(pixels: pixels, width: width, height: height, bands: alpha ? 4 : 3)
  }

  private func ends(_ image: Image) throws -> [Int] {
    let colors = try image.extractBands(0, count: 3).pixels().dropFirst(6)
    return [Int(try #require(colors.min())), Int(try #require(colors.max()))]
  }

  @Test func levelsAreStretchedFromBlackToWhite() throws {
    // The specks are a sixtieth of a percent of the pixels.
    #expect(try ends(adjusted("auto-level = true\nclip = 0.1", flatScan())) == [0, 255])
    // Where none may be lost, the specks are the ends already.
    #expect(try ends(adjusted("auto-level = true\nclip = 0", flatScan())) == [60, 180])
  }

  @Test func clipLosesThatManyPixelsAndNoMore() throws {
    let image = try flatScan()
    for clip in [1.0, 5, 20] {
      let made = try adjusted("auto-level = true\nclip = \(clip)", image).pixels()
      // Red is the lightest channel; 240 columns.
      let white = stride(from: 0, to: made.count, by: 3).count { made[$0] == 255 }
      let share = Double(white) / Double(240 * 50) * 100
      #expect(share <= clip + 1 && share > clip - 1, "\(clip): \(share)")
    }
  }

  @Test func allChannelsAreStretchedAlike() throws {
    let image = try flatScan()
    let made = try adjusted("auto-level = true", image)
    for x in [10, 100, 200] {
      let was = try image.samples(x: x, y: 9).map(Double.init)
      let became = try made.samples(x: x, y: 9).map(Double.init)
      for (one, two) in zip(was, became) { #expect(abs((one - 60) / 120 * 255 - two) <= 2) }
    }
  }

  /// The luma of pure blue is never above a fourteenth.
  @Test func strongColorsAreNotBurntOut() throws {
    let pixels = (0..<200).flatMap { [0, 0, UInt8($0 + 40)] as [UInt8] }
    let image = try Image(pixels: pixels, width: 200, height: 1, bands: 3)
    let blues = try adjusted("auto-level = true\nclip = 0", image).extractBands(2, count: 1)
      .pixels()
    #expect(Set(blues).count > 150)
    #expect(blues.last == 255)
  }

  @Test func transparentPixelsDoNotCount() throws {
    let image = try flatScan(alpha: true)
    #expect(try ends(adjusted("auto-level = true\nclip = 0", image)) == [0, 255])
  }

  @Test func sixteenBitLevelsAreStretchedToo() throws {
    let pixels = (0..<4096).flatMap { index in
      [UInt16](repeating: UInt16(10_000 + index % 64 * 300), count: 3)
    }
    let image = try Image(pixels16: pixels, width: 64, height: 64, bands: 3)
    let made = try adjusted("auto-level = true\nclip = 0", image).pixels16()
    #expect(made.min() == 0 && made.max() == 65_535)
  }

  @Test(arguments: [
    [0, 0, 0], [255, 255, 255], [90, 91, 92], [0, 0, 200], [250, 10, 10], [128], [7, 7, 7, 0],
    [9, 3],
  ])
  func onePlainColorDoesNotExplode(color: [UInt8]) throws {
    let image = try Sample.flat(color, width: 9, height: 9)
    let trial = try Trial(Trial.operation(Adjust.self, "auto-level = true"), on: image)
    #expect(!trial.frame.isTouched)
    #expect(try trial.image().pixels() == image.pixels())
  }

  @Test func largePicturesAreLookedAtReduced() throws {
    let made = try adjusted("auto-level = true\nclip = 0.5", flatScan(width: 900, height: 300))
    let found = try ends(made)
    #expect(found[0] <= 2 && found[1] >= 253)
  }

  @Test func clipNeedsAutoLevel() {
    let error = #expect(throws: Problems.self) { try Trial.operation(Adjust.self, "clip = 1") }
    #expect(error?.all.map(\.code) == [.conflict])
  }
}
