import MinilabHost
import MinilabKit
import PadOperation
import TestSupport
import Testing
import Vips

@Suite(.vips) struct PadTests {
  private func padded(_ toml: String, _ image: Image) throws -> Image {
    try Trial(Trial.operation(Pad.self, toml), on: image).image()
  }

  @Test func aBorderGoesAround() throws {
    let image = try Sample.flat([9, 9, 9], width: 6, height: 4)
    let result = try padded("border = 3", image)
    #expect(result.width == 12 && result.height == 10)
    for y in 0..<10 {
      for x in 0..<12 {
        let isPicture = (3..<9).contains(x) && (3..<7).contains(y)
        #expect(try result.samples(x: x, y: y) == (isPicture ? [9, 9, 9] : [255, 255, 255]))
      }
    }
  }

  @Test func aPercentageIsOfTheShorterSide() throws {
    let result = try padded("border = \"10%\"", Sample.flat([9], width: 60, height: 40))
    #expect(result.width == 68 && result.height == 48)
  }

  @Test(arguments: [("1:1", 60, 60), ("1:2", 60, 120), ("original", 60, 40)])
  func anAspectIsTheSmallestCanvas(aspect: String, width: Int, height: Int) throws {
    let result = try padded("aspect = \"\(aspect)\"", Sample.flat([9], width: 60, height: 40))
    #expect(result.width == width && result.height == height)
  }

  @Test func gravityPlacesThePicture() throws {
    let image = try Sample.flat([9], width: 2, height: 2)
    let result = try padded("size = [6, 6]\ngravity = \"south-east\"", image)
    #expect(try result.samples(x: 4, y: 4) == [9])
    #expect(try result.samples(x: 3, y: 4) == [255])
  }

  @Test func aSizeNeverCutsThePicture() throws {
    let result = try padded("size = [4, 50]", Sample.flat([9], width: 60, height: 40))
    #expect(result.width == 60 && result.height == 50)
  }

  @Test func aTransparentBackgroundAddsAlpha() throws {
    let image = try Sample.flat([9, 9, 9], width: 2, height: 2)
    let result = try padded("border = 1\nbackground = \"transparent\"", image)
    #expect(try result.samples(x: 0, y: 0)[3] == 0)
    #expect(try result.samples(x: 1, y: 1) == [9, 9, 9, 255])
  }

  @Test func sixteenBitPicturesGetTheSameColor() throws {
    let pixels = [UInt16](repeating: 1000, count: 12)
    let image = try Image(pixels16: pixels, width: 2, height: 2, bands: 3)
    let result = try padded("border = 1\nbackground = [255, 0, 128]", image)
    #expect(try Array(result.pixels16().prefix(3)) == [65_535, 0, 32_896])
  }

  @Test func oneWayToSayTheCanvas() {
    #expect(throws: Problems.self) { try Trial.operation(Pad.self, "gravity = \"west\"") }
    #expect(throws: Problems.self) {
      try Trial.operation(Pad.self, "border = 1\naspect = \"1:1\"")
    }
  }
}
