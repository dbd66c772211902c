import MinilabKit

let runCommand = Command(
  name: "run",
  operands: "PROFILE [INPUT…]",
  summary: "Run a profile over folders and files",
  options: [
    CommandOption("output", "o", .value("OUT"), help: "The folder for the results; needed"),
    CommandOption("jobs", "j", .value("N"), help: "Workers at once; one on each core by default"),
    CommandOption(
      "memory",
      nil,
      .value("SIZE"),
      help: "What pictures in work may hold, as 2GB; half of what there is by default"
    ),
    CommandOption("dry-run", "n", help: "Print the plan: each unit with its outputs"),
    CommandOption(
      "explain",
      nil,
      .value("FILE"),
      help: "Make nothing, and tell how the outputs of FILE would be made; needs no OUT"
    ),
    CommandOption("force", "f", help: "Make every output anew, whatever stands there"),
    CommandOption("only-failed", help: "Only what has failed in the last run"),
    CommandOption("wait", help: "Wait for another run on OUT to end"),
    .set,
    CommandOption("limit", nil, .values("KEY=VALUE"), help: "Set a limit: max-pixels=50_000_000"),
    CommandOption(
      "timeout",
      nil,
      .value("SECONDS"),
      help: "The same as --limit time-limit=SECONDS; of all that set one key the last counts"
    ),
    CommandOption("json", help: "Print one JSON object a line for each item, and a summary"),
    CommandOption("quiet", "q", help: "No progress and no summary"),
    CommandOption("fail-fast", help: "Stop at the first item that fails"),
    CommandOption(
      "sandbox",
      nil,
      .value("MODE"),
      help: "Lock workers in: auto, as far as the kernel can; require; off"
    ),
  ]
) { parsed, operations throws(UsageError) in
  let options = try RunOptions(parsed)
  return options.explain == nil
    ? RunCommand.run(options: options, operations: operations)
    : ExplainCommand.run(options: options, operations: operations)
}

extension RunOptions {
  init(_ parsed: ParsedArguments) throws(UsageError) {
    guard let profile = parsed.operands.first else { throw Self.fault("no PROFILE") }
    let explain = parsed.value("explain")
    let output = parsed.value("output") ?? Path("")
    // Where nothing is made it need not be told where.
    guard explain != nil || !output.isEmpty else {
      throw Self.fault("no folder for the results: -o OUT")
    }
    let inputs = Array(parsed.operands.dropFirst())
    if explain != nil, let input = inputs.first {
      throw Self.fault("--explain tells of one picture, and INPUT \(input.shown) is another")
    }
    if explain?.isEmpty == true { throw Self.fault("an argument is empty") }
    guard !inputs.contains(where: \.isEmpty), !profile.isEmpty else {
      throw Self.fault("an argument is empty")
    }
    self.init(
      profile: profile,
      inputs: inputs,
      output: output,
      jobs: try parsed.wholeNumber("jobs", from: 1, of: Self.program),
      memory: try parsed.byteCount("memory", of: Self.program),
      dryRun: parsed.has("dry-run"),
      force: parsed.has("force"),
      settings: try parsed.settings(of: Self.program),
      json: parsed.has("json"),
      quiet: parsed.has("quiet"),
      failFast: parsed.has("fail-fast"),
      sandbox: try parsed.choice("sandbox", of: Self.program) ?? .auto,
      onlyFailed: parsed.has("only-failed"),
      wait: parsed.has("wait"),
      explain: explain
    )
  }

  private static let program = "minilab run"

  /// What only the profile tells of the inputs.
  func checkInputs(_ profile: Profile) throws(UsageError) {
    if let source = profile.source {
      guard inputs.isEmpty else {
        throw Self.fault(
          "expected no INPUT, as the profile's step \"\(source.id)\" makes the pictures"
        )
      }
      guard !onlyFailed else {
        let kept = output.appending(CapturedFiles.place).shown
        throw Self.fault(
          "--only-failed: the profile's step \"\(source.id)\" makes new pictures, and none again; "
            + "the pictures of what has failed are kept in \(kept)"
        )
      }
    } else if inputs.isEmpty {
      throw Self.fault("no INPUT: a folder or a file")
    }
  }

  private static func fault(_ text: String) -> UsageError { UsageError(program, text) }
}
