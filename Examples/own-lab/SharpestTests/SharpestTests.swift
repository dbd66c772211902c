import MinilabKit
import SharpestOperation
import Testing

@Suite("sharpest")
struct SharpestTests {
  /// Each frame's picture is that at its place in the unit.
  private struct Pictures: PictureMaker {
    let all: [Image]

    func reduction(of frame: Frame, to side: Int) throws -> Image { all[frame.origin.picture] }
    func image(of frame: Frame) throws -> Image { all[frame.origin.picture] }
  }

  private func frame(_ picture: Int, width: Int = 8) -> Frame {
    Frame(Origin(format: .png, size: Size(width: width, height: 1), picture: picture))
  }

  @Test("the picture with the steepest edge is kept")
  func steepest() throws {
    try Host.start()
    let rows: [[UInt8]] = [
      [80, 80, 90, 100, 120, 130, 140, 140],
      [10, 10, 10, 10, 240, 240, 240, 240],
      [90, 90, 90, 90, 120, 120, 120, 120],
    ]
    let images = try rows.map { try Image(pixels: $0, width: 8, height: 1, bands: 1) }
    let result = try Sharpest().apply(
      to: images.indices.map { frame($0) },
      in: Context(step: "sharpest", pictures: Pictures(all: images))
    )
    guard case .made(let making) = result.base else {
      Issue.record("nothing is made")
      return
    }
    #expect(try making.run().pixels() == rows[1])
  }

  @Test("the size is told while only headers are read")
  func planned() throws {
    let result = try Sharpest().apply(to: [frame(0), frame(1)], in: Context(step: "s"))
    #expect(result.size == Size(width: 8, height: 1))
  }

  @Test("pictures of different sizes are an error that names both")
  func sizes() {
    let error = #expect(throws: ItemError.self) {
      try Sharpest().apply(to: [frame(0), frame(1, width: 9)], in: Context(step: "s"))
    }
    #expect(error?.text == "s: expected pictures of one size, 8 × 1, found one of 9 × 1")
  }
}
