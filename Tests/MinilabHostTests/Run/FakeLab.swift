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

  var count: Int { orders.count }
  func isOpen(at index: Int) -> Bool { orders[index] != "closed" }

  func unit(at index: Int) -> UnitRequest? {
    UnitRequest(id: index, input: Path(orders[index]), format: .jpeg, outputs: [])
  }

  func probe(at index: Int) -> ProbeRequest? {
    isOpen(at: index) ? ProbeRequest(id: index, input: Path(orders[index]), format: .jpeg) : nil
  }
}

/// Keeps what it is told.
final class Listener: RunObserver {
  private(set) var results: [UnitResult] = []
  private(set) var probes: [ProbeResult] = []
  let redrawInterval: Duration? = nil

  var done: [Int] { results.filter { $0.status == .done }.map(\.id).sorted() }
  var codes: [Int: ItemError.Code] {
    var codes: [Int: ItemError.Code] = [:]
    for result in results { codes[result.id] = result.error?.code }
    return codes
  }

  func finished(_ result: UnitResult) -> RunStop? {
    results.append(result)
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

  func process(_ orders: [String]) throws -> RunStop? {
    try carryOut(Schedule(processing: Orders(orders: orders)))
  }

  func probe(_ orders: [String]) throws -> RunStop? {
    try carryOut(Schedule(probing: Orders(orders: orders)))
  }

  private func carryOut(_ schedule: Schedule) throws -> RunStop? {
    let coordinator = Coordinator(configuration)
    try coordinator.start()
    defer { coordinator.end() }
    return try coordinator.carryOut(schedule, setup: Self.setup, observer: listener)
  }
}
