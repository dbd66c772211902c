import Glibc

/// The workers that there are.
struct Crew {
  private(set) var workers: [WorkerProcess] = []
  /// How many there are at a time: what was asked for, or fewer where the system allows no more.
  private(set) var most: Int
  private let launch: WorkerProcess.Launch

  init(_ launch: WorkerProcess.Launch, most: Int) {
    self.launch = launch
    self.most = most
  }

  /// How many workers can take more.
  var active: Int {
    workers.count { !$0.isEnding && $0.killedFor == nil }
  }

  /// Starts a worker that is not told anything yet.
  mutating func add() throws(SystemError) {
    workers.append(try WorkerProcess(launch))
  }

  /// Starts a worker and tells it of the work.
  ///
  /// Where the system allows no more processes, those that are there do the work.
  ///
  /// - Returns: nil where there are enough.
  /// - Throws: where there is none, and none can be started.
  mutating func hire(_ setup: Setup) throws -> WorkerProcess? {
    guard active < most else { return nil }
    do {
      let worker = try WorkerProcess(launch)
      workers.append(worker)
      try worker.send(.setup(setup))
      return worker
    } catch is SystemError where active > 0 {
      most = active
      return nil
    }
  }

  /// Forgets a worker that is gone.
  mutating func remove(_ worker: WorkerProcess) {
    workers.removeAll { $0 === worker }
  }

  /// Lets the workers end, and waits until they are gone.
  mutating func end(patience: Duration) {
    for worker in workers { worker.end() }
    let deadline = SuspendingClock.now + patience
    while !workers.isEmpty, SuspendingClock.now < deadline {
      var descriptors = workers.map(\.pollReplies)
      guard (try? System.poll(&descriptors, milliseconds: 100)) != nil else { break }
      for (worker, state) in zip(workers, descriptors) where state.revents != 0 {
        if !worker.read() {
          _ = worker.reap()
          remove(worker)
        }
      }
    }
    // Their owner gone, the rest is killed.
    workers = []
  }
}

extension WorkerProcess {
  var pollReplies: pollfd {
    pollfd(fd: repliesDescriptor, events: Int16(POLLIN), revents: 0)
  }

  var pollRequests: pollfd {
    pollfd(fd: wantsToWrite ? requestsDescriptor ?? -1 : -1, events: Int16(POLLOUT), revents: 0)
  }
}
