import Glibc
import MinilabKit

/// `minilab run PROFILE --explain FILE`: a dry run of one unit, whose worker may look at pixels where steps must,
/// and tells how the outputs would be made.
struct ExplainCommand {
  private let options: RunOptions
  private let profile: Profile
  private let budget: MemoryBudget
  private let shared: SharedPlan
  private let limits: MachineLimits
  /// A worker wants an output root, and leaves nothing in it.
  private let scratch: ScratchRoot

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
      if let source = profile.source {
        throw UsageError(
          "minilab run",
          "--explain: the pictures are made by the step \"\(source.id)\", and no file is read"
        )
      }
      return try ExplainCommand(options, profile).run()
    } catch {
      return CommandFailure(error).tell(json: options.json)
    }
  }

  private init(_ options: RunOptions, _ profile: Profile) throws {
    try options.sandbox.check(quiet: options.quiet)
    self.options = options
    self.profile = profile
    limits = .current()
    budget = MemoryBudget(
      options.memory?.bytes,
      limits,
      jobs: min(options.jobs ?? limits.cores, limits.cores)
    )
    scratch = try ScratchRoot()
    guard let file = options.explain else { preconditionFailure("a picture to tell about") }
    if !options.output.isEmpty { try OutputFolder.checkPlace(options.output) }
    let output = options.output.isEmpty ? scratch.folder.path : options.output
    shared = SharedPlan(try Plan(profile, inputs: [file], output: output))
  }

  private func run() throws -> ExitStatus {
    var configuration = Coordinator.Configuration(
      launch: .init(
        executable: WorkerProcess.ownExecutable,
        lock: scratch.folder.lockDescriptor
      ),
      jobs: 1
    )
    configuration.unitLimit = .seconds(profile.input.timeLimit)
    // Steps may look at pixels.
    configuration.probeLimit = configuration.unitLimit
    configuration.memoryLimit = profile.limits.workerMemory(of: limits)
    let coordinator = Coordinator(configuration)
    defer { coordinator.end() }
    try coordinator.start()
    if shared.plan.needsHeaders, let stop = try readHeaders(coordinator) { return tell(stop) }
    let plan = shared.plan
    guard plan.count > 0 else { return refuse(options.explain ?? Path(""), nil) }
    guard let index = (0..<plan.count).first(where: { plan.fate(at: $0) == nil }),
      let probe = plan.probe(at: index)
    else { return refuse(plan.input(at: 0), plan.failure(at: 0)) }
    let outcome = SingleOutcome()
    let stop = try coordinator.carryOut(
      Schedule(probing: SingleUnit(probe: probe)),
      setup: setup(explains: true),
      observer: outcome
    )
    if let stop { return tell(stop) }
    guard let header = outcome.header else { return .someFailed }
    return tell(header)
  }

  /// Lets paths be known that depend on what headers tell.
  private func readHeaders(_ coordinator: Coordinator) throws -> RunStop? {
    var refusal: PlanError?
    let pass = HeaderPass(count: shared.plan.openCount, quiet: true) { [shared] result in
      do throws(PlanError) {
        try shared.plan.learn(result)
        return nil
      } catch {
        refusal = error
        return .planRefused
      }
    }
    let stop = try coordinator.carryOut(
      Schedule(probing: shared),
      setup: setup(explains: false),
      observer: pass
    )
    if let refusal { throw refusal }
    if stop == nil { try shared.plan.settle() }
    return stop
  }

  private func setup(explains: Bool) -> Setup {
    Setup(
      profile: profile.node,
      output: scratch.folder.path,
      threads: 1,
      pixelBound: budget.pixelBound,
      explains: explains,
      confinement: options.sandbox == .off
        ? nil
        : Confinement(
          profile,
          inputs: shared.plan.places,
          output: scratch.folder.path,
          memory: profile.limits.workerMemory(of: limits)
        )
    )
  }

  // MARK: The answer

  private func tell(_ stop: RunStop) -> ExitStatus {
    if let text = RunReport.text(stop) { Console.warn("minilab: \(text)\n") }
    return RunCommand.status(stop, failed: 0)
  }

  /// Says why nothing can be told; `error`: nil where the profile's grouping leaves the picture out.
  private func refuse(_ name: Path, _ error: ItemError?) -> ExitStatus {
    let item = PlannedItem(
      input: name,
      outputs: [],
      reason: error == nil ? .noGroup : nil,
      error: error
    )
    return tell(item, nil)
  }

  private func tell(_ header: ProbeResult) -> ExitStatus {
    let plan = shared.plan
    return tell(
      plan.item(header),
      header.account.map {
        Explanation(
          $0,
          notes: header.notes,
          input: plan.input(at: header.id),
          paths: plan.outputs(at: header.id),
          budget: budget
        )
      }
    )
  }

  /// What a dry run says of the item, where that is all there is to say.
  private func tell(_ item: PlannedItem, _ explanation: Explanation?) -> ExitStatus {
    if let explanation, item.error == nil, item.reason == nil {
      Console.print(options.json ? explanation.json.text + "\n" : explanation.text)
      return .success
    }
    if options.json { Console.print(Events.plan(item).text + "\n") }
    let reason: String
    switch (item.error, item.reason) {
    case (let error?, _): reason = error.text
    case (nil, .noGroup?): reason = "the profile's grouping leaves it out"
    case (nil, let skipped): reason = "skipped (\(skipped?.rawValue ?? ""))"
    }
    Console.warn("minilab: \(item.input.shown): \(reason)\n")
    return item.error == nil && item.reason != .noGroup ? .success : .someFailed
  }
}
