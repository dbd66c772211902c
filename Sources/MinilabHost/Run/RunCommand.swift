import Glibc
import MinilabKit

/// `minilab run`: profile, output root, plan, workers, report.
struct RunCommand {
  let options: RunOptions
  let profile: Profile
  let limits: MachineLimits
  let budget: MemoryBudget
  /// Nil for a dry run, which makes nothing.
  let output: OutputFolder?
  /// How a worker is started.
  let launch: WorkerProcess.Launch
  let coordinator: Coordinator

  static func run(options: RunOptions, operations: [OperationEntry]) -> ExitStatus {
    do {
      // Until something is begun there is nothing to clear up.
      Interrupts.endProcess(status: ExitStatus.interrupted.rawValue)
      let profile = try ProfileLoader.load(
        options.profile,
        settings: options.settings,
        operations: operations,
        finder: .standard()
      )
      try options.checkInputs(profile)
      return try RunCommand(options, profile).run()
    } catch {
      return CommandFailure(error).tell(json: options.json)
    }
  }

  private init(_ options: RunOptions, _ profile: Profile) throws {
    try options.sandbox.check(quiet: options.quiet)
    self.options = options
    self.profile = profile
    limits = .current()
    if options.dryRun {
      try OutputFolder.checkPlace(options.output)
      output = nil
    } else {
      output = try OutputFolder(
        preparing: options.output,
        waiting: options.wait
          ? { holder in
            Console.warn("minilab: \(options.output.shown): waiting for \(holder)\n")
          } : nil
      )
    }
    let asked = options.jobs ?? limits.cores
    if asked > limits.cores {
      Console.warn(
        "minilab: --jobs \(asked): using \(limits.cores), as many as there are usable cores\n"
      )
    }
    launch = .init(executable: WorkerProcess.ownExecutable, lock: output?.lockDescriptor)
    var configuration = Coordinator.Configuration(
      launch: launch,
      jobs: min(asked, limits.cores)
    )
    budget = MemoryBudget(options.memory?.bytes, limits, jobs: configuration.jobs)
    configuration.budget = budget
    configuration.cores = limits.cores
    configuration.unitLimit = .seconds(profile.input.timeLimit)
    configuration.probeLimit = min(configuration.probeLimit, configuration.unitLimit)
    configuration.memoryLimit = profile.limits.workerMemory(of: limits)
    if let units = Recycling.wanted { configuration.recycleAfter = units }
    configuration.watchedOutput = options.json || options.dryRun ? STDOUT_FILENO : nil
    let output = output
    configuration.outputIsFull = { (output?.room?.free ?? .max) < 1 << 16 }
    configuration.clearUp = { output?.emptyTemporaries(of: $0) }
    coordinator = Coordinator(configuration)
  }

  private func run() throws -> ExitStatus {
    defer { coordinator.end() }
    var opened: Ledger?
    do {
      // A worker loads its libraries while the inputs are walked.
      try coordinator.start(
        withWorker: profile.source != nil || !LedgerFile(of: options.output).isThere
      )
      if let step = profile.source, let source = step.operation as? any SourceOperation {
        return try run(step, source)
      }
      let shared = SharedPlan(
        try Plan(profile, inputs: options.inputs, output: options.output)
      )
      if options.dryRun {
        let look = look()
        if shared.plan.needsHeaders, let stop = try readHeaders(shared, look?.ledger) {
          return give(up: stop)
        }
        return try show(shared, look)
      }
      if shared.plan.needsHeaders {
        // What headers tell is to be remembered.
        let ledger = try openLedger()
        opened = ledger
        if let stop = try readHeaders(shared, ledger) { return give(up: stop) }
      }
      return try carryOut(shared, opened)
    } catch {
      opened?.database.close()
      output?.discard()
      throw error
    }
  }

  // MARK: Headers

  /// Lets paths be known that depend on what headers tell.
  private func readHeaders(_ shared: SharedPlan, _ ledger: Ledger?) throws -> RunStop? {
    let memory = HeaderMemory(shared, of: profile, ledger, mayWrite: !options.dryRun)
    try memory.recall()
    var refusal: PlanError?
    let stop = try probe(memory, count: memory.openCount) { result in
      do throws(PlanError) {
        try memory.learn(result)
        return nil
      } catch {
        refusal = error
        return .planRefused
      }
    }
    if let refusal { throw refusal }
    if stop == nil { try shared.plan.settle() }
    return stop
  }

  /// Has workers read headers.
  func probe(
    _ source: any UnitSource & PlanHolder,
    count: Int,
    take: @escaping (ProbeResult) -> RunStop?
  ) throws -> RunStop? {
    let pass = HeaderPass(
      count: count,
      quiet: options.quiet,
      take: take
    )
    defer { pass.end() }
    return try coordinator.carryOut(
      Schedule(probing: source),
      setup: Setup(
        profile: profile.node,
        output: nil,
        threads: 1,
        confinement: confinement(reading: source.plan.places)
      ),
      observer: pass
    )
  }

  /// Ends before anything was begun.
  private func give(up stop: RunStop) -> ExitStatus {
    output?.discard()
    if let text = RunReport.text(stop) { Console.warn("minilab: \(text)\n") }
    return Self.status(stop, failed: 0)
  }

  /// What workers lock themselves into: the same for all that one does in a run.
  func confinement(reading places: [Path]) -> Confinement? {
    guard options.sandbox != .off else { return nil }
    return Confinement(
      profile,
      inputs: places,
      output: options.dryRun ? nil : options.output,
      memory: profile.limits.workerMemory(of: limits)
    )
  }

  // MARK: The end

  static func status(_ stop: RunStop?, failed: Int) -> ExitStatus {
    switch stop {
    case nil: failed > 0 ? .someFailed : .success
    case .interrupted?, .outputClosed?: .interrupted
    case .planRefused?: .notStarted
    case .outputFailed?, .diskFull?, .spaceLow?, .outputLimit?, .outputLost?, .ledgerFailed?,
      .failFast?, .noWorker?:
      .someFailed
    }
  }

  func write(_ text: String) -> RunStop? {
    do {
      try System.writeAll(STDOUT_FILENO, Array(text.utf8))
      return nil
    } catch {
      return .ofOutput(error)
    }
  }
}
