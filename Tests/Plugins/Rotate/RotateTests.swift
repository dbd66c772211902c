import MinilabHost
import MinilabKit
import RotateOperation
import TestSupport
import Testing
import Vips

@Suite(.vips) struct RotateTests {
  private func rotated(_ toml: String, _ image: Image) throws -> Image {
    try Trial(Trial.operation(Rotate.self, toml), on: image).image()
  }

  @Test(arguments: [0, 90, 180, 270, -90, 360, 450])
  func quarterTurnsMovePixelsUnchanged(angle: Int) throws {
    let image = try Sample.gradient(width: 4, height: 3)
    let turns = ((angle / 90) % 4 + 4) % 4
    let result = try rotated("angle = \(angle)", image)
    #expect(try result.pixels() == image.rotate(quarterTurns: turns).pixels())
  }

  @Test func clockwiseIsPositive() throws {
    // The upper left corner of a picture turned a little clockwise moves right and up.
    var pixels = [UInt8](repeating: 0, count: 101 * 101)
    for y in 45..<56 { for x in 0..<11 { pixels[y * 101 + x] = 255 } }
    let image = try Image(pixels: pixels, width: 101, height: 101, bands: 1)
    let result = try rotated("angle = 30\nbackground = \"black\"", image)
    // The bright spot on the left, at (-45, 0) from the center, turns to (-39, -22.5).
    let x = result.width / 2 - 39
    let y = result.height / 2 - 23
    #expect(try result.samples(x: x, y: y)[0] > 200)
    #expect(try result.samples(x: x, y: result.height - 1 - y)[0] < 50)
  }

  @Test func theCanvasHoldsAllOfThePicture() throws {
    let trial = try Trial(
      Trial.operation(Rotate.self, "angle = 30"),
      on: Sample.gradient(width: 200, height: 100)
    )
    // 200 cos 30° + 100 sin 30°, 200 sin 30° + 100 cos 30°.
    #expect(trial.frame.size == Size(width: 224, height: 187))
  }

  @Test func cornersAreTransparentOrTheBackground() throws {
    let image = try Sample.flat([200, 100, 50], width: 60, height: 40)
    let clear = try rotated("angle = 20", image)
    #expect(clear.hasAlpha)
    #expect(try clear.samples(x: 0, y: 0)[3] == 0)
    #expect(try clear.samples(x: clear.width / 2, y: clear.height / 2) == [200, 100, 50, 255])
    let filled = try rotated("angle = 20\nbackground = [10, 20, 30]", image)
    #expect(!filled.hasAlpha)
    #expect(try filled.samples(x: 0, y: 0) == [10, 20, 30])
  }

  @Test func transparentCornersLendNoColor() throws {
    let image = try Sample.flat([255, 0, 0], width: 60, height: 40)
    let result = try rotated("angle = 20", image)
    let pixels = try result.pixels()
    for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] > 8 {
      #expect(pixels[start] >= 254 && pixels[start + 1] <= 1 && pixels[start + 2] <= 1)
    }
  }

  @Test func aColoredBackgroundOnGrayGivesColor() throws {
    let image = try Sample.flat([128], width: 60, height: 40)
    let result = try rotated("angle = 20\nbackground = \"red\"", image)
    #expect(try result.samples(x: 0, y: 0) == [255, 0, 0])
    #expect(try result.samples(x: result.width / 2, y: result.height / 2) == [128, 128, 128])
  }
}
