import MinilabKit

// Which worker is given what, and when.

extension Coordinator {
  /// Gives workers as much as they can take, and starts those that are wanted.
  func handOut() throws {
    guard stop == nil else { return }
    for worker in workers where !worker.isEnding && worker.isIdle {
      if worker.handed >= configuration.recycleAfter { worker.end() }
    }
    if schedule?.hasSuspect == true, crew.active >= crew.most {
      // It needs a fresh worker, and an old one has to make room.
      workers.first { !$0.isEnding && $0.isIdle }?.end()
    }
    while schedule?.hasSuspect == true, let worker = try fresh() {
      guard let suspect = schedule?.takeSuspect() else { break }
      try worker.hand(suspect, tryingAgain: true, startLimit: configuration.startLimit)
    }
    // All get their first before any gets its second.
    for depth in 1...Self.depth {
      for worker in workers { try hand(to: worker, upTo: depth) }
      while depth == 1, let remaining = schedule?.remaining, remaining > 0,
        let worker = try fresh()
      {
        try hand(to: worker, upTo: depth)
      }
    }
  }

  /// What a worker has at once: one in work, one that waits, so that it never does, and one on its
  /// way to the disk.
  private static let depth = 3

  private func hand(to worker: WorkerProcess, upTo depth: Int) throws {
    guard !worker.isEnding, worker.killedFor == nil, !worker.isTryingAgain,
      worker.inFlight.count < depth, worker.handed < configuration.recycleAfter
    else { return }
    // A second one spares the worker a wait. Near the end it could wait itself, behind a slow
    // first one, while another worker has nothing to do.
    if depth > 1, (schedule?.remaining ?? 0) <= crew.most || worker.cost > Self.longWork { return }
    let allotment = Allotment(configuration, crew)
    guard let work = schedule?.take({ allotment.fits($0, worker) }) else { return }
    let granted = allotment.granted(work, worker, remaining: schedule?.remaining ?? 0)
    try worker.hand(granted, startLimit: configuration.startLimit)
  }

  /// As long as decoding so many megapixels of JPEG, about a second: behind such work nothing waits that
  /// another worker could do.
  private static let longWork = 100.0

  /// One more worker; nil where there are enough, or none can be had.
  private func fresh() throws -> WorkerProcess? {
    guard stop == nil, let setup else { return nil }
    do {
      return try crew.hire(setup)
    } catch let error as SystemError {
      stopRun(.noWorker("starting one failed: \(error.reason)"))
      return nil
    }
  }
}
