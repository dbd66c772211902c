import CropOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite(.vips) struct CropTests {
  /// The rectangle that was cut, found by what its corners show.
  private func trial(
    _ toml: String,
    width: Int = 200,
    height: Int = 100
  ) throws -> Trial {
    try Trial(
      Trial.operation(Crop.self, toml),
      on: Sample.gradient(width: width, height: height)
    )
  }

  private func expect(_ toml: String, cuts rectangle: PixelRectangle) throws {
    let trial = try trial(toml)
    let image = try trial.image()
    let all = try Sample.gradient(width: 200, height: 100)
    #expect(Size(width: image.width, height: image.height) == rectangle.size, "\(toml)")
    let wanted = try all.extractArea(
      left: rectangle.x,
      top: rectangle.y,
      width: rectangle.width,
      height: rectangle.height
    )
    #expect(try image.pixels() == wanted.pixels(), "\(toml)")
  }

  @Test func theCenterHalfIsTheDefault() throws {
    try expect("", cuts: PixelRectangle(x: 50, y: 25, width: 100, height: 50))
  }

  @Test func rectTakesPixelsPercentAndFractions() throws {
    try expect(
      "rect = [10, \"10%\", \"1/4\", 33]",
      cuts: PixelRectangle(x: 10, y: 10, width: 50, height: 33)
    )
  }

  @Test(arguments: [
    (200, 100, "aspect = \"3:2\"", 150, 100), (100, 200, "aspect = \"3:2\"", 100, 150),
    (200, 100, "aspect = \"2:3\"", 150, 100), (100, 100, "aspect = \"2:1\"", 100, 50),
    (100, 200, "aspect = \"square\"", 100, 100), (100, 200, "size = [60, 30]", 30, 60),
    (200, 100, "size = [60, 30]", 60, 30), (100, 200, "size = [40, 40]", 40, 40),
  ])
  func aTallPictureCanTakeAWideShapeUpright(
    _ width: Int,
    _ height: Int,
    _ shape: String,
    _ cutWidth: Int,
    _ cutHeight: Int
  ) throws {
    let trial = try trial(shape + "\nfollow-orientation = true", width: width, height: height)
    #expect(trial.frame.size == Size(width: cutWidth, height: cutHeight))
  }

  @Test func halvesTileWithoutGapOrOverlap() throws {
    for width in [199, 200, 201] {
      let left = try trial("rect = [0, 0, \"50%\", \"100%\"]", width: width)
      let right = try trial("rect = [\"50%\", 0, \"50%\", \"100%\"]", width: width)
      #expect(left.frame.size.width + right.frame.size.width == width)
    }
  }

  @Test func aRectThatSticksOutIsCutWithANote() throws {
    let trial = try trial("rect = [150, 60, 100, 100]")
    #expect(trial.frame.size == Size(width: 50, height: 40))
    #expect(trial.frame.notes.map(\.code) == [.cropClamped])
    try expect(
      "rect = [150, 60, 100, 100]",
      cuts: PixelRectangle(x: 150, y: 60, width: 50, height: 40)
    )
  }

  @Test func aRectThatSticksOutIsMovedInsideIfItFits() throws {
    try expect(
      "rect = [150, -5, 100, 50]\nclamp = \"move\"",
      cuts: PixelRectangle(x: 100, y: 0, width: 100, height: 50)
    )
    try expect(
      "rect = [-20, 10, 500, 50]\nclamp = \"move\"",
      cuts: PixelRectangle(x: 0, y: 10, width: 200, height: 50)
    )
  }

  @Test func aRectThatSticksOutCanBeRejected() throws {
    let error = #expect(throws: ItemError.self) {
      try trial("rect = [150, 60, 100, 100]\nclamp = \"reject\"")
    }
    #expect(error?.code == .cropOutside)
  }

  @Test func aRectWhollyOutsideIsAnErrorThatNamesBoth() throws {
    let error = #expect(throws: ItemError.self) { try trial("rect = [200, 0, 10, 10]") }
    #expect(error?.code == .cropOutside)
    #expect(error?.text.contains("[200, 0, 10, 10]") == true)
    #expect(error?.text.contains("[0, 0, 200, 100]") == true)
  }

  @Test func minSizeGrowsInPlaceAndStaysInside() throws {
    try expect(
      "rect = [100, 50, 10, 10]\nmin-size = 30",
      cuts: PixelRectangle(x: 90, y: 40, width: 30, height: 30)
    )
    try expect(
      "rect = [0, 95, 10, 5]\nmin-size = 30",
      cuts: PixelRectangle(x: 0, y: 70, width: 30, height: 30)
    )
  }

  @Test func aspectIsTheLargestRectangle() throws {
    try expect("aspect = \"square\"", cuts: PixelRectangle(x: 50, y: 0, width: 100, height: 100))
    try expect("aspect = \"portrait\"", cuts: PixelRectangle(x: 62, y: 0, width: 75, height: 100))
    try expect("aspect = \"4:1\"", cuts: PixelRectangle(x: 0, y: 25, width: 200, height: 50))
    try expect("aspect = \"original\"", cuts: PixelRectangle(x: 0, y: 0, width: 200, height: 100))
  }

  @Test(arguments: [
    ("north", 80, 0), ("north-east", 160, 0), ("east", 160, 40), ("south-east", 160, 80),
    ("south", 80, 80), ("south-west", 0, 80), ("west", 0, 40), ("north-west", 0, 0),
    ("center", 80, 40),
  ])
  func gravityPlacesASize(gravity: String, x: Int, y: Int) throws {
    try expect(
      "size = [40, 20]\ngravity = \"\(gravity)\"",
      cuts: PixelRectangle(x: x, y: y, width: 40, height: 20)
    )
  }

  @Test func focusIsKeptAsNearTheMiddleAsThePictureAllows() throws {
    try expect(
      "size = [40, 20]\nfocus = [100, \"30%\"]",
      cuts: PixelRectangle(x: 80, y: 20, width: 40, height: 20)
    )
    try expect(
      "size = [40, 20]\nfocus = [195, 2]",
      cuts: PixelRectangle(x: 160, y: 0, width: 40, height: 20)
    )
  }

  @Test func aSizeLargerThanThePictureIsCutWithANote() throws {
    let trial = try trial("size = [400, 50]")
    #expect(trial.frame.size == Size(width: 200, height: 50))
    #expect(trial.frame.notes.map(\.code) == [.cropClamped])
  }

  /// A small busy spot far from the middle of a flat picture is what both measures must find.
  @Test(arguments: ["attention", "entropy"])
  func interestIsFoundOnAReduction(gravity: String) throws {
    let width = 1200
    let height = 400
    var pixels = [UInt8](repeating: 90, count: width * height * 3)
    for y in 100..<300 {
      for x in 950..<1150 {
        let start = (y * width + x) * 3
        let isLight = (x / 10 + y / 10) % 2 == 0
        pixels[start] = isLight ? 255 : 20
        pixels[start + 1] = isLight ? 40 : 0
        pixels[start + 2] = UInt8((x * 7 + y * 13) % 256)
      }
    }
    let image = try Image(pixels: pixels, width: width, height: height, bands: 3)
    let operation = try Trial.operation(Crop.self, "aspect = \"square\"\ngravity = \"\(gravity)\"")
    let result = try Trial(operation, on: image).image()
    #expect(result.width == 400 && result.height == 400)
    // All of the spot is inside: more of it than of any other square.
    let busy = try result.pixels().filter { $0 != 90 }.count
    #expect(busy > 200 * 200 * 3 * 9 / 10)
  }

  @Test func coordinatesAreUpright() throws {
    let stored = try Sample.gradient(width: 100, height: 200)
    let operation = try Trial.operation(Crop.self, "rect = [150, 60, 50, 40]")
    let trial = try Trial(operation, on: stored, orientation: .right)
    #expect(trial.frame.size == Size(width: 50, height: 40))
    // Upright (x, y) of orientation 6 is stored (y, height - 1 - x).
    let image = try trial.image()
    let corner = try image.samples(x: 0, y: 0)
    #expect(try corner == stored.samples(x: 60, y: 49))
  }

  @Test func conflictingKeysAreOneErrorEach() {
    let error = #expect(throws: Problems.self) {
      try Trial.operation(
        Crop.self,
        "rect = [0, 0, 1, 1]\naspect = \"1:1\"\ngravity = \"west\"\nfocus = [1, 1]"
      )
    }
    #expect(error?.all.map(\.code) == [.conflict, .conflict])
  }
}
