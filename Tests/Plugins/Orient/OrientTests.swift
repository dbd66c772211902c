import MinilabHost
import MinilabKit
import OrientOperation
import TestSupport
import Testing
import Vips

@Suite(.vips) struct OrientTests {
  private let stored = (width: 5, height: 3)

  private func oriented(_ toml: String, _ orientation: Orientation) throws -> Image {
    try Trial(
      Trial.operation(Orient.self, toml),
      on: Sample.gradient(width: stored.width, height: stored.height),
      orientation: orientation
    )
    .image()
  }

  /// What the viewer sees at (x, y), by the words of EXIF: which side of the picture row 0 is, and
  /// which side column 0.
  private func naive(_ orientation: Orientation) throws -> [[UInt8]] {
    let image = try Sample.gradient(width: stored.width, height: stored.height)
    let swaps = orientation.rawValue >= 5
    let width = swaps ? stored.height : stored.width
    let height = swaps ? stored.width : stored.height
    var pixels: [[UInt8]] = []
    for y in 0..<height {
      for x in 0..<width {
        let right = stored.width - 1
        let bottom = stored.height - 1
        let (column, row) =
          switch orientation {
          case .up: (x, y)
          case .upMirrored: (right - x, y)
          case .down: (right - x, bottom - y)
          case .downMirrored: (x, bottom - y)
          case .leftMirrored: (y, x)
          case .right: (y, bottom - x)
          case .rightMirrored: (right - y, bottom - x)
          case .left: (right - y, x)
          }
        pixels.append(try image.samples(x: column, y: row))
      }
    }
    return pixels
  }

  @Test(arguments: Orientation.allCases)
  func followsTheTag(orientation: Orientation) throws {
    let image = try oriented("", orientation)
    #expect(try image.pixels() == naive(orientation).flatMap { $0 })
  }

  @Test(arguments: Orientation.allCases)
  func ignoresTheTagWhenTold(orientation: Orientation) throws {
    let image = try oriented("ignore-tag = true", orientation)
    #expect(try image.pixels() == Sample.gradient(width: 5, height: 3).pixels())
  }

  @Test(arguments: [false, true])
  func aSecondOneFindsNoTag(ignoresTag: Bool) throws {
    var first = Orient()
    first.ignoreTag = ignoresTag
    var second = first
    second.ignoreTag = true
    let frame = Frame(
      Origin(format: .jpeg, size: Size(width: 5, height: 3), orientation: .right)
    )
    let once = try first.apply(to: frame, in: Context(step: "first"))
    let twice = try second.apply(to: once, in: Context(step: "second"))
    #expect(once.size == (ignoresTag ? Size(width: 5, height: 3) : Size(width: 3, height: 5)))
    #expect(twice.size == once.size)
  }

  @Test(arguments: [
    ("rotate-90", Orientation.right), ("rotate-180", .down), ("rotate-270", .left),
    ("flip-horizontal", .upMirrored), ("flip-vertical", .downMirrored),
    ("transpose", .leftMirrored), ("transverse", .rightMirrored),
  ])
  func turnsAsTold(mode: String, like orientation: Orientation) throws {
    let image = try oriented("mode = \"\(mode)\"", .up)
    #expect(try image.pixels() == naive(orientation).flatMap { $0 })
  }

  @Test func theTurnComesAfterTheTag() throws {
    let image = try oriented("mode = \"rotate-90\"", .left)
    #expect(try image.pixels() == Sample.gradient(width: 5, height: 3).pixels())
  }

  @Test func fourQuarterTurnsAreNone() throws {
    let turn = try Trial.operation(Orient.self, "mode = \"rotate-90\"")
    var image = try Sample.gradient(width: 5, height: 3)
    for _ in 0..<4 { image = try Trial(turn, on: image).image() }
    #expect(try image.pixels() == Sample.gradient(width: 5, height: 3).pixels())
  }

  @Test func anUprightPictureIsNotTouched() throws {
    let trial = try Trial(Orient(), on: Sample.gradient(width: 5, height: 3))
    #expect(!trial.frame.isTouched)
    let tagged = try Trial(
      Orient(),
      on: Sample.gradient(width: 5, height: 3),
      orientation: .right
    )
    #expect(tagged.frame.isTouched)
  }
}
