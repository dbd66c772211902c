import Glibc
import MinilabKit

/// The units of a run, by their place in the plan.
///
/// Made when they are handed out, so that a plan of millions stays as small as it is.
protocol UnitSource {
  var count: Int { get }
  /// False for one that has failed already.
  func isOpen(at index: Int) -> Bool
  func unit(at index: Int) -> UnitRequest?
  func probe(at index: Int) -> ProbeRequest?
  /// How many pictures a unit has on average.
  var averageLength: Int { get }
  /// What is known of a unit's files without opening them; nil where nothing is.
  func file(at index: Int) -> FileHint?
}

extension UnitSource {
  var averageLength: Int { 1 }
  func file(at index: Int) -> FileHint? { nil }
}

/// What one message gives a worker to do.
enum Work {
  case unit(UnitRequest)
  /// Never empty.
  case probe([ProbeRequest])

  /// The files whose headers one message asks for: enough that messages cost nothing beside them,
  /// and few enough that a crash makes few of them be read again.
  static let probeWindow = 64

  /// How many pictures are opened for one of its units.
  func pictureCount(of id: Int) -> Int {
    switch self {
    case .unit(let unit): unit.pictureCount
    case .probe(let window): window.first { $0.id == id }?.pictureCount ?? 1
    }
  }

  /// What a unit is known to take.
  var estimate: Estimate? {
    if case .unit(let unit) = self { unit.estimate } else { nil }
  }

  /// What a unit was granted of libvips' threads.
  var threads: Int? {
    if case .unit(let unit) = self { unit.grant?.threads } else { nil }
  }

  var ids: [Int] {
    switch self {
    case .unit(let unit): [unit.id]
    case .probe(let window): window.map(\.id)
    }
  }

  var request: Request {
    switch self {
    case .unit(let unit): .unit(unit)
    case .probe(let window): .probe(window)
    }
  }

  /// What is left of it when the worker died of one of its files: that one, and the others.
  func split(at culprit: Int) -> (culprit: Work?, others: [Work]) {
    switch self {
    case .unit(let unit):
      return unit.id == culprit ? (self, []) : (nil, [self])
    case .probe(let window):
      guard let index = window.firstIndex(where: { $0.id == culprit }) else { return (nil, [self]) }
      let others = [Array(window[..<index]), Array(window[(index + 1)...])]
      return (.probe([window[index]]), others.filter { !$0.isEmpty }.map(Work.probe))
    }
  }
}

/// What there is to hand out, and in which order.
struct Schedule {
  private let count: () -> Int
  private let isOpen: (Int) -> Bool
  private let mayGrow: () -> Bool
  private let window: Int
  private let make: (Range<Int>) -> Work?
  /// Where units do not go in the order of the plan.
  private var ahead: LookAhead?
  private var next = 0
  /// Taken back from workers that died without having begun it.
  private var returned: [Work] = []
  /// A worker died of it: it gets one more try, alone in a fresh worker.
  private var suspects: [Work] = []

  /// Each unit of a source, to be processed.
  init(processing source: any UnitSource) {
    self.init(source, window: 1) { source.unit(at: $0.lowerBound).map(Work.unit) }
  }

  /// Each unit of a source, to be processed, the most expensive of those that come next first.
  init(lookingAheadAt source: any UnitSource, _ budget: MemoryBudget) {
    self.init(processing: source)
    ahead = LookAhead(source, budget)
  }

  /// The header of each unit of a source, many at a time.
  init(probing source: any UnitSource) {
    self.init(source, window: max(1, Work.probeWindow / source.averageLength)) { range in
      .probe(range.compactMap { source.probe(at: $0) })
    }
  }

  private init(
    _ source: any UnitSource,
    window: Int,
    make: @escaping (Range<Int>) -> Work?
  ) {
    count = { source.count }
    isOpen = { source.isOpen(at: $0) }
    mayGrow = { false }
    self.window = window
    self.make = make
    skip()
  }

  /// What comes while the run goes on.
  init(growing source: any GrowingSource) {
    count = { source.count }
    isOpen = { _ in true }
    mayGrow = { source.mayGrow }
    window = 1
    make = { source.take($0.lowerBound) }
  }

  /// How many messages are left to hand out at most, the suspects not counted.
  var remaining: Int {
    returned.count + (ahead?.remaining ?? (count() - next + window - 1) / window)
  }

  var hasSuspect: Bool { !suspects.isEmpty }

  /// Nothing is left, and nothing more will come.
  var isEmpty: Bool { remaining == 0 && !hasSuspect && !mayGrow() }

  /// The next message; nil where nothing fits now.
  ///
  /// `fits`: whether there is room for a unit that is known to take so much.
  mutating func take(_ fits: (Estimate) -> Bool = { _ in true }) -> Work? {
    if let place = returned.firstIndex(where: { $0.estimate.map(fits) ?? true }) {
      return returned.remove(at: place)
    }
    // What was taken back waits for room, and nothing passes it by.
    if !returned.isEmpty { return nil }
    if ahead != nil { return ahead?.take(fits) }
    guard next < count() else { return nil }
    let range = next..<min(next + window, count())
    next = range.upperBound
    skip()
    return make(range)
  }

  /// Passes over what needs no worker.
  private mutating func skip() {
    while next < count(), !isOpen(next) { next += 1 }
  }

  mutating func takeSuspect() -> Work? {
    suspects.isEmpty ? nil : suspects.removeFirst()
  }

  mutating func giveBack(_ work: Work) {
    returned.append(work.again)
  }

  mutating func suspect(_ work: Work) {
    suspects.append(work.again)
  }

  // MARK: Headers ahead of their units

  /// The header was asked for ahead of its unit, and nobody else waits for it.
  func isAhead(_ index: Int) -> Bool { ahead?.isReading(index) ?? false }

  mutating func learn(_ result: ProbeResult) { ahead?.learn(result) }

  /// What becomes of the unit when its header has ended the worker that read it.
  mutating func takeUnit(_ index: Int) -> Work? { ahead?.takeUnit(index) }
}

/// Units that come while a run goes on.
protocol GrowingSource: AnyObject {
  /// How many messages there have been to hand out so far.
  var count: Int { get }
  /// More may come.
  var mayGrow: Bool { get }
  /// Takes the message of a place; each is taken once.
  func take(_ index: Int) -> Work?
}

/// What brings new work while a run goes on, beside the workers.
protocol WorkFeed: AnyObject {
  /// What to poll; nil when it has ended.
  var pollReplies: pollfd? { get }
  /// When `checkTime` is to be called.
  var deadline: SuspendingClock.Instant? { get }
  /// Something has come.
  func listen() -> RunStop?
  func checkTime()
  /// The lab was stopped by job control, and goes on.
  func resumed()
  /// The run ends early, and nothing more is wanted.
  func stop()
  /// The run ends at once.
  func kill()
}
