import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Field report 15: an animation whose frames lie below each other is one tall strip to libvips, and
/// a crop or a turn of it used to give a piece of the strip.
@Suite("An animation through steps that change its shape (field report 15)", .vips)
struct AnimationTests {
  private static let width = 40
  private static let height = 24

  /// Five frames, each of its own gray, with a white corner at the top left.
  private func animation() throws -> [UInt8] {
    let frames = (0..<5).flatMap { frame in
      (0..<(Self.width * Self.height)).flatMap { index -> [UInt8] in
        let isCorner = index % Self.width < 8 && index / Self.width < 6
        return [UInt8](repeating: isCorner ? 255 : UInt8(40 + frame * 40), count: 3)
      }
    }
    let strip = try Image(pixels: frames, width: Self.width, height: Self.height * 5, bands: 3)
      .copy()
    strip.set("page-height", int: Self.height)
    return try strip.encoded(.gif)
  }

  private static let steps: [(toml: String, size: Size, inside: (Int, Int), corner: (Int, Int))] = [
    (
      "op = \"crop\"\nrect = [2, 2, 20, 10]", Size(width: 20, height: 10), inside: (12, 8),
      corner: (2, 2)
    ),
    ("op = \"rotate\"\nangle = 90", Size(width: 24, height: 40), inside: (10, 20), corner: (22, 2)),
    (
      "op = \"rotate\"\nangle = 180", Size(width: 40, height: 24), inside: (10, 10),
      corner: (38, 22)
    ),
    (
      "op = \"shape-mask\"\nshape = \"ellipse\"\noutside = \"white\"",
      Size(width: 40, height: 24), inside: (20, 12), corner: (0, 0)
    ),
  ]

  @Test("the first frame with a note that counts them, never a strip", arguments: 0..<4)
  func first(_ index: Int) throws {
    let step = Self.steps[index]
    for format in ["gif", "png"] {
      let bench = try Workbench("[[step]]\n\(step.toml)\n[[output]]\nformat = \"\(format)\"\n")
      let outcome = try bench.process(animation(), named: "a.gif")
      let note = outcome.result.notes.first { $0.code == .pagesDropped }
      #expect(note?.text == "the first of 5 pages was used")
      let picture = try outcome.picture()
      #expect(picture.size == step.size, "\(step.toml)")
      // GIF's palette is near enough.
      #expect(abs(picture[step.inside.0, step.inside.1, 0] - 40) <= 3, "\(step.toml)")
      #expect(picture[step.corner.0, step.corner.1, 0] >= 252, "\(step.toml)")
    }
  }

  @Test("or a clear refusal, and no file", arguments: 0..<4)
  func refused(_ index: Int) throws {
    let bench = try Workbench(
      """
      [input]
      pages = "reject"
      [[step]]
      \(Self.steps[index].toml)
      [[output]]
      format = "gif"
      """
    )
    let outcome = try bench.process(animation(), named: "a.gif")
    #expect(outcome.result.error?.code == .pagesRejected)
    #expect(try bench.outputNames() == [])
    let still = try NaivePicture.synthetic(40, 24).encoded(.gif)
    #expect(try bench.process(still, named: "b.gif").result.status == .done)
  }
}
