import ComposeOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite("The canvas", .vips) struct CanvasTests {
  private let layer = "[[layer]]\nsource = \"frame\"\n"

  private func size(_ toml: String, _ images: [Image]) throws -> [Int] {
    let trial = try trial(toml, images)
    let image = try trial.image()
    #expect(trial.frame.size == Size(width: image.width, height: image.height))
    #expect(trial.frame.hasAlpha == image.hasAlpha)
    return [image.width, image.height]
  }

  @Test func hasTheSizeThatIsSaid() throws {
    let images = [try noise(30, 20), try noise(50, 60)]
    #expect(try size("canvas = [44, 33]\n" + layer, images) == [44, 33])
    #expect(try size("canvas = [\"50%\", \"200%\"]\n" + layer, images) == [15, 40])
    #expect(try size("canvas = \"frame\"\n" + layer, images) == [30, 20])
    // With layers, the first frame's is what there is without a word.
    #expect(try size(layer, images) == [30, 20])
    #expect(try size("[[layer]]\nsource = \"frame:2\"", images) == [30, 20])
    #expect(try size("canvas = \"fit\"\n[[layer]]\nsource = \"frame:2\"", images) == [50, 60])
  }

  /// Layers keep their places relative to each other.
  @Test func fitHoldsAllLayers() throws {
    let toml = """
      canvas = "fit"
      background = "black"
      [[layer]]
      source = "frame"
      center = [100, 50]
      [[layer]]
      source = "frame:2"
      center = [-20, 80]
      """
    let first = try noise(30, 20)
    let second = try noise(10, 16, seed: 2)
    let result = try composed(toml, [first, second])
    // From -25 to 115, and from 40 to 88.
    #expect([result.width, result.height] == [140, 48])
    let one = try result.extractArea(left: 110, top: 0, width: 30, height: 20)
    let two = try result.extractArea(left: 0, top: 32, width: 10, height: 16)
    #expect(try one.pixels() == first.pixels())
    #expect(try two.pixels() == second.pixels())
    #expect(try result.samples(x: 50, y: 20) == [0, 0, 0])
  }

  @Test func fitHoldsTurnedLayersToTheirCorners() throws {
    let trial = try trial(
      "canvas = \"fit\"\nbackground = \"black\"\n[[layer]]\nsource = \"frame\"\nangle = 30",
      [Sample.flat([255], width: 100, height: 40)]
    )
    // 100 · cos 30° + 40 · sin 30° = 106.6, 100 · sin 30° + 40 · cos 30° = 84.6; the middle of the
    // box is at (50, 20) of the first frame, and whole pixels are counted from its corner.
    #expect(trial.frame.size == Size(width: 108, height: 86))
    let pixels = try Pixels(trial.image())
    #expect(abs(pixels.centroid.x - 54) < 0.1 && abs(pixels.centroid.y - 43) < 0.1)
    // Something of the layer is in the outermost rows and columns.
    for side in [(0..<108).map { (x: $0, y: 1) }, (0..<86).map { (x: 1, y: $0) }] {
      #expect(side.contains { pixels[$0.x, $0.y][0] > 20 })
    }
    // All of it is there: coverage adds up to its area.
    let sum = pixels.samples.reduce(0) { $0 + Double($1) / 255 }
    #expect(abs(sum - 4000) < 20)
  }

  // MARK: Background

  @Test func backgroundIsAColor() throws {
    let picture = try noise(4, 4)
    let result = try Pixels(
      composed("canvas = [8, 8]\nbackground = \"#102030\"\n" + layer, [picture])
    )
    #expect(result.bands == 3)
    for y in 0..<8 {
      for x in 0..<8 {
        let isLayer = (2..<6).contains(x) && (2..<6).contains(y)
        #expect(try result[x, y] == (isLayer ? picture.samples(x: x - 2, y: y - 2) : [16, 32, 48]))
      }
    }
  }

  @Test func nothingIsBehindLayersByDefaultAndWhiteBehindTiles() throws {
    let picture = try noise(4, 4)
    let free = try composed("canvas = [8, 8]\n" + layer, [picture])
    #expect(try free.samples(x: 0, y: 0) == [0, 0, 0, 0])
    #expect(try free.samples(x: 2, y: 2) == picture.samples(x: 0, y: 0) + [255])
    let tiles = try composed("layout = \"strip\"\ntile = [4, 4]\ngap = 1", [picture])
    #expect(try tiles.samples(x: 0, y: 0) == [255, 255, 255])
  }

  @Test func aHalfTransparentBackgroundStaysSo() throws {
    let picture = try noise(4, 4)
    let result = try composed("canvas = [8, 8]\nbackground = [1, 2, 3, 0.5]\n" + layer, [picture])
    #expect(try result.samples(x: 0, y: 0) == [1, 2, 3, 128])
  }

  @Test func aBackgroundPictureFillsTheCanvas() throws {
    let folder = try ScratchFolder()
    let target = try Target()
    // Twice as wide as the canvas: a quarter is cut off on either side.
    let file = try noise(16, 8, seed: 7)
    try file.save("pngsave_target", to: target)
    let path = try folder.write(target.bytes, to: "b.png")
    let toml = "canvas = [8, 8]\nbackground = \"\(path.shown)\"\n[[layer]]\nsource = \"frame\"\n"
    let result = try composed(toml + "width = 2", [Sample.flat([1, 2, 3], width: 2, height: 2)])
    let wanted = try Pixels(file.extractArea(left: 4, top: 0, width: 8, height: 8))
    let found = try Pixels(result)
    #expect(found.bands == 3)
    for y in 0..<8 {
      for x in 0..<8 {
        let isLayer = (3..<5).contains(x) && (3..<5).contains(y)
        #expect(found[x, y] == (isLayer ? [1, 2, 3] : wanted[x, y]))
      }
    }
  }

  /// An opaque canvas has no alpha, so that formats without one need not note its loss.
  @Test func alphaIsThereOnlyWhereSomethingMayBeTransparent() throws {
    let opaque = try noise(4, 4)
    let thin = try noise(4, 4, bands: 4)
    let cases: [(String, [Image], Bool)] = [
      (layer, [opaque], false),
      (layer, [thin], true),
      ("background = \"red\"\n" + layer, [thin], false),
      (layer + "opacity = 0.5", [opaque], true),
      (layer + "angle = 1", [opaque], true),
      (layer + layer + "angle = 1\nopacity = 0.5", [opaque], false),
      ("background = \"red\"\n" + layer + "blend = \"multiply\"", [thin], false),
      ("background = \"red\"\n" + layer + "blend = \"xor\"", [opaque], true),
      ("background = \"red\"\n" + layer + "blend = \"dest-in\"", [opaque], true),
      (layer + "zoom = 0.5", [opaque], true),
    ]
    for (toml, images, wanted) in cases {
      let trial = try trial(toml, images)
      #expect(trial.frame.hasAlpha == wanted, "\(toml)")
      #expect(try trial.image().hasAlpha == wanted, "\(toml)")
    }
  }

  // MARK: Scale

  @Test func scaleMultipliesTheCanvasAndEveryLength() throws {
    let toml = """
      canvas = [10, 8]
      scale = 10
      background = "black"
      [[layer]]
      source = "frame"
      width = 3
      center = [4, 3]
      """
    let result = try Pixels(composed(toml, [Sample.flat([255], width: 30, height: 20)]))
    #expect([result.width, result.height] == [100, 80])
    for y in 0..<80 {
      for x in 0..<100 {
        let isLayer = (25..<55).contains(x) && (20..<40).contains(y)
        #expect(result[x, y] == [isLayer ? 255 : 0])
      }
    }
  }

  /// Ten times the size has ten times the detail: the layer's own pixels.
  @Test func aScaledCanvasIsMadeFromAllPixels() throws {
    let picture = try noise(200, 150)
    let toml = "canvas = [20, 15]\nbackground = \"black\"\n" + layer + "width = \"100%\"\n"
    let large = try composed("scale = 10\n" + toml, [picture])
    #expect(try large.pixels() == picture.pixels())
    let small = try composed(toml, [picture])
    #expect([small.width, small.height] == [20, 15])
    let blown = try small.resize(10, vertical: 10)
    let difference = zip(try blown.pixels(), try large.pixels()).map { abs(Int($0) - Int($1)) }
    #expect(difference.reduce(0, +) / difference.count > 40)
  }

  @Test func scaleMultipliesTilesGapsAndFrames() throws {
    let picture = try noise(30, 20)
    #expect(try size("scale = 0.5\n" + layer, [picture]) == [15, 10])
    #expect(
      try size("scale = 3\nlayout = \"strip\"\ntile = [10, 5]\ngap = 2", [picture]) == [42, 27]
    )
    let fit =
      "canvas = \"fit\"\nscale = 2\n" + layer + "[[layer]]\nsource = \"frame\"\ncenter = [30, 20]"
    #expect(try size(fit, [picture]) == [90, 60])
  }
}
