import Glibc
import MinilabKit

/// Listens to workers that read headers before a run, or instead of one.
final class HeaderPass: RunObserver {
  private let take: (ProbeResult) -> RunStop?
  private var tally: Tally
  private var progress: ProgressLine?

  /// - Parameters:
  ///   - count: how many headers there are.
  ///   - quiet: draw no progress line.
  ///   - take: gets each result as it comes, in no order.
  init(count: Int, quiet: Bool, take: @escaping (ProbeResult) -> RunStop?) {
    self.take = take
    tally = Tally(planned: count)
    if !quiet { progress = ProgressLine(on: STDERR_FILENO, start: .now) }
  }

  func probed(_ result: ProbeResult) -> RunStop? {
    tally.done += 1
    return take(result)
  }

  func finished(_ result: UnitResult) -> RunStop? { nil }

  func stopping(_ stop: RunStop) {}

  var redrawInterval: Duration? { progress == nil ? nil : ProgressLine.interval }

  func redraw() { progress?.draw(tally) }

  func end() { progress?.clear() }
}

/// Puts results into the order of the plan, holding back only what came too early.
struct InOrder<Value> {
  private var early: [Int: Value] = [:]
  private var next = 0

  /// - Parameters:
  ///   - value: of this place.
  ///   - index: each is given once.
  /// - Returns: the values whose turn it is now.
  mutating func add(_ value: Value, at index: Int) -> [Value] {
    early[index] = value
    var due: [Value] = []
    while let value = early.removeValue(forKey: next) {
      due.append(value)
      next += 1
    }
    return due
  }
}
