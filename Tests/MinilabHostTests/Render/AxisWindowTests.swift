import TestSupport
import Testing

@testable import MinilabHost

@Suite("The window of an axis")
struct AxisWindowTests {
  /// Where libvips' `reduce` puts the first wanted sample: its output grid is centered on its input.
  private func begin(_ window: AxisWindow, _ factor: Double) -> Double {
    let length = outputLength(window, factor)
    let origin = Double(window.start + window.end) / 2 - Double(length) * factor / 2
    return origin + Double(window.skip) * factor
  }

  private func outputLength(_ window: AxisWindow, _ factor: Double) -> Int {
    Int((Double(window.end - window.start) / factor + 0.5).rounded(.down))
  }

  @Test("whole offsets at factor 1 are cut out as they are")
  func identity() {
    let window = AxisWindow(offset: 17, factor: 1, count: 40)
    #expect((window.start, window.end, window.skip) == (17, 57, 0))
  }

  @Test(
    "the window covers what the kernel reads, and its grid lies where it is wanted",
    arguments: [(1.3, 2.0, 0.25), (2.0, 3.99, 0.25), (1.0, 1.3, 0.5)]
  )
  func properties(_ least: Double, _ most: Double, _ bound: Double) {
    var dice = Dice(UInt32(least * 100))
    var errors: [Double] = []
    for round in 0..<400 {
      let any = least + (most - least) * dice.fraction()
      // Simple fractions are the hard ones.
      let factor = round % 4 == 0 ? max(least, (any * 12).rounded() / 12) : any
      let offset = Double(dice.next(0...4000)) * 0.731 + dice.fraction()
      let count = dice.next(1...1500)
      let window = AxisWindow(offset: offset, factor: factor, count: count)
      let error = abs(begin(window, factor) - offset)
      #expect(error <= bound, "\(offset) \(factor) \(count)")
      errors.append(error)
      #expect(window.skip >= 0)
      #expect(window.skip + count <= outputLength(window, factor))
      // Lanczos3 reads three factors to either side of a sample's center.
      let first = offset + factor / 2 - 3 * factor
      let last = offset + (Double(count) - 0.5) * factor + 3 * factor
      #expect(Double(window.start) <= first, "\(offset) \(factor) \(count)")
      #expect(Double(window.end) >= last, "\(offset) \(factor) \(count)")
      // No more is read than a search of 47 samples can add.
      #expect(window.end - window.start <= Int(last - first) + 4 * Int(factor.rounded(.up)) + 60)
    }
    #expect(errors.sorted()[errors.count / 2] < 0.02)
  }

  @Test("one wanted sample, and offsets at the start, have a window too")
  func edges() {
    for factor in [1.01, 1.5, 2, 2.5, 3.7] {
      for offset in [0, 0.25, 0.5] {
        let window = AxisWindow(offset: offset, factor: factor, count: 1)
        #expect(window.skip + 1 <= outputLength(window, factor))
        #expect(abs(begin(window, factor) - offset) < 0.5)
      }
    }
  }
}
