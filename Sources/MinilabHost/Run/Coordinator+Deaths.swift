import Glibc
import MinilabKit

// Workers that die or hang: a unit that was begun is tried once more, alone, and has failed then.

extension Coordinator {
  /// Kills workers that have taken longer than they may.
  func endHungWorkers() {
    let now = SuspendingClock.now
    for worker in workers {
      guard let deadline = worker.deadline, deadline <= now else { continue }
      if worker.killedFor == nil {
        worker.kill(for: .timeout)
      } else {
        // It hangs in the kernel, as on a disk that is gone, and cannot be waited for.
        bury(worker, worker.abandon())
      }
    }
  }

  /// Takes back what a worker that has died had not begun, and judges what it had.
  func bury(_ worker: WorkerProcess, _ death: WorkerDeath) {
    crew.remove(worker)
    configuration.clearUp(worker.process)
    guard !worker.isIdle else { return }

    var blamed: Work?
    for work in worker.inFlight {
      guard let begun = worker.begun, blamed == nil else {
        schedule?.giveBack(work)
        continue
      }
      let (culprit, others) = work.split(at: begun)
      blamed = culprit
      for other in others { schedule?.giveBack(other) }
    }
    if let blamed {
      judge(blamed, worker, death)
    } else if stop == nil {
      fruitlessDeaths += 1
      if fruitlessDeaths == 3 {
        stopRun(.noWorker("three in a row did not begin anything; found \(death.shown)"))
      }
    }
  }

  private func judge(_ begun: Work, _ worker: WorkerProcess, _ death: WorkerDeath) {
    // A header that was read ahead of its unit: the unit has had its first try.
    let unit =
      begun.ids.first.flatMap { schedule?.isAhead($0) == true ? schedule?.takeUnit($0) : nil }
    let work = unit ?? begun
    if worker.killedFor == .timeout, worker.isAtDisk {
      deliver(.diskHangs(for: configuration.diskLimit), for: work)
    } else if worker.killedFor == .timeout {
      let limit = begun.ids.first.map { self.limit(begun, $0) } ?? configuration.unitLimit
      // That of headers is fixed, unless the profile's is shorter.
      let isOwn = limit == configuration.unitLimit * begun.pictureCount(of: begun.ids.first ?? 0)
      deliver(
        .timeout(after: limit, isOwn ? "time-limit" : nil),
        for: work,
        seconds: limit / .seconds(1)
      )
    } else if worker.killedFor == .stopping {
      // Withdrawn: it is as if it had never been begun.
    } else if death.signal == SIGBUS, configuration.outputIsFull() {
      // Libraries map files of theirs that the disk has no room for, and nobody tells them so.
      deliver(.diskFull(death), for: work)
    } else if worker.isTryingAgain {
      deliver(
        death.error(limit: configuration.memoryLimit, workers: workers.count + 1),
        for: work
      )
    } else if stop == nil {
      schedule?.suspect(work)
    }
  }
}
