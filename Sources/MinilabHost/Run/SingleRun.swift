import MinilabKit

/// The only unit of a preview or an explanation.
struct SingleUnit: UnitSource {
  let unit: UnitRequest

  var count: Int { 1 }
  func isOpen(at index: Int) -> Bool { true }
  func unit(at index: Int) -> UnitRequest? { unit }
  func probe(at index: Int) -> ProbeRequest? { nil }
}

/// Waits for what becomes of it.
final class SingleOutcome: RunObserver {
  private(set) var result: UnitResult?

  func finished(_ result: UnitResult) -> RunStop? {
    self.result = result
    return nil
  }

  func probed(_ result: ProbeResult) -> RunStop? { nil }
  func stopping(_ stop: RunStop) {}
  var redrawInterval: Duration? { nil }
  func redraw() {}
}
