import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

@Suite("Worker death")
struct WorkerDeathTests {
  @Test("A large worker that the system kills has run out of memory")
  func outOfMemory() {
    let death = WorkerDeath(signal: SIGKILL, peakMemory: 3 << 30)
    let error = death.error(limit: 4_000_000_000, workers: 2)
    #expect(error.code == .outOfMemory)
    #expect(
      error.text
        == "expected a picture that fits into 4 GB of memory (limits.worker-memory; --limit "
        + "worker-memory=… sets another), found that the system ended it at 3.2 GB, twice"
    )
  }

  @Test(
    "A library that gives up near the limit of memory has been refused more",
    arguments: [
      WorkerDeath(signal: SIGABRT, peakMemory: 3 << 30),
      WorkerDeath(signal: SIGTRAP, peakMemory: 3 << 30),
      WorkerDeath(status: 1, peakMemory: 3 << 30),
    ]
  )
  func refused(death: WorkerDeath) {
    #expect(death.error(limit: 4 << 30, workers: 2).code == .outOfMemory)
  }

  @Test("A worker that has noticed the refusal itself ends with a status of its own, at any size")
  func noticed() {
    let death = WorkerDeath(status: RefusedMemory.exitStatus, peakMemory: 50 << 20)
    #expect(death.error(limit: 4 << 30, workers: 2).code == .outOfMemory)
    #expect(
      death.error(limit: nil, workers: 2).text
        == "expected a picture that fits into the memory there is (limits.worker-memory; --limit "
        + "worker-memory=… sets another), found that more was refused, and a library gave up, "
        + "twice"
    )
  }

  @Test(
    "Other endings are crashes",
    arguments: [
      (WorkerDeath(signal: SIGKILL, peakMemory: 100 << 20), 4 << 30),
      (WorkerDeath(signal: SIGSEGV, peakMemory: 3 << 30), 4 << 30),
      (WorkerDeath(signal: SIGKILL, peakMemory: 3 << 30), nil),
      (WorkerDeath(status: 1, peakMemory: 1 << 30), 4 << 30),
      (WorkerDeath(signal: SIGABRT, peakMemory: 1 << 30), 4 << 30),
      (WorkerDeath(status: 1, peakMemory: 3 << 30), nil),
    ] as [(WorkerDeath, Int?)]
  )
  func crashes(death: WorkerDeath, limit: Int?) {
    #expect(death.error(limit: limit, workers: 2).code == .crashed)
  }

  @Test("The report says how it ended")
  func text() {
    let crash = WorkerDeath(signal: SIGSEGV).error(limit: nil, workers: 1)
    #expect(
      crash.text
        == "expected a picture that can be processed, found that the worker was ended by signal "
        + "11 (Segmentation fault), twice"
    )
    #expect(
      ItemError.timeout(after: .seconds(120)).text
        == "expected a result within 120 s, found none, and ended the worker"
    )
    #expect(
      ItemError.timeout(after: .seconds(1), "time-limit").text
        == "expected a result within 1 s (input.time-limit; --limit time-limit=… sets another), "
        + "found none, and ended the worker"
    )
    #expect(ItemError.timeout(after: .milliseconds(1500)).text.contains("within 1.5 s"))
  }
}
