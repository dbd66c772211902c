// Stands in for the real program in tests of processes: a worker that does what its input's name
// says, and a lab that runs such workers. Debug builds only, as it looks into the host.
#if DEBUG
import Glibc
import MinilabKit

@testable import MinilabHost

/// Does what the name of its input says.
struct Obedient: UnitProcessor {
  func process(_ unit: UnitRequest) -> ProcessedUnit {
    var result = UnitResult(id: unit.id, status: .done)
    if let weight = Weight(unit.input), let grant = unit.grant {
      if let granted = grant.memory, granted < weight.estimate.memory {
        result.status = .skipped
        result.needs = weight.estimate
        append("back \(weight.name)", to: weight.log)
        return ProcessedUnit(result)
      }
      append("begin \(weight.name) \(grant.threads)", to: weight.log)
      if let gate = weight.gate {
        while access("\(gate).open", F_OK) != 0 { usleep(5000) }
      }
      if let opened = weight.opened { append("", to: "\(opened).open") }
      append("end \(weight.name)", to: weight.log)
      return ProcessedUnit(result)
    }
    switch obey(unit.input) {
    case .done: break
    case .disk(let gate):
      return ProcessedUnit { [result] in
        while access("\(gate).open", F_OK) != 0 { usleep(5000) }
        return result
      }
    case .long: result.notes = [Note(.damaged, String(repeating: "x", count: 300_000))]
    case .failed(let error):
      result.status = .failed
      result.error = error
    }
    return ProcessedUnit(result)
  }

  func probe(_ request: ProbeRequest) -> ProbeResult {
    var result = ProbeResult(id: request.id)
    if let weight = Weight(request.input) {
      result.estimate = weight.estimate
      return result
    }
    switch obey(request.input) {
    case .done, .long, .disk:
      result.header = Header(width: request.id, height: 1, orientation: 1, pages: 1)
    case .failed(let error): result.error = error
    }
    return result
  }

  private enum Outcome {
    case done
    /// What is left is the disk's, and done when a file of that name is there.
    case disk(String)
    case long
    case failed(ItemError)
  }

  private func obey(_ input: Path) -> Outcome {
    let words = (input.text ?? "").split(separator: ":", maxSplits: 1).map(String.init)
    let value = words.count > 1 ? words[1] : ""
    switch words.first {
    case "crash":
      append("\(getpid())", to: value)
      abort()
    case "crash-once": if append("\(getpid())", to: value) == 1 { abort() }
    case "hang":
      append("\(getpid())", to: value)
      while true { sleep(1000) }
    case "exit": exit(7)
    case "kill": kill(getpid(), SIGKILL)
    // Says that it was begun, and by whom, and waits until it may go on.
    case "gate":
      append("\(getpid())", to: "\(value).begun")
      while access("\(value).open", F_OK) != 0 { usleep(5000) }
    case "fail":
      return .failed(ItemError(.damaged, expected: "a picture", received: "half of one"))
    case "disk-full":
      return .failed(ItemError(.diskFull, expected: "room", received: "the disk is full"))
    case "log": append("\(getpid())", to: value)
    case "nonsense": try? System.writeAll(3, Array("{\"what\":1}\n".utf8))
    case "say": try? System.writeAll(3, Array("\(value)\n".utf8))
    case "long": return .long
    case "disk": return .disk(value)
    default: break
    }
    return .done
  }

  /// Adds a line, and tells how many there are.
  @discardableResult
  private func append(_ line: String, to file: String) -> Int {
    let path = Path(file)
    guard !file.isEmpty,
      let log = try? Descriptor(opening: path, O_WRONLY | Int32(O_CREAT) | Int32(O_APPEND))
    else { return 0 }
    try? System.writeAll(log.number, Array("\(line)\n".utf8))
    return System.contents(of: path)?.count { $0 == UInt8(ascii: "\n") } ?? 0
  }
}

/// A unit that says what it takes: `weigh:COST:MEMORY:LOG`, and then `:wait=GATE` or `:open=GATE`.
struct Weight {
  let name: String
  let estimate: Estimate
  let log: String
  var gate: String?
  var opened: String?

  init?(_ input: Path) {
    let words = (input.text ?? "").split(separator: ":").map(String.init)
    guard words.first == "weigh", words.count >= 4, let cost = Double(words[1]),
      let memory = Int(words[2])
    else { return nil }
    name = words[1]
    estimate = Estimate(memory: memory, cost: cost)
    log = words[3]
    let extra = (words.count > 4 ? words[4] : "").split(separator: "=").map(String.init)
    if extra.first == "wait" { gate = extra[1] }
    if extra.first == "open" { opened = extra[1] }
  }
}

struct Inputs: UnitSource {
  let inputs: [Path]
  var count: Int { inputs.count }

  func isOpen(at index: Int) -> Bool { true }

  func unit(at index: Int) -> UnitRequest? {
    UnitRequest(id: index, input: inputs[index], format: .jpeg, outputs: [])
  }

  func probe(at index: Int) -> ProbeRequest? { nil }
}

/// `lab OUT INPUT…`: two workers, events on standard output, and the exit status of a run.
func lab(_ arguments: [String]) throws -> Int32 {
  let inputs = arguments.dropFirst().map { Path($0) }
  let output = try OutputFolder(preparing: Path(arguments[0]), patience: .milliseconds(300))
  var configuration = Coordinator.Configuration(
    launch: .init(executable: WorkerProcess.ownExecutable, lock: output.lockDescriptor),
    jobs: 2
  )
  configuration.watchedOutput = STDOUT_FILENO
  let coordinator = Coordinator(configuration)
  try coordinator.start()
  let report = RunReport(
    Tally(planned: inputs.count),
    .init(json: true),
    input: { inputs[$0] },
    outputIsLost: { output.isLost }
  )
  let schedule = Schedule(processing: Inputs(inputs: inputs))
  let place = Place(file: Path(""), line: 1, column: 1)
  let stop = try coordinator.carryOut(
    schedule,
    setup: Setup(profile: Node(.table([]), at: place), output: nil, threads: 1),
    observer: report
  )
  coordinator.end()
  output.emptyTemporaries()
  report.end(stop)
  switch stop {
  case nil: return report.tally.failed > 0 ? 1 : 0
  case .interrupted?, .outputClosed?: return 130
  default: return 1
  }
}

// The real program with an operation of our own, workers included.
if getenv("FAKE_WORKER_IS_MINILAB") != nil {
  Minilab.main(operations: [
    .init(SideBySide.self), .init(Refuse.self), .init(Intruder.self), .init(Moody.self),
  ])
}

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "worker":
  exit(
    WorkerLoop.run { setup in
      if getenv("FAKE_WORKER_REFUSES") != nil { exit(9) }
      return Obedient()
    }
  )
case "lab":
  do {
    exit(try lab(Array(arguments.dropFirst())))
  } catch {
    print("\(error)")
    exit(2)
  }
default: exit(64)
}
#else
print("FakeWorker is for tests, which are built for debugging")
#endif
