import MinilabKit
import Testing

@Suite struct FrameTests {
  private let frame = Frame(
    Origin(format: .jpeg, size: Size(width: 60, height: 40), orientation: .right)
  )

  @Test func isUprightFromTheStart() {
    #expect(frame.size == Size(width: 40, height: 60))
    #expect(!frame.isTouched)
  }

  @Test func geometryEditsBecomeOneStage() {
    let edited = frame.geometry { $0.crop(to: PixelRectangle(x: 0, y: 0, width: 20, height: 20)) }
      .geometry { $0.resize(to: Size(width: 10, height: 10)) }
    #expect(edited.stages.count == 1)
    #expect(edited.size == Size(width: 10, height: 10))
    #expect(edited.isTouched)
  }

  @Test func geometryAfterPixelWorkIsAStageOfItsOwn() {
    let edited = frame.pixels(size: .unchanged, access: .sequential) { $0 }
      .geometry { $0.resize(to: Size(width: 4, height: 6)) }
    #expect(edited.stages.count == 3)
    #expect(edited.size == Size(width: 4, height: 6))
  }

  @Test func pixelWorkSaysWhatBecomesOfTheSize() {
    let same = frame.pixels(size: .unchanged, access: .sequential) { $0 }
    #expect(same.knownSize == frame.size)
    let known = frame.pixels(size: .known(Size(width: 3, height: 2)), access: .random) { $0 }
    #expect(known.size == Size(width: 3, height: 2))
    #expect(frame.pixels(size: .fromPixels, access: .random) { $0 }.knownSize == nil)
  }

  @Test func pixelWorkSaysWhatBecomesOfTransparency() {
    #expect(!frame.hasAlpha)
    let added = frame.pixels(size: .unchanged, access: .sequential, alpha: .added) { $0 }
    #expect(added.hasAlpha)
    #expect(
      !added.pixels(size: .unchanged, access: .sequential, alpha: .removed) { $0 }.hasAlpha
    )
    #expect(frame.geometry { $0.rotate(degrees: 5, background: .transparent) }.hasAlpha)
    #expect(!frame.geometry { $0.rotate(degrees: 5, background: .white) }.hasAlpha)
  }

  @Test func workIsAttributedToItsStepOnce() {
    let first = frame.pixels(size: .unchanged, access: .sequential) { $0 }.attributed(to: "one")
    let second = first.pixels(size: .unchanged, access: .sequential) { $0 }.attributed(to: "two")
    let steps = second.stages.compactMap { stage in
      if case .pixels(let work) = stage { work.step } else { nil }
    }
    #expect(steps == ["one", "two"])
  }
}
