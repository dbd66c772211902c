import FlattenOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite(.vips) struct FlattenTests {
  private func flattened(_ toml: String, _ image: Image) throws -> Image {
    try Trial(Trial.operation(Flatten.self, toml), on: image).image()
  }

  @Test func mixesByTheAlpha() throws {
    let image = try Sample.flat([200, 100, 0, 51], width: 2, height: 2)
    // 51/255 = 0.2 of the picture, 0.8 of white.
    #expect(try flattened("", image).samples(x: 0, y: 0) == [244, 224, 204])
    #expect(
      try flattened("background = \"black\"", image).samples(x: 0, y: 0) == [40, 20, 0]
    )
  }

  @Test func anOpaquePictureIsNotTouched() throws {
    let trial = try Trial(Flatten(), on: Sample.gradient(width: 4, height: 4))
    #expect(!trial.frame.isTouched)
  }

  @Test func grayOnAColorBecomesColor() throws {
    let image = try Sample.flat([128, 0], width: 2, height: 2)
    #expect(
      try flattened("background = [255, 0, 0]", image).samples(x: 0, y: 0) == [255, 0, 0]
    )
  }
}
