import Glibc
import MinilabKit

/// `minilab run PROFILE --explain FILE`: one unit, one worker, and nothing but headers and what steps must
/// look at.
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
        set: options.set,
        limits: options.limits,
        operations: operations
      )
      if let source = profile.source {
        throw UsageError(
          "minilab run",
          "--explain: the pictures are made by the step \"\(source.id)\", and no file is read"
        )
      }
      return try ExplainCommand(options, profile).run()
    } catch let error as UsageError {
      Console.warn(error.line)
    } catch let error as Problems {
      Console.warn("\(error)\n")
    } catch let error as OutputFolderError {
      Console.warn("minilab: \(error.text)\n")
    } catch let error as PlanError {
      Console.warn("minilab: \(error.text)\n")
      if case .nothingMatched = error { return .nothingMatched }
    } catch let error as SandboxMode.Unavailable {
      Console.warn("minilab: \(error.text)\n")
    } catch let error as SystemError {
      Console.warn("minilab: no worker process can be started: \(error.reason)\n")
      return .someFailed
    } catch {
      Console.warn("minilab: \(error)\n")
      return .someFailed
    }
    return .notStarted
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
    configuration.memoryLimit = profile.limits.workerMemory(of: limits)
    let coordinator = Coordinator(configuration)
    defer { coordinator.end() }
    let setup = Setup(
      profile: profile.node,
      output: scratch.folder.path,
      threads: 1,
      pixelBound: budget.pixelBound,
      explains: true,
      confinement: options.sandbox == .off
        ? nil
        : Confinement(
          profile,
          inputs: shared.plan.places,
          output: scratch.folder.path,
          memory: profile.limits.workerMemory(of: limits)
        )
    )
    try coordinator.start()
    if shared.plan.needsHeaders {
      let pass = HeaderPass(count: shared.plan.openCount, quiet: true) { [shared] result in
        (try? shared.plan.learn(result)) == nil ? .planRefused : nil
      }
      let stop = try coordinator.carryOut(Schedule(probing: shared), setup: setup, observer: pass)
      if let stop { return tell(stop) }
      try shared.plan.settle()
    }
    let plan = shared.plan
    guard plan.count > 0 else {
      let name = options.explain?.shown ?? ""
      Console.warn("minilab: \(name): the profile's grouping leaves it out\n")
      return .someFailed
    }
    let name = plan.input(at: 0)
    guard let index = (0..<plan.count).first(where: { plan.fate(at: $0) == nil }),
      let unit = plan.unit(at: index)
    else {
      let reason = plan.failure(at: 0)?.text ?? "the profile's grouping leaves it out"
      Console.warn("minilab: \(name.shown): \(reason)\n")
      return .someFailed
    }
    let outcome = SingleOutcome()
    let stop = try coordinator.carryOut(
      Schedule(processing: SingleUnit(unit: unit)),
      setup: setup,
      observer: outcome
    )
    if let stop { return tell(stop) }
    guard let result = outcome.result else { return .someFailed }
    return tell(result, name)
  }

  private func tell(_ stop: RunStop) -> ExitStatus {
    if let text = RunReport.text(stop) { Console.warn("minilab: \(text)\n") }
    return RunCommand.status(stop, failed: 0)
  }

  private func tell(_ result: UnitResult, _ name: Path) -> ExitStatus {
    if let error = result.error {
      Console.warn("minilab: \(name.shown): \(error.text)\n")
      return .someFailed
    }
    guard let account = result.account else {
      Console.warn("minilab: \(name.shown): no output is made of it\n")
      return .success
    }
    let explanation = Explanation(account, notes: result.notes, input: name, budget: budget)
    Console.print(options.json ? explanation.json.text + "\n" : explanation.text)
    return .success
  }
}
