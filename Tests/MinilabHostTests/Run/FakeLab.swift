import MinilabKit

@testable import MinilabHost

/// The executable that stands in for workers, built beside the tests.
let fakeWorker: Path = {
  let bundle = WorkerProcess.ownExecutable.folder
  return bundle.appending("FakeWorker")
}()

/// Units whose inputs tell the fake worker what to do.
struct Orders: UnitSource {
  let orders: [String]
  /// How many pictures each unit has.
  var pictures = 1
  /// Their files look large, so that headers are read ahead.
  var areLarge = false

  var count: Int { orders.count }
  func isOpen(at index: Int) -> Bool { orders[index] != "closed" }

  func unit(at index: Int) -> UnitRequest? {
    UnitRequest(
      id: index,
      input: Path(orders[index]),
      format: .jpeg,
      outputs: [],
      group: group(at: index)
    )
  }

  private func group(at index: Int) -> GroupRequest? {
    guard pictures > 1 else { return nil }
    let member = GroupMember(input: Path(orders[index]), rootLength: 0, format: .jpeg)
    return GroupRequest(members: Array(repeating: member, count: pictures))
  }

  func file(at index: Int) -> FileHint? {
    FileHint(format: .jpeg, bytes: areLarge ? 1 << 30 : 1)
  }

  func probe(at index: Int) -> ProbeRequest? {
    guard isOpen(at: index) else { return nil }
    return ProbeRequest(
      id: index,
      input: Path(orders[index]),
      format: .jpeg,
      group: group(at: index)
    )
  }
}

/// Keeps what it is told.
final class Listener: RunObserver {
  private(set) var results: [UnitResult] = []
  private(set) var probes: [ProbeResult] = []
  /// Told of each result.
  var hear: (UnitResult) -> Void = { _ in }
  let redrawInterval: Duration? = nil

  var done: [Int] { results.filter { $0.status == .done }.map(\.id).sorted() }
  var codes: [Int: ItemError.Code] {
    var codes: [Int: ItemError.Code] = [:]
    for result in results { codes[result.id] = result.error?.code }
    return codes
  }

  func finished(_ result: UnitResult) -> RunStop? {
    results.append(result)
    hear(result)
    return result.error?.code == .diskFull ? .diskFull : nil
  }

  func probed(_ result: ProbeResult) -> RunStop? {
    probes.append(result)
    return nil
  }

  func stopping(_ stop: RunStop) {}
  func redraw() {}
}

/// Carries orders out with fake workers.
struct FakeLab {
  let listener = Listener()
  var configuration: Coordinator.Configuration

  init(jobs: Int = 2, limit: Duration = .seconds(120)) {
    configuration = .init(launch: .init(executable: fakeWorker), jobs: jobs)
    configuration.handlesInterrupts = false
    configuration.unitLimit = limit
    configuration.probeLimit = limit
  }

  static let setup = Setup(
    profile: Node(.table([]), at: Place(file: Path("p"), line: 1, column: 1)),
    output: nil,
    threads: 1
  )

  func process(_ orders: [String], pictures: Int = 1) throws -> RunStop? {
    try carryOut(Schedule(processing: Orders(orders: orders, pictures: pictures)))
  }

  /// The most expensive first, within a budget.
  func processAhead(
    _ orders: [String],
    memory: Int = 1 << 30,
    cores: Int = 1,
    areLarge: Bool = true
  ) throws -> RunStop? {
    var lab = self
    let budget = MemoryBudget(bytes: memory, jobs: configuration.jobs)
    lab.configuration.budget = budget
    lab.configuration.cores = cores
    let orders = Orders(orders: orders, areLarge: areLarge)
    return try lab.carryOut(Schedule(lookingAheadAt: orders, budget))
  }

  func probe(_ orders: [String], pictures: Int = 1) throws -> RunStop? {
    try carryOut(Schedule(probing: Orders(orders: orders, pictures: pictures)))
  }

  private func carryOut(_ schedule: Schedule) throws -> RunStop? {
    let coordinator = Coordinator(configuration)
    try coordinator.start()
    defer { coordinator.end() }
    return try coordinator.carryOut(schedule, setup: Self.setup, observer: listener)
  }
}
