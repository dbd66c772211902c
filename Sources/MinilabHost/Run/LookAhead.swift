import MinilabKit

/// The units that come next, with what each will take: the most expensive goes first, so that none is left
/// over when all others are done.
///
/// Of what may be large, workers read the headers, many to a request. What a small file holds is not worth
/// that: its size tells enough, and the worker that opens it gives it back if it does need more.
struct LookAhead {
  private let source: any UnitSource
  private let budget: MemoryBudget
  /// The first unit of the plan that has not come into the window.
  private var next = 0
  /// What can be handed out, the cheapest first.
  private var ready: [Candidate] = []
  /// Headers that are to be asked for.
  private var unread: [Candidate] = []
  /// Headers that were asked for.
  private var reading: [Int: Candidate] = [:]
  /// Nothing was handed out yet.
  private var isFresh = true
  /// How often the most expensive one had to let others pass, as it did not fit.
  private var passedBy = 0

  private struct Candidate {
    let index: Int
    var estimate: Estimate
  }

  /// How many units are looked at ahead.
  private static let window = 128
  /// More of them would keep memory from ever becoming free for the one that is passed by.
  private static let mostPassing = 16
  /// Headers in one request.
  private static let mostHeaders = 16

  init(_ source: any UnitSource, _ budget: MemoryBudget) {
    self.source = source
    self.budget = budget
    fill()
  }

  /// Units that were not handed out, at most.
  var remaining: Int { ready.count + unread.count + reading.count + source.count - next }

  func isReading(_ index: Int) -> Bool { reading[index] != nil }

  // MARK: Handing out

  /// The next message; nil where nothing fits now.
  ///
  /// `fits`: whether there is room for a unit.
  mutating func take(_ fits: (Estimate) -> Bool) -> Work? {
    fill()
    if let work = takeHeaders() { return work }
    // Until all of the first window is known, a small one could go before a large one.
    if isFresh, !reading.isEmpty { return nil }
    while let candidate = takeCandidate(fits) {
      guard var unit = source.unit(at: candidate.index) else { continue }
      isFresh = false
      unit.estimate = candidate.estimate
      return .unit(unit)
    }
    return nil
  }

  private mutating func takeHeaders() -> Work? {
    guard !unread.isEmpty else { return nil }
    // For each worker some.
    let count = min(Self.mostHeaders, (unread.count + budget.jobs - 1) / budget.jobs)
    var window: [ProbeRequest] = []
    for candidate in unread.prefix(count) {
      guard let probe = source.probe(at: candidate.index) else {
        add(candidate)
        continue
      }
      reading[candidate.index] = candidate
      window.append(probe)
    }
    unread.removeFirst(count)
    return window.isEmpty ? takeHeaders() : .probe(window)
  }

  private mutating func takeCandidate(_ fits: (Estimate) -> Bool) -> Candidate? {
    guard let first = ready.last else { return nil }
    if fits(first.estimate) {
      passedBy = 0
      return ready.removeLast()
    }
    guard passedBy < Self.mostPassing,
      let place = ready.lastIndex(where: { fits($0.estimate) })
    else { return nil }
    passedBy += 1
    return ready.remove(at: place)
  }

  // MARK: Filling

  private mutating func fill() {
    // A window is filled up while half of it is left, so that headers are read before they are needed.
    guard remaining - (source.count - next) <= Self.window / 2 else { return }
    var isLonely = ready.isEmpty && unread.isEmpty && reading.isEmpty
    var count = 0
    while next < source.count, count < Self.window / 2 {
      defer { next += 1 }
      guard source.isOpen(at: next) else { continue }
      count += 1
      let file = source.file(at: next)
      let estimate = Estimate(of: file, unknown: budget.ofUnknown)
      let candidate = Candidate(index: next, estimate: estimate)
      if file.map(\.mayBeLarge) ?? false { unread.append(candidate) } else { add(candidate) }
    }
    isLonely = isLonely && isFresh && count == 1 && next == source.count
    // There is nothing to put into an order.
    if isLonely, let only = unread.popLast() { add(only) }
  }

  private mutating func add(_ candidate: Candidate) {
    // Of equals the first of the plan goes first.
    var (low, high) = (0, ready.count)
    while low < high {
      let middle = (low + high) / 2
      let other = ready[middle]
      let isBefore =
        (other.estimate.cost, candidate.index) < (candidate.estimate.cost, other.index)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    ready.insert(candidate, at: low)
  }

  // MARK: Learning

  /// Takes what a header tells.
  mutating func learn(_ result: ProbeResult) {
    guard var candidate = reading.removeValue(forKey: result.id) else { return }
    // What is wrong with a picture is found out, and told, when it is made.
    if let estimate = result.estimate { candidate.estimate = estimate }
    add(candidate)
  }

  /// The unit whose header has ended its reader.
  mutating func takeUnit(_ index: Int) -> Work? {
    guard let candidate = reading.removeValue(forKey: index) else { return nil }
    var unit = source.unit(at: index)
    unit?.estimate = candidate.estimate
    return unit.map(Work.unit)
  }
}

/// What is known of a unit's files without opening them.
struct FileHint {
  /// Of the first picture.
  var format: PictureFormat
  /// Of all of them.
  var bytes: Int
  var count = 1

  /// Its header is worth being read ahead: a smaller file takes little, or is rare.
  var mayBeLarge: Bool { bytes / count >= Self.small(format) }

  /// In bytes.
  private static func small(_ format: PictureFormat) -> Int {
    switch format {
    case .heif, .avif, .jxl, .webp: 256 << 10
    default: 512 << 10
    }
  }

  /// Pixels that a byte stands for in a usual photograph.
  fileprivate var pixelsPerByte: Double {
    switch format {
    case .jpeg: 3
    case .webp, .jp2k: 6
    case .heif, .avif, .jxl: 10
    case .svg, .pdf: 10
    case .gif: 1.5
    case .png, .tiff, .xpm, .exr, .psd: 0.5
    case .bmp, .tga, .ico, .dds, .pnm, .hdr, .fits: 0.3
    }
  }
}

extension Estimate {
  /// Of a unit of which no header was read.
  ///
  /// `unknown`: what is set aside for it, in bytes.
  fileprivate init(of file: FileHint?, unknown: Int) {
    self.init(
      memory: unknown * (file?.count ?? 1),
      cost: file.map { Double($0.bytes) * $0.pixelsPerByte / 1e6 } ?? 0
    )
  }
}
