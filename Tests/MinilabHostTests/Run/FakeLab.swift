import Foundation
import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

/// The executable that stands in for workers, built beside the tests.
let fakeWorker: Path = {
  let bundle = WorkerProcess.ownExecutable.folder
  return bundle.appending("FakeWorker")
}()

/// A folder of its own, removed with its owner.
final class Scratch {
  let path: Path

  init() throws {
    var template = Array("/tmp/minilab-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemError(call: .mkdir, number: errno)
    }
    path = Path(bytes: template.dropLast().map { UInt8(bitPattern: $0) })
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path.shown)
  }

  func file(_ name: String) -> Path { path.appending(name) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name).shown))
  }

  func lines(_ name: String) -> [String] {
    let bytes = System.contents(of: file(name)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func text(_ name: String) -> String? {
    System.contents(of: file(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  func names(_ folder: String = "") throws -> [String] {
    let folder = try Descriptor(opening: folder.isEmpty ? path : file(folder), O_RDONLY)
    return try System.names(in: folder.number).map(\.shown).sorted()
  }
}

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

/// Waits for something that another process brings about.
func waitUntil(_ what: String, _ condition: () -> Bool) throws {
  for _ in 0..<6000 {
    if condition() { return }
    usleep(10_000)
  }
  Issue.record("waited in vain: \(what)")
  throw CancellationError()
}
