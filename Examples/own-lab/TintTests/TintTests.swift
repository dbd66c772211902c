import MinilabHost
import MinilabKit
import Testing
import TintOperation

@Suite("tint")
struct TintTests {
  /// Reads a step as a profile would, with all its checks.
  private func step(_ toml: String) throws -> Tint {
    var problems: [Problem] = []
    let node = try TOMLReader.read(Array(toml.utf8), from: Path("test.toml"))
    let step = Tint.decode(node, key: "tint", &problems)
    return try #require(step, "\(problems)")
  }

  /// What the registered work makes of a picture.
  private func tinted(_ image: Image, _ step: Tint) throws -> Image {
    let size = Size(width: image.width, height: image.height)
    let frame = try step.apply(
      to: Frame(Origin(format: .png, size: size, hasAlpha: image.hasAlpha)),
      in: Context(step: "tint")
    )
    guard case .pixels(let work)? = frame.stages.last else { return image }
    return try work.run(image)
  }

  @Test("each color goes the given part of the way, and the alpha stays")
  func mixes() throws {
    try Host.start()
    let pixel: [UInt8] = [100, 200, 0, 77]
    let image = try Image(pixels: pixel, width: 1, height: 1, bands: 4)
    let result = try tinted(image, step("color = \"white\"\nstrength = 0.2"))
    // 100 + 0.2 · (255 − 100) = 131, 200 + 11 = 211, 0 + 51 = 51
    #expect(try result.pixels() == [131, 211, 51, 77])
  }

  @Test("gray becomes color only where the tint has color", arguments: ["gray", "red"])
  func gray(color: String) throws {
    try Host.start()
    let image = try Image(pixels: [90], width: 1, height: 1, bands: 1)
    let result = try tinted(image, step("color = \"\(color)\""))
    #expect(result.bands == (color == "gray" ? 1 : 3))
  }

  @Test("a strength of nothing registers no work")
  func nothing() throws {
    let frame = Frame(Origin(format: .png, size: Size(width: 4, height: 4)))
    let result = try step("color = \"red\"\nstrength = 0").apply(
      to: frame,
      in: Context(step: "tint")
    )
    #expect(!result.isTouched)
  }

  @Test("every problem of a step is told at once")
  func problems() throws {
    var problems: [Problem] = []
    let text = "strenght = 1\nstrength = 2"
    let node = try TOMLReader.read(Array(text.utf8), from: Path("test.toml"))
    #expect(Tint.decode(node, key: "tint", &problems) == nil)
    #expect(problems.map(\.code) == [.unknownKey, .outOfRange, .missing])
  }
}
