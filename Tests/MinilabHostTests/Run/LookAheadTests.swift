import MinilabKit
import Testing

@testable import MinilabHost

@Suite("The order in which units are handed out")
struct LookAheadTests {
  /// Units whose files have these lengths, in bytes.
  private struct Files: UnitSource {
    let lengths: [Int?]

    var count: Int { lengths.count }
    func isOpen(at index: Int) -> Bool { lengths[index] != nil }

    func unit(at index: Int) -> UnitRequest? {
      UnitRequest(id: index, input: Path("\(index)"), format: .jpeg, outputs: [])
    }

    func probe(at index: Int) -> ProbeRequest? {
      ProbeRequest(id: index, input: Path("\(index)"), format: .jpeg)
    }

    func file(at index: Int) -> FileHint? {
      lengths[index].map { FileHint(format: .jpeg, bytes: $0) }
    }
  }

  private static let large = 1 << 20
  private let budget = MemoryBudget(bytes: 1 << 30, jobs: 2)

  /// Hands out everything at once, each header telling what `estimates` has.
  private func order(
    _ lengths: [Int?],
    estimates: [Int: Estimate] = [:],
    _ fits: (Estimate) -> Bool = { _ in true }
  ) -> (units: [Int], headers: [Int]) {
    var ahead = LookAhead(Files(lengths: lengths), budget)
    var (units, headers): ([Int], [Int]) = ([], [])
    while let work = ahead.take(fits) {
      switch work {
      case .unit(let unit): units.append(unit.id)
      case .probe(let window):
        headers += window.map(\.id)
        for request in window {
          #expect(ahead.isReading(request.id))
          var result = ProbeResult(id: request.id)
          result.estimate = estimates[request.id]
          ahead.learn(result)
        }
      }
    }
    return (units, headers)
  }

  @Test("Larger files go first, and no header of small ones is read")
  func sizes() {
    let (units, headers) = order([1000, 9000, 50, nil, 9000, 400_000])
    #expect(units == [5, 1, 4, 0, 2])
    #expect(headers.isEmpty)
  }

  @Test("Of what may be large the header tells, and not the file's length")
  func headers() {
    let estimates = [
      1: Estimate(memory: 10, cost: 5), 2: Estimate(memory: 10, cost: 80),
      3: Estimate(memory: 10, cost: 0.0001),
    ]
    let (units, headers) = order(
      [1000, 3 * Self.large, Self.large, 9 * Self.large],
      estimates: estimates
    )
    #expect(headers.sorted() == [1, 2, 3])
    #expect(units == [2, 1, 0, 3])
  }

  @Test("A header that tells nothing leaves the file's length to tell")
  func brokenHeaders() {
    let (units, headers) = order([Self.large, 2 * Self.large, 10])
    #expect(headers.count == 2)
    #expect(units == [1, 0, 2])
  }

  @Test("A unit alone needs no header read before it, as there is nothing to put into an order")
  func alone() {
    #expect(order([nil, Self.large, nil]).headers.isEmpty)
    #expect(order([nil, Self.large, nil]).units == [1])
  }

  @Test("Nothing is looked at further ahead than a window, and nothing is lost or done twice")
  func windows() {
    let lengths: [Int?] = (0..<1000).map { $0 % 7 == 3 ? nil : ($0 * 7919) % 1000 * 2000 }
    let (units, _) = order(lengths)
    #expect(units.sorted() == (0..<1000).filter { $0 % 7 != 3 })
    for (place, index) in units.enumerated() {
      // Of 128 that are looked at, and one in seven that is not there.
      #expect(index < place + 128 + 1000 / 6)
    }
    // Among the first are the largest of the first window.
    let first = lengths.compactMap { $0 }.prefix(128).max()
    #expect(lengths[units[0]] == first)
  }

  @Test(
    "Before the headers of the first window are known no unit goes, and later ones wait for none"
  )
  func waitsOnlyAtFirst() {
    var ahead = LookAhead(Files(lengths: [10, Self.large, 20]), budget)
    guard case .probe(let window)? = ahead.take({ _ in true }) else {
      Issue.record("expected a header to be asked for")
      return
    }
    #expect(window.map(\.id) == [1])
    #expect(ahead.take { _ in true } == nil)
    var result = ProbeResult(id: 1)
    result.estimate = Estimate(memory: 5, cost: 7)
    ahead.learn(result)
    guard case .unit(let unit)? = ahead.take({ _ in true }) else {
      Issue.record("expected a unit")
      return
    }
    #expect(unit.id == 1)
    #expect(unit.estimate == Estimate(memory: 5, cost: 7))
    #expect(ahead.remaining == 2)
  }

  @Test("What does not fit is passed by, for a while and not for ever")
  func passing() {
    let estimates = [0: Estimate(memory: 500, cost: 1000)]
    var ahead = LookAhead(
      Files(lengths: [Self.large] + Array(repeating: 100, count: 60)),
      budget
    )
    guard case .probe? = ahead.take({ _ in true }) else {
      Issue.record("expected a header to be asked for")
      return
    }
    var result = ProbeResult(id: 0)
    result.estimate = estimates[0]
    ahead.learn(result)
    var passed = 0
    while case .unit(let unit)? = ahead.take({ $0.cost < 1000 }) {
      #expect(unit.id != 0)
      passed += 1
    }
    #expect(passed > 0 && passed < 60)
    guard case .unit(let unit)? = ahead.take({ _ in true }) else {
      Issue.record("expected the large one")
      return
    }
    #expect(unit.id == 0)
    #expect(ahead.remaining == 60 - passed)
  }

  @Test("Half of the memory there is may be held, and of that a part for what outputs share")
  func budgets() {
    let machine = MachineLimits(cores: 4, memory: 8 << 30)
    #expect(MemoryBudget(nil, machine, jobs: 4).bytes == 4 << 30)
    #expect(MemoryBudget(5000, machine, jobs: 4).bytes == 5000)
    #expect(MemoryBudget(nil, MachineLimits(cores: 1), jobs: 1).bytes == .max)
    #expect(MemoryBudget(nil, machine, jobs: 4).pixelBound == PixelStore.usualBound)
    #expect(MemoryBudget(80 << 20, machine, jobs: 4).pixelBound == 10 << 20)
    #expect(MemoryBudget(0, machine, jobs: 4).pixelBound == 0)
  }
}
