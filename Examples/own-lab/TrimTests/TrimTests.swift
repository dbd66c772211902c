import MinilabKit
import Testing
import TrimOperation

@Suite("trim")
struct TrimTests {
  private func trimmed(_ size: Size, by edge: Length) throws -> Frame {
    var trim = Trim()
    trim.edge = edge
    return try trim.apply(
      to: Frame(Origin(format: .jpeg, size: size, orientation: .right)),
      in: Context(step: "trim")
    )
  }

  @Test("what is left is counted from the top left of the upright picture")
  func upright() throws {
    // Stored 100 × 60, seen 60 × 100.
    let frame = try trimmed(Size(width: 100, height: 60), by: .pixels(10))
    #expect(frame.size == Size(width: 40, height: 80))
    guard case .geometry(let geometry)? = frame.stages.last else {
      Issue.record("no geometry is pending")
      return
    }
    // Orientation 6: the top left as seen is the bottom left as stored, and up is left.
    let corner = geometry.map(x: 0, y: 0)
    #expect(corner.x == 10 && corner.y == 50)
  }

  @Test("a picture of which nothing would be left is an error that names both sizes")
  func tooSmall() {
    let error = #expect(throws: ItemError.self) {
      try trimmed(Size(width: 20, height: 30), by: .pixels(15))
    }
    #expect(error?.code == .cropOutside)
    #expect(error?.text == "trim: expected a picture larger than 30 × 30, found 30 × 20")
  }
}
