import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Layers of all kinds on a first picture of all kinds: the first picture's colors and depth count.
@Suite("Layers take the colors of the first picture", .vips)
struct CompositionColorTests {
  private static let colors: [[Double]] = [
    [128, 128, 128], [200, 60, 40], [30, 160, 90], [120, 90, 200], [0, 0, 0], [255, 255, 255],
  ]
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func flat(_ color: [Double]) -> NaivePicture {
    NaivePicture(width: 8, height: 8, bands: color.count) { _, _, band in color[band] }
  }

  /// The frame on the left, the file's picture on the right, as they come out.
  private func laid(
    _ layer: [UInt8],
    on frame: [UInt8],
    _ keys: String = "color = \"keep\""
  ) throws -> Workbench.Outcome {
    let path = try folder.write(layer, to: "layer.png")
    let bench = try Workbench(
      """
      [[step]]
      op = "compose"
      canvas = [16, 8]
      background = "white"
      [[step.layer]]
      source = "frame"
      gravity = "west"
      [[step.layer]]
      source = "\(path.shown)"
      gravity = "east"
      [[output]]
      name = "png"
      format = "png"
      \(keys)
      """
    )
    return try bench.process(frame, named: "a.png")
  }

  private func expect(
    _ found: [Double],
    _ wanted: [Double],
    within levels: Double = 0,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let difference = zip(found, wanted).map { abs($0 - $1) }.max() ?? 0
    #expect(
      found.count == wanted.count && difference <= levels,
      "\(found), wanted \(wanted)",
      sourceLocation: location
    )
  }

  // MARK: Oracles

  /// IEC 61966-2-1.
  private func light(_ level: Double) -> Double {
    let level = level / 255
    return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
  }

  private func encoded(_ light: Double) -> Double {
    let light = min(1, max(0, light))
    return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  private func inSpace(_ xyz: [Double], _ primaries: Primaries, _ gamma: Double) -> [Double] {
    primaries.light(xyz).map { 255 * pow(min(1, max(0, $0)), 1 / gamma) }
  }

  // MARK: Profiles

  @Test func aLayerWithoutAProfileIsSRGB() throws {
    let profile = matrixProfile(.displayP3, gamma: 2.2)
    for color in Self.colors {
      let frame = try flat([10, 20, 30]).encoded(.png, profile: profile)
      let outcome = try laid(flat(color).encoded(.png), on: frame)
      let made = try outcome.picture()
      expect(made.pixel(3, 4), [10, 20, 30])
      let wanted = inSpace(Primaries.srgb.xyz(color.map(light)), .displayP3, 2.2)
      expect(made.pixel(12, 4), wanted, within: 2)
      #expect(try outcome.image().blob("icc-profile-data") == profile)
      #expect(outcome.noteCodes.isEmpty)
    }
  }

  /// Straight from profile to profile: what sRGB cannot hold is not cut off on the way.
  @Test func aLayerWithAProfileOfItsOwnIsConverted() throws {
    let frameProfile = matrixProfile(.displayP3, gamma: 2.2)
    let layerProfile = matrixProfile(.adobe, gamma: 1.8)
    for color in Self.colors + [[60, 230, 60]] {
      let frame = try flat([10, 20, 30]).encoded(.png, profile: frameProfile)
      let layer = try flat(color).encoded(.png, profile: layerProfile)
      let outcome = try laid(layer, on: frame)
      let light = color.map { pow($0 / 255, 1.8) }
      let wanted = inSpace(Primaries.adobe.xyz(light), .displayP3, 2.2)
      expect(try outcome.picture().pixel(12, 4), wanted, within: 2)
      #expect(outcome.noteCodes == [.colorConverted])
      // Sixteen bits are converted as such.
      let deep = try laid(
        flat(color.map { $0 * 257 }).encoded(.png, profile: layerProfile, deep: true),
        on: flat([10 * 257, 20 * 257, 30 * 257]).encoded(.png, profile: frameProfile, deep: true)
      )
      let levels = try deep.picture()
      expect(levels.pixel(3, 4), [2570, 5140, 7710])
      expect(levels.pixel(12, 4), wanted.map { $0 * 257 }, within: 2 * 257)
    }
  }

  @Test func aWideLayerOnAPlainFrameBecomesSRGB() throws {
    let layer = try flat([30, 160, 90]).encoded(.png, profile: matrixProfile(.adobe, gamma: 2.2))
    let outcome = try laid(layer, on: flat([10, 20, 30]).encoded(.png))
    let made = try outcome.picture()
    let light = [30.0, 160, 90].map { pow($0 / 255, 2.2) }
    expect(
      made.pixel(12, 4),
      Primaries.srgb.light(Primaries.adobe.xyz(light)).map(encoded),
      within: 2
    )
    #expect(try !outcome.image().has("icc-profile-data"))
    #expect(outcome.noteCodes == [.colorConverted])
  }

  @Test func theSameProfileChangesNothing() throws {
    let profile = matrixProfile(.adobe, gamma: 2.2)
    let layer = try flat([77, 160, 90]).encoded(.png, profile: profile)
    let outcome = try laid(layer, on: flat([10, 20, 30]).encoded(.png, profile: profile))
    expect(try outcome.picture().pixel(12, 4), [77, 160, 90])
    #expect(outcome.noteCodes.isEmpty)
  }

  @Test func colorsOfTheProfileAreConverted() throws {
    let frame = try flat([10, 20, 30]).encoded(.png, profile: matrixProfile(.displayP3, gamma: 2.2))
    let bench = try Workbench(
      """
      [[step]]
      op = "compose"
      canvas = [16, 8]
      background = [200, 60, 40]
      [[step.layer]]
      source = "frame"
      gravity = "west"
      [[output]]
      name = "png"
      format = "png"
      color = "keep"
      """
    )
    let made = try bench.process(frame, named: "a.png").picture()
    let wanted = inSpace(Primaries.srgb.xyz([200, 60, 40].map(light)), .displayP3, 2.2)
    expect(made.pixel(12, 4), wanted, within: 2)
  }

  // MARK: Depth and gray

  @Test func depthIsTheFirstPictures() throws {
    let deepFrame = try flat([1000, 2000, 3000]).encoded(.png, deep: true)
    let up = try laid(flat([10, 20, 30]).encoded(.png), on: deepFrame)
    expect(try up.picture().pixel(12, 4), [2570, 5140, 7710])
    expect(try up.picture().pixel(3, 4), [1000, 2000, 3000])
    #expect(up.noteCodes.isEmpty)
    let deepLayer = try flat([2570 + 128, 2570 + 129, 65_535]).encoded(.png, deep: true)
    let down = try laid(deepLayer, on: flat([10, 20, 30]).encoded(.png))
    // Rounded: 257 is a level.
    expect(try down.picture().pixel(12, 4), [10, 11, 255])
    #expect(down.noteCodes == [.depthReduced])
  }

  @Test func alphaOfEitherDepthIsKept() throws {
    let deepFrame = try flat([1000, 2000, 3000]).encoded(.png, deep: true)
    let up = try laid(flat([255, 0, 0, 51]).encoded(.png), on: deepFrame)
    expect(try up.picture().pixel(12, 4), [65_535, 52_428, 52_428])
    let deepLayer = try flat([65_535, 0, 0, 13_107]).encoded(.png, deep: true)
    let down = try laid(deepLayer, on: flat([10, 20, 30]).encoded(.png))
    expect(try down.picture().pixel(12, 4), [255, 204, 204])
  }

  @Test func grayStaysGrayUntilThereIsColor() throws {
    let gray = try flat([77]).encoded(.png)
    let both = try laid(flat([99]).encoded(.png), on: gray)
    expect(try both.picture().pixel(3, 4), [77])
    expect(try both.picture().pixel(12, 4), [99])
    let color = try laid(flat([200, 60, 40]).encoded(.png), on: gray)
    expect(try color.picture().pixel(3, 4), [77, 77, 77])
    expect(try color.picture().pixel(12, 4), [200, 60, 40])
    let onColor = try laid(gray, on: flat([200, 60, 40]).encoded(.png))
    expect(try onColor.picture().pixel(12, 4), [77, 77, 77])
    #expect(both.noteCodes + color.noteCodes + onColor.noteCodes == [])
  }

  @Test func aGrayProfileGivesWayToColors() throws {
    let gray = try flat([128]).encoded(.png, profile: grayProfile(gamma: 1.8))
    let wanted = encoded(pow(128.0 / 255, 1.8))
    let outcome = try laid(flat([200, 60, 40]).encoded(.png), on: gray)
    expect(try outcome.picture().pixel(3, 4), [wanted, wanted, wanted], within: 2)
    expect(try outcome.picture().pixel(12, 4), [200, 60, 40])
    #expect(outcome.noteCodes == [.colorConverted])
    // Gray on gray keeps it, and what has none is brought into it.
    let both = try laid(flat([90]).encoded(.png), on: gray)
    expect(try both.picture().pixel(3, 4), [128])
    let level = 255 * pow(light(90), 1 / 1.8)
    expect(try both.picture().pixel(12, 4), [level], within: 2)
  }
}
