import MinilabKit

/// The only unit of a preview, which is made, or of an explanation, which is asked about.
struct SingleUnit: UnitSource {
  var unit: UnitRequest?
  var probe: ProbeRequest?

  var count: Int { 1 }
  func isOpen(at index: Int) -> Bool { true }
  func unit(at index: Int) -> UnitRequest? { unit }
  func probe(at index: Int) -> ProbeRequest? { probe }
}

/// Waits for what becomes of it.
final class SingleOutcome: RunObserver {
  private(set) var result: UnitResult?
  private(set) var header: ProbeResult?

  func finished(_ result: UnitResult) -> RunStop? {
    self.result = result
    return nil
  }

  func probed(_ result: ProbeResult) -> RunStop? {
    header = result
    return nil
  }

  func stopping(_ stop: RunStop) {}
  var redrawInterval: Duration? { nil }
  func redraw() {}
}
