import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Coordinator")
struct CoordinatorTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private var log: String { scratch.file("log").shown }

  @Test("Each unit is answered once, whatever the number of workers", arguments: [1, 2, 5])
  func answersEachUnitOnce(jobs: Int) throws {
    let lab = FakeLab(jobs: jobs)
    #expect(try lab.process(Array(repeating: "fine", count: 103)) == nil)
    #expect(lab.listener.results.map(\.id).sorted() == Array(0..<103))
    #expect(lab.listener.done.count == 103)
  }

  @Test("Units that have failed already reach no worker")
  func passesOverClosedUnits() throws {
    let lab = FakeLab()
    #expect(try lab.process(["closed", "fine", "closed", "closed", "fine", "closed"]) == nil)
    #expect(lab.listener.done == [1, 4])
    #expect(lab.listener.results.count == 2)
    let nothing = FakeLab()
    #expect(try nothing.process(["closed", "closed"]) == nil)
    #expect(nothing.listener.results.isEmpty)
  }

  @Test("A crash costs its unit only, after a second try in a worker of its own")
  func crashCostsOneUnit() throws {
    let lab = FakeLab(jobs: 1)
    #expect(try lab.process(["fine", "crash:\(log)", "fine", "fine", "fine"]) == nil)
    #expect(lab.listener.done == [0, 2, 3, 4])
    #expect(lab.listener.codes == [1: .crashed])
    let workers = scratch.lines("log")
    #expect(workers.count == 2)
    #expect(Set(workers).count == 2)
  }

  @Test("What crashes once only is done in the end")
  func secondTrySucceeds() throws {
    let lab = FakeLab()
    #expect(try lab.process(["fine", "crash-once:\(log)", "fine"]) == nil)
    #expect(lab.listener.done == [0, 1, 2])
    #expect(Set(scratch.lines("log")).count == 2)
  }

  @Test("Many crashes at once lose nothing")
  func manyCrashes() throws {
    let lab = FakeLab(jobs: 3)
    let orders = (0..<24).map { $0 % 3 == 0 ? "crash" : "fine" }
    #expect(try lab.process(orders) == nil)
    #expect(lab.listener.results.map(\.id).sorted() == Array(0..<24))
    #expect(lab.listener.codes.count == 8)
    #expect(lab.listener.codes.values.allSatisfy { $0 == .crashed })
  }

  @Test("A worker that leaves, is killed or talks nonsense counts as crashed")
  func otherEndings() throws {
    let lab = FakeLab()
    #expect(try lab.process(["exit", "fine", "kill", "fine", "nonsense", "fine"]) == nil)
    #expect(lab.listener.done == [1, 3, 5])
    #expect(lab.listener.codes == [0: .crashed, 2: .crashed, 4: .crashed])
  }

  @Test(
    "What a worker says that cannot be so counts as its crash",
    arguments: [
      // Begun for ever, it would never be late.
      #"{"begun":{"id":1}}"#,
      #"{"made":{"id":0}}"#,
      #"{"finished":{"_0":{"id":1,"status":"failed","outputs":[],"notes":[],"seconds":0}}}"#,
      #"{"finished":{"_0":{"id":7,"status":"done","outputs":[],"notes":[],"seconds":0}}}"#,
      #"{"probed":{"_0":[{"id":1,"sizes":[],"leftOut":[],"notes":[]}]},"begun":{"id":1}}"#,
      #"{"begun":{"id":99999999999999999999}}"#,
      #"[[[[[[[[[["#,
    ]
  )
  func liesOfWorkers(line: String) throws {
    let lab = FakeLab()
    #expect(try lab.process(["fine", "say:\(line)", "fine"]) == nil)
    #expect(lab.listener.done == [0, 2])
    #expect(lab.listener.codes == [1: .crashed])
  }

  @Test("A worker that tells of a picture of nothing counts as crashed")
  func liesOfProbes() throws {
    let lab = FakeLab()
    let header = #"{"width":1,"height":-1,"orientation":1,"pages":1}"#
    let result = #"{"id":0,"header":\#(header),"sizes":[],"leftOut":[],"notes":[]}"#
    #expect(try lab.probe([#"say:{"probed":{"_0":[\#(result)]}}"#]) == nil)
    #expect(lab.listener.probes.map(\.error?.code) == [.crashed])
  }

  @Test("A gathered unit has the time of all its pictures, and so has its probe")
  func timeOfGroups() throws {
    let lab = FakeLab(jobs: 2, limit: .milliseconds(200))
    #expect(try lab.process(["fine", "hang"], pictures: 5) == nil)
    #expect(lab.listener.done == [0])
    #expect(lab.listener.results.last?.error == .timeout(after: .seconds(1), "time-limit"))
    let probes = FakeLab(jobs: 2, limit: .milliseconds(200))
    #expect(try probes.probe(["fine", "hang"], pictures: 10) == nil)
    #expect(
      probes.listener.probes.compactMap(\.error) == [.timeout(after: .seconds(2), "time-limit")]
    )
  }

  @Test("Waiting for the disk is no work of the unit, however long it takes")
  func slowDisk() throws {
    let lab = FakeLab(jobs: 2, limit: .seconds(2))
    let gate = scratch.file("gate").shown
    // The disk comes back when another unit of the same age is out of time.
    lab.listener.hear = { result in
      if result.id == 1 { _ = try? scratch.write("", to: "gate.open") }
    }
    #expect(try lab.process(["disk:\(gate)", "hang", "fine"]) == nil)
    #expect(lab.listener.codes == [1: .timeout])
    #expect(lab.listener.done == [0, 2])
  }

  @Test("A disk that takes nothing any more is told as such, and not as a slow picture")
  func hungDisk() throws {
    var lab = FakeLab(jobs: 1)
    lab.configuration.diskLimit = .milliseconds(200)
    #expect(try lab.process(["disk:\(scratch.file("gate").shown)"]) == nil)
    #expect(lab.listener.codes == [0: .outputLost])
  }

  @Test("A unit past its time limit is ended and not tried again; the others go on (report 49)")
  func timeout() throws {
    let lab = FakeLab(jobs: 2, limit: .seconds(2))
    #expect(try lab.process(["fine", "hang:\(log)", "fine", "fine"]) == nil)
    #expect(lab.listener.done == [0, 2, 3])
    #expect(lab.listener.codes == [1: .timeout])
    #expect(scratch.lines("log").count == 1)
    let worker = try #require(scratch.lines("log").first.flatMap { Int32($0) })
    #expect(kill(worker, 0) == -1 && errno == ESRCH)
  }

  @Test("A worker is replaced after a number of units")
  func recycles() throws {
    var lab = FakeLab(jobs: 1)
    lab.configuration.recycleAfter = 3
    #expect(try lab.process(Array(repeating: "log:\(log)", count: 10)) == nil)
    #expect(lab.listener.done.count == 10)
    #expect(scratch.lines("log").count == 10)
    #expect(Set(scratch.lines("log")).count == 4)
  }

  @Test("There are no more workers than units")
  func fewUnits() throws {
    let lab = FakeLab(jobs: 8)
    #expect(try lab.process(["log:\(log)", "log:\(log)"]) == nil)
    #expect(scratch.lines("log").count == 2)
    #expect(Coordinator(lab.configuration).workerCount(for: 2) == 2)
    #expect(Coordinator(lab.configuration).workerCount(for: 100) == 8)
  }

  @Test("Long requests and long replies at once do not block each other")
  func longMessages() throws {
    let name = "long:" + String(repeating: "n", count: 200_000)
    let lab = FakeLab(jobs: 2)
    #expect(try lab.process(Array(repeating: name, count: 20)) == nil)
    #expect(lab.listener.done.count == 20)
    #expect(lab.listener.results.allSatisfy { $0.notes.first?.text.count == 300_000 })
  }

  @Test("A full disk stops the run early")
  func diskFull() throws {
    let lab = FakeLab(jobs: 1)
    let orders = ["disk-full"] + Array(repeating: "fine", count: 200)
    #expect(try lab.process(orders) == .diskFull)
    #expect(lab.listener.codes == [0: .diskFull])
    #expect(lab.listener.results.count < 10)
  }

  @Test("Workers that never take their set-up end the run with one reason")
  func noWorker() throws {
    var lab = FakeLab()
    lab.configuration.launch.environment = ["FAKE_WORKER_REFUSES": "1"]
    let stop = try lab.process(["fine", "fine", "fine"])
    guard case .noWorker(let reason)? = stop else {
      Issue.record("expected no worker, found \(String(describing: stop))")
      return
    }
    #expect(reason.contains("status 9"))
    #expect(lab.listener.results.isEmpty)
  }

  @Test("An executable that is not there is an error at once")
  func noExecutable() throws {
    var lab = FakeLab()
    lab.configuration.launch.executable = scratch.file("missing")
    #expect(throws: SystemError(call: .spawn, number: ENOENT)) { try lab.process(["fine"]) }
  }

  @Test("Where the system allows no process, the run ends with one reason (report 45)")
  func noProcess() throws {
    let lab = FakeLab()
    let coordinator = Coordinator(lab.configuration)
    let stop = try failing(.pipe, EMFILE) {
      try coordinator.carryOut(
        Schedule(processing: Orders(orders: ["fine"])),
        setup: FakeLab.setup,
        observer: lab.listener
      )
    }
    #expect(stop == .noWorker("starting one failed: too many open files"))
  }

  @Test("Each worker's death is told, to clear up behind it")
  func clearsUp() throws {
    var lab = FakeLab(jobs: 1)
    let dead = Collected<pid_t>()
    lab.configuration.clearUp = { dead.all.append($0) }
    #expect(try lab.process(["crash:\(log)", "fine"]) == nil)
    #expect(dead.all.map { "\($0)" } == scratch.lines("log"))
  }

  // MARK: Headers

  @Test("Each header is answered once, by windows")
  func probes() throws {
    let lab = FakeLab()
    #expect(try lab.probe(Array(repeating: "fine", count: 200)) == nil)
    #expect(lab.listener.probes.map(\.id).sorted() == Array(0..<200))
    #expect(lab.listener.probes.allSatisfy { $0.header?.width == $0.id })
  }

  @Test("A header that crashes its reader costs its file only")
  func probeCrash() throws {
    let lab = FakeLab()
    var orders = Array(repeating: "fine", count: 150)
    orders[0] = "crash:\(log)"
    orders[70] = "exit"
    orders[71] = "fail"
    orders[149] = "crash"
    #expect(try lab.probe(orders) == nil)
    let failed = lab.listener.probes.filter { $0.error != nil }
    #expect(lab.listener.probes.map(\.id).sorted() == Array(0..<150))
    #expect(failed.map(\.id).sorted() == [0, 70, 71, 149])
    #expect(failed.filter { $0.error?.code == .crashed }.count == 3)
    #expect(scratch.lines("log").count == 2)
  }

  @Test("A header that hangs its reader is given up (report 49)")
  func probeTimeout() throws {
    let lab = FakeLab(limit: .seconds(2))
    #expect(try lab.probe(["fine", "hang:\(log)", "fine"]) == nil)
    #expect(lab.listener.probes.map(\.id).sorted() == [0, 1, 2])
    #expect(lab.listener.probes.first { $0.id == 1 }?.error?.code == .timeout)
    #expect(scratch.lines("log").count == 1)
  }

  @Test("A window that is longer than a pipe does not block")
  func longWindow() throws {
    let lab = FakeLab(jobs: 1)
    let name = String(repeating: "n", count: 4000)
    #expect(try lab.probe(Array(repeating: name, count: 130)) == nil)
    #expect(lab.listener.probes.count == 130)
  }

  @Test("Workers that have read headers go on with the run")
  func probesThenProcesses() throws {
    let lab = FakeLab(jobs: 1)
    let coordinator = Coordinator(lab.configuration)
    try coordinator.start()
    defer { coordinator.end() }
    let orders = Orders(orders: Array(repeating: "log:\(log)", count: 5))
    for schedule in [Schedule(probing: orders), Schedule(processing: orders)] {
      let stop = try coordinator.carryOut(
        schedule,
        setup: FakeLab.setup,
        observer: lab.listener
      )
      #expect(stop == nil)
    }
    #expect(lab.listener.probes.count == 5)
    #expect(lab.listener.done.count == 5)
    #expect(Set(scratch.lines("log")).count == 1)
  }
}

/// What a closure has collected.
final class Collected<Value> {
  var all: [Value] = []
}
