/// Numbers that look random and are the same on every run (a linear congruential generator
/// with the constants of Numerical Recipes).
public struct Dice {
  private var state: UInt32

  public init(_ seed: UInt32) { state = seed &* 2_654_435_761 &+ 1 }

  public mutating func next(_ range: ClosedRange<Int>) -> Int {
    state = state &* 1_664_525 &+ 1_013_904_223
    return range.lowerBound + Int(state >> 8) % range.count
  }

  public mutating func fraction() -> Double { Double(next(0...1_000_000)) / 1_000_000 }

  public mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[next(0...(elements.count - 1))]
  }
}
