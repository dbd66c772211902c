import MinilabKit

// What workers say, and who is told of it.

extension Coordinator {
  /// Takes what a worker has said.
  func listen(to worker: WorkerProcess) throws {
    let lives = worker.read()
    while let message = worker.next(
      limit: limit,
      diskLimit: configuration.diskLimit,
      startLimit: configuration.startLimit
    ) {
      switch message {
      case .ready, .made:
        break
      case .begun:
        fruitlessDeaths = 0
      case .finished(let result, let work):
        if let needs = result.needs { giveBack(work, needs) } else { deliver(result) }
      case .probed(let results):
        for result in results { deliver(result) }
      }
    }
    if !lives { bury(worker, worker.reap()) }
  }

  private func deliver(_ result: UnitResult) {
    if let reason = observer?.finished(result) { stopRun(reason) }
  }

  /// It needs more than was thought, and waits until there is room for that.
  private func giveBack(_ work: Work, _ needs: Estimate) {
    guard case .unit(var unit) = work else { return }
    unit.estimate = needs
    unit.isEstimateExact = true
    unit.grant = nil
    schedule?.giveBack(.unit(unit))
  }

  private func deliver(_ result: ProbeResult) {
    if schedule?.isAhead(result.id) == true {
      schedule?.learn(result)
      return
    }
    if let reason = observer?.probed(result) { stopRun(reason) }
  }

  func deliver(_ error: ItemError, for work: Work, seconds: Double = 0) {
    switch work {
    case .unit(let unit):
      deliver(UnitResult(id: unit.id, status: .failed, error: error, seconds: seconds))
    case .probe(let window):
      for request in window { deliver(ProbeResult(id: request.id, error: error)) }
    }
  }

  /// How long a worker may be busy with one of the units or headers that it was given.
  func limit(_ work: Work, _ id: Int) -> Duration {
    switch work {
    case .unit: configuration.unitLimit * work.pictureCount(of: id)
    case .probe: configuration.probeLimit * work.pictureCount(of: id)
    }
  }
}
