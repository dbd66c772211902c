import MinilabHost
import MinilabKit
import ShapeMaskOperation
import TestSupport
import Testing
import Vips

/// `shape = "image"`: a mask from a file.
@Suite(.vips) struct MaskPictureTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  private func save(_ image: Image, as name: String) throws {
    let target = try Target()
    try image.save("pngsave_target", to: target)
    try folder.write(target.bytes, to: name)
  }

  private func masked(_ toml: String, _ image: Image) throws -> Pixels {
    let operation = try Trial.operation(
      ShapeMask.self,
      "shape = \"image\"\nfile = \"\(folder.text)/mask.png\"\n" + toml
    )
    return try Pixels(Trial(operation, on: image).image())
  }

  /// 4 × 2: levels that tell their place.
  private let levels: [UInt8] = [0, 64, 128, 255, 255, 10, 20, 30]

  @Test func aMaskOfThePicturesSizeIsTakenAsItIs() throws {
    try save(Image(pixels: levels, width: 4, height: 2, bands: 1), as: "mask.png")
    let made = try masked("", Sample.flat([9, 9, 9], width: 4, height: 2))
    for (index, level) in levels.enumerated() {
      #expect(made[index % 4, index / 4] == [9, 9, 9, Int(level)])
    }
  }

  @Test func aMasksAlphaCountsBeforeItsLightness() throws {
    let pixels = levels.flatMap { [200, 100, 50, $0] as [UInt8] }
    try save(Image(pixels: pixels, width: 4, height: 2, bands: 4), as: "mask.png")
    let made = try masked("", Sample.flat([9, 9, 9], width: 4, height: 2))
    #expect((0..<8).map { UInt8(made[$0 % 4, $0 / 4][3]) } == levels)
  }

  @Test func coloredMasksCountByTheirLightness() throws {
    let pixels: [UInt8] = [255, 255, 255, 0, 0, 0, 0, 255, 0, 0, 0, 255]
    try save(Image(pixels: pixels, width: 4, height: 1, bands: 3), as: "mask.png")
    let made = try masked("", Sample.flat([9, 9, 9], width: 4, height: 1))
    let alphas = (0..<4).map { made[$0, 0][3] }
    #expect(alphas[0] == 255 && alphas[1] == 0)
    #expect(alphas[2] > 180 && alphas[3] < 120 && alphas[3] > 0)
  }

  @Test func sixteenBitMasksAreRounded() throws {
    let pixels = levels.map { UInt16(min(65_535, Int($0) * 257 + 20)) }
    try save(Image(pixels16: pixels, width: 4, height: 2, bands: 1), as: "mask.png")
    let made = try masked("", Sample.flat([9, 9, 9], width: 4, height: 2))
    #expect((0..<8).map { UInt8(made[$0 % 4, $0 / 4][3]) } == levels)
  }

  @Test func aMaskIsStretchedOverTheFrame() throws {
    // Left half white: of a large picture as of a small one.
    let half = (0..<100).flatMap { _ in (0..<100).map { $0 < 50 ? 255 : 0 as UInt8 } }
    try save(Image(pixels: half, width: 100, height: 100, bands: 1), as: "mask.png")
    for (width, height) in [(400, 30), (20, 10), (100, 100)] {
      let made = try masked("", Sample.flat([9, 9, 9], width: width, height: height))
      for x in [0, width / 2 - 2 - width / 100, width / 2 + 1 + width / 100, width - 1] {
        #expect(made[x, height / 2][3] == (x < width / 2 ? 255 : 0), "\(width): \(x)")
      }
      // Its edges are the frame's: nothing fades there.
      #expect(made[0, 0][3] == 255 && made[0, height - 1][3] == 255)
      #expect(abs(made.area / Double(width * height) - 0.5) < 0.005)
    }
  }

  @Test func aMaskHasAPlaceAndASize() throws {
    try save(Sample.flat([255], width: 30, height: 30), as: "mask.png")
    let made = try masked(
      "width = 10\nheight = 4\ncenter = [10, 10]",
      Sample.flat([9, 9, 9], width: 40, height: 20)
    )
    for y in 0..<20 {
      for x in 0..<40 {
        let isInside = (5..<15).contains(x) && (8..<12).contains(y)
        #expect(made[x, y][3] == (isInside ? 255 : 0), "\(x), \(y)")
      }
    }
    let square = try masked("width = 10", Sample.flat([9, 9, 9], width: 40, height: 20))
    #expect(square.area == 100)
  }

  @Test func aMaskIsTurnedClockwise() throws {
    // The left half is white; turned by a quarter the top half is.
    let half = (0..<20).flatMap { _ in (0..<20).map { $0 < 10 ? 255 : 0 as UInt8 } }
    try save(Image(pixels: half, width: 20, height: 20, bands: 1), as: "mask.png")
    let image = try Sample.flat([9, 9, 9], width: 20, height: 20)
    let made = try masked("angle = 90", image)
    for y in 0..<20 { #expect(made[7, y][3] == (y < 10 ? 255 : 0), "\(y)") }
    // Its corners are cut off by the frame, and what it no longer covers is outside.
    let turned = try masked("angle = 45", image)
    #expect(turned[0, 0][3] == 0 && turned[19, 19][3] == 0)
    // The white half faced left; now it faces up and left.
    #expect(turned[7, 7][3] == 255 && turned[12, 12][3] == 0)
  }

  @Test(arguments: [3.0, 40])
  func aMaskCanBeFeathered(sigma: Double) throws {
    try save(Sample.flat([255], width: 5, height: 5), as: "mask.png")
    let image = try Sample.flat([9, 9, 9], width: 100, height: 60)
    let made = try masked("width = 50\nheight = 30\nfeather = \(sigma)\ntrim = false", image)
    // A rectangle of the same box is the same.
    let wanted = try Pixels(
      Trial(
        Trial.operation(
          ShapeMask.self,
          "shape = \"rectangle\"\nwidth = 50\nheight = 30\nfeather = \(sigma)"
        ),
        on: image
      )
      .image()
    )
    for (found, wanted) in zip(made.samples, wanted.samples) { #expect(abs(found - wanted) <= 1) }
  }

  @Test func aMaskHasNoEdgeToStroke() throws {
    let image = try Sample.flat([255], width: 2, height: 2)
    try save(image, as: "mask.png")
    for key in ["stroke = \"red\"", "outside = \"dim\"\nstroke-width = 3"] {
      let error = #expect(throws: Problems.self) { try masked(key, image) }
      #expect(error?.all.map(\.code) == [.conflict])
    }
  }

  @Test func dimDrawsNoLineAroundAMask() throws {
    try save(Sample.flat([255], width: 5, height: 5), as: "mask.png")
    let made = try masked(
      "width = 4\nheight = 4\noutside = \"dim\"",
      Sample.flat([100, 100, 100], width: 12, height: 12)
    )
    #expect(Set(made.samples) == [100, 40])
  }

  @Test func aFileThatIsNoPictureIsAnError() throws {
    try folder.write("no picture", to: "mask.png")
    let error = #expect(throws: ItemError.self) {
      try masked("", Sample.flat([9], width: 2, height: 2))
    }
    #expect(error?.code == .notAPicture)
  }
}
