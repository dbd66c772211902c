import Glibc
import MinilabKit

/// `minilab preview`: one unit, one worker, one sheet.
struct PreviewCommand {
  private let options: PreviewOptions
  private let profile: Profile
  private let request: PreviewRequest
  private let target: SingleFile
  private let plan: Plan
  private let unit: UnitRequest

  static func run(
    options: PreviewOptions,
    operations: [OperationEntry]
  ) throws(UsageError) -> ExitStatus {
    do {
      // Until something is begun there is nothing to clear up.
      Interrupts.endProcess(status: ExitStatus.interrupted.rawValue)
      let profile = try ProfileLoader.load(
        options.profile,
        settings: options.settings,
        operations: operations,
        finder: .standard()
      )
      return try PreviewCommand(options, profile, operations).run()
    } catch let error as UsageError {
      throw error
    } catch let error as Problems {
      Console.warn("\(error)\n")
      return .notStarted
    } catch let error as OutputFolderError {
      Console.warn("minilab: \(error.text)\n")
      return .notStarted
    } catch let error as PlanError {
      Console.warn("minilab: \(error.text)\n")
      if case .nothingMatched = error { return .nothingMatched }
      return .notStarted
    } catch let error as PreviewError {
      Console.warn("minilab: \(error.text)\n")
    } catch let error as SystemError {
      Console.warn("minilab: the sheet cannot be made: \(error.reason)\n")
    } catch {
      Console.warn("minilab: \(error)\n")
    }
    return .someFailed
  }

  private init(
    _ options: PreviewOptions,
    _ profile: Profile,
    _ operations: [OperationEntry]
  ) throws {
    self.options = options
    self.profile = profile
    request = try Self.request(options, profile)
    target = try SingleFile(options.sheet)
    guard let output = request.output(operations) else {
      preconditionFailure("only formats that can be written are taken")
    }
    // What becomes of other units and where their outputs would go is no matter here.
    let plan = try Plan(
      profile.writing([output]),
      inputs: options.inputs,
      output: options.sheet
    )
    self.plan = plan
    let open = (0..<plan.count).first { plan.fate(at: $0) == nil }
    guard let open, let unit = plan.unit(at: open) else {
      guard plan.count > 0 else { throw PreviewError(plan.items.relativePath(at: 0), nil) }
      throw PreviewError(plan.input(at: 0), plan.failure(at: 0))
    }
    self.unit = unit
    let inputs = (0..<plan.items.count).lazy.map { plan.items.path(at: $0) }
    if let input = target.isOne(of: inputs) {
      throw OutputFolderError(
        path: options.sheet,
        expected: "a name where no input is",
        received: "the input \(input.shown); it would be replaced"
      )
    }
    if let file = target.isOne(of: profile.files) {
      throw OutputFolderError(
        path: options.sheet,
        expected: "a name where no file of the profile is",
        received: "\(file.shown); it would be replaced"
      )
    }
  }

  /// What is shown, from the command line and the profile.
  private static func request(
    _ options: PreviewOptions,
    _ profile: Profile
  ) throws(UsageError) -> PreviewRequest {
    let shown: [Output]
    if let name = options.output {
      shown = profile.outputs.filter { $0.name == name }
      guard !shown.isEmpty else {
        let expected = expectedName("an output", for: name, among: profile.outputs.map(\.name))
        throw PreviewOptions.fault("--output: expected \(expected), found \"\(Path(name).shown)\"")
      }
    } else {
      // A sheet shows the steps that the others have.
      let pictures = profile.outputs.filter { !$0.isSheet }
      shown = pictures.isEmpty ? profile.outputs : pictures
    }
    let steps = profile.steps.count + shown.map(\.steps.count).reduce(0, +)
    if let step = options.step, step > steps {
      throw PreviewOptions.fault(
        "--step: expected a step from 0 to \(steps), found \(step)"
      )
    }
    return PreviewRequest(
      outputs: shown.map(\.name),
      step: options.step,
      guides: options.guides,
      format: options.format
    )
  }

  private func run() throws -> ExitStatus {
    let scratch = try ScratchRoot()
    let limits = MachineLimits.current()
    var configuration = Coordinator.Configuration(
      launch: .init(
        executable: WorkerProcess.ownExecutable,
        lock: scratch.folder.lockDescriptor
      ),
      jobs: 1
    )
    // Each figure is made for itself.
    let figures = 2 + profile.steps.count + profile.outputs.map(\.steps.count).reduce(0, +)
    configuration.unitLimit = .seconds(profile.input.timeLimit * Double(figures))
    let memory = profile.limits.workerMemory(of: limits)
    configuration.memoryLimit = memory
    let coordinator = Coordinator(configuration)
    defer { coordinator.end() }
    try coordinator.start()
    let outcome = SingleOutcome()
    let stop = try coordinator.carryOut(
      Schedule(processing: SingleUnit(unit: unit)),
      setup: Setup(
        profile: profile.node,
        output: scratch.folder.path,
        threads: limits.cores,
        preview: request,
        confinement: Confinement(
          profile,
          inputs: plan.places,
          output: scratch.folder.path,
          memory: memory
        )
      ),
      observer: outcome
    )
    coordinator.end()
    return try finish(stop, outcome.result, scratch)
  }

  private func finish(
    _ stop: RunStop?,
    _ result: UnitResult?,
    _ scratch: ScratchRoot
  ) throws -> ExitStatus {
    guard stop == nil, let result else {
      if let stop, let text = RunReport.text(stop) { Console.warn("minilab: \(text)\n") }
      return stop == .interrupted ? .interrupted : .someFailed
    }
    let name = plan.input(at: unit.id)
    if let file = result.outputs.first?.path {
      do throws(SystemError) {
        try target.put(scratch.path(of: file))
      } catch {
        throw PreviewError(options.sheet, OutputWriter.failure(error, writing: options.sheet))
      }
      if plan.count > 1 {
        let units = plan.isGathered ? "groups" : "pictures"
        Console.warn("minilab: \(name.shown) is shown, one of \(plan.count) \(units)\n")
      }
      // The sheet says what steps note; this is about the pictures before any step.
      for note in result.notes where [.damaged, .incompleteGroup].contains(note.code) {
        Console.warn("minilab: \(name.shown): \(Path(note.text).shown)\n")
      }
    }
    if result.status == .done { return .success }
    throw PreviewError(name, result.error)
  }
}

/// Why there is no sheet, or where it ends.
private struct PreviewError: Error {
  let input: Path
  let error: ItemError?

  init(_ input: Path, _ error: ItemError?) {
    self.input = input
    self.error = error
  }

  var text: String { "\(input.shown): \(error?.text ?? "the profile's grouping leaves it out")" }
}

extension Profile {
  /// The same profile with other outputs.
  fileprivate func writing(_ outputs: [Output]) -> Profile {
    Profile(
      file: file,
      summary: summary,
      input: input,
      limits: limits,
      gather: gather,
      notes: notes,
      source: source,
      steps: steps,
      outputs: outputs,
      node: node
    )
  }
}
