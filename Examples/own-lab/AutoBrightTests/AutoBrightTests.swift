import AutoBrightOperation
import MinilabKit
import Testing

@Suite("auto-bright")
struct AutoBrightTests {
  /// Gives every frame the same small picture.
  private struct Pictures: PictureMaker {
    let small: Image

    func reduction(of frame: Frame, to side: Int) throws -> Image { small }
    func image(of frame: Frame) throws -> Image { small }
  }

  private func brightened(_ level: UInt8) throws -> Frame {
    try Host.start()
    let small = try Image(pixels: [level], width: 1, height: 1, bands: 1)
    return try AutoBright().apply(
      to: Frame(Origin(format: .png, size: Size(width: 8, height: 8))),
      in: Context(step: "auto-bright", pictures: Pictures(small: small))
    )
  }

  @Test("the average of a dark picture becomes the target, and its alpha stays")
  func dark() throws {
    let frame = try brightened(51)
    guard case .pixels(let work)? = frame.stages.last else {
      Issue.record("no work is registered")
      return
    }
    // 51 is 0.2 of 255; up to 0.4 is a gain of 2.
    let picture = try Image(pixels: [10, 51, 200, 33], width: 1, height: 1, bands: 4)
    #expect(try work.run(picture).pixels() == [20, 102, 255, 33])
  }

  @Test("a bright picture is left alone")
  func bright() throws {
    #expect(try !brightened(180).isTouched)
  }

  @Test("the size is the same while only headers are read")
  func planned() throws {
    let frame = Frame(Origin(format: .png, size: Size(width: 8, height: 8)))
    #expect(try AutoBright().apply(to: frame, in: Context(step: "a")).size == frame.size)
  }
}
