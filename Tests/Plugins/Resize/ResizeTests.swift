import MinilabHost
import MinilabKit
import ResizeOperation
import TestSupport
import Testing
import Vips

@Suite(.vips) struct ResizeTests {
  private func trial(_ toml: String, _ width: Int = 300, _ height: Int = 200) throws -> Trial {
    try Trial(
      Trial.operation(Resize.self, toml),
      on: Sample.gradient(width: width, height: height)
    )
  }

  @Test(arguments: [
    ("width = 150", 150, 100), ("height = 50", 75, 50), ("width = \"50%\"", 150, 100),
    ("width = 100\nheight = 100", 100, 67), ("width = 100\nheight = 10", 15, 10),
    ("width = 100\nheight = 100\nfit = \"stretch\"", 100, 100),
    ("width = 100\nheight = 100\nfit = \"cover\"", 100, 100),
    ("width = 600", 300, 200), ("width = 600\nenlarge = true", 600, 400),
    ("width = 400\nheight = 100\nfit = \"stretch\"", 300, 100),
    ("width = 400\nheight = 100\nfit = \"stretch\"\nenlarge = true", 400, 100),
    ("width = 600\nheight = 300\nfit = \"cover\"\nenlarge = true", 600, 300),
  ])
  func fits(toml: String, width: Int, height: Int) throws {
    let trial = try trial(toml)
    #expect(trial.frame.size == Size(width: width, height: height), "\(toml)")
    let image = try trial.image()
    #expect(image.width == width && image.height == height, "\(toml)")
  }

  /// Field report 9: a box larger than the picture, filled without enlarging, gives what there is.
  @Test func coverWithoutEnlargingCutsToThePicture() throws {
    let trial = try trial("width = 400\nheight = 200\nfit = \"cover\"", 300, 300)
    #expect(trial.frame.size == Size(width: 300, height: 200))
    #expect(try trial.image().height == 200)
  }

  @Test func coverKeepsTheMiddle() throws {
    let image = try trial("width = 100\nheight = 100\nfit = \"cover\"").image()
    let left = try image.samples(x: 0, y: 50)
    let right = try image.samples(x: 99, y: 50)
    // Of 300 × 200, the middle 200 columns are kept: red runs from 50/299 to 249/299.
    #expect(abs(Int(left[0]) - 43) <= 2)
    #expect(abs(Int(right[0]) - 212) <= 2)
  }

  /// Cut after a reduction to a third, the middle would be half a pixel beside it.
  @Test(arguments: [(100, 100), (90, 100), (100, 60)])
  func coverIsCenteredToAPartOfAPixel(width: Int, height: Int) throws {
    // As bright as it is far from the middle, so that both halves are alike.
    func away(_ place: Int, _ side: Int) -> Int { abs(2 * place - (side - 1)) / 4 }
    let pixels = (0..<(400 * 300)).map { index -> UInt8 in
      UInt8(away(index % 400, 400) + away(index / 400, 300))
    }
    let source = try Image(pixels: pixels, width: 400, height: 300, bands: 1)
    let toml = "width = \(width)\nheight = \(height)\nfit = \"cover\""
    let image = try Trial(Trial.operation(Resize.self, toml), on: source).image()
    #expect(image.width == width && image.height == height)
    for y in [2, height / 3] {
      for x in [2, width / 3] {
        let sample = Int(try image.samples(x: x, y: y)[0])
        #expect(abs(sample - Int(try image.samples(x: width - 1 - x, y: y)[0])) <= 1)
        #expect(abs(sample - Int(try image.samples(x: x, y: height - 1 - y)[0])) <= 1)
      }
    }
  }

  @Test func enlargingIsNoted() throws {
    #expect(try trial("width = 600\nenlarge = true").frame.notes.map(\.code) == [.enlarged])
    #expect(try trial("width = 600").frame.notes.isEmpty)
  }

  @Test func linearLightAveragesLight() throws {
    let pixels = (0..<(64 * 64)).flatMap { index -> [UInt8] in index % 2 == 0 ? [0] : [255] }
    let stripes = try Image(pixels: pixels, width: 64, height: 64, bands: 1)
    func middle(_ toml: String) throws -> Int {
      let operation = try Trial.operation(Resize.self, toml)
      return Int(try Trial(operation, on: stripes).image().samples(x: 8, y: 8)[0])
    }
    #expect(abs(try middle("width = 16") - 128) <= 1)
    #expect(abs(try middle("width = 16\nlinear = true") - 188) <= 2)
  }

  @Test func oneSideIsNeeded() {
    #expect(throws: Problems.self) { try Trial.operation(Resize.self, "enlarge = true") }
    #expect(throws: Problems.self) {
      try Trial.operation(Resize.self, "width = 10\nfit = \"cover\"")
    }
  }
}
