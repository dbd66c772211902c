import MinilabKit

let runCommand = Command(
  name: "run",
  operands: "PROFILE [INPUT…]",
  summary: "Run a profile over folders and files",
  options: [
    CommandOption("output", "o", .value("OUT"), help: "The folder for the results; needed"),
    CommandOption("jobs", "j", .value("N"), help: "Workers at once; one on each core by default"),
    CommandOption("dry-run", "n", help: "Print the plan: each unit with its outputs"),
    CommandOption("force", "f", help: "Make every output anew; so far every run does"),
    CommandOption(
      "set",
      nil,
      .values("KEY=VALUE"),
      help: "Set a key of the profile: crop.aspect=1:1"
    ),
    CommandOption("json", help: "Print one JSON object a line for each item, and a summary"),
    CommandOption("quiet", "q", help: "No progress and no summary"),
    CommandOption("fail-fast", help: "Stop at the first item that fails"),
  ]
) { parsed, operations throws(UsageError) in
  RunCommand.run(options: try RunOptions(parsed), operations: operations)
}

extension RunOptions {
  init(_ parsed: ParsedArguments) throws(UsageError) {
    guard let profile = parsed.operands.first else { throw Self.fault("no PROFILE") }
    guard let output = parsed.value("output"), !output.isEmpty else {
      throw Self.fault("no folder for the results: -o OUT")
    }
    let inputs = Array(parsed.operands.dropFirst())
    guard !inputs.isEmpty else { throw Self.fault("no INPUT: a folder or a file") }
    guard !inputs.contains(where: \.isEmpty), !profile.isEmpty else {
      throw Self.fault("an argument is empty")
    }
    self.init(
      profile: profile,
      inputs: inputs,
      output: output,
      jobs: try Self.jobs(parsed.value("jobs")),
      dryRun: parsed.has("dry-run"),
      force: parsed.has("force"),
      set: try Self.assignments(parsed.values["set"] ?? []),
      json: parsed.has("json"),
      quiet: parsed.has("quiet"),
      failFast: parsed.has("fail-fast")
    )
  }

  private static func jobs(_ argument: Path?) throws(UsageError) -> Int? {
    guard let argument else { return nil }
    guard let jobs = argument.text.flatMap({ Int($0) }), jobs > 0 else {
      throw fault("--jobs: expected a whole number from 1, found \"\(argument.shown)\"")
    }
    return jobs
  }

  /// TOML is UTF-8, so an assignment is.
  private static func assignments(_ arguments: [Path]) throws(UsageError) -> [String] {
    var assignments: [String] = []
    for argument in arguments {
      guard let text = argument.text else {
        throw fault("--set: expected UTF-8 text, found \"\(argument.shown)\"")
      }
      assignments.append(text)
    }
    return assignments
  }

  private static func fault(_ text: String) -> UsageError { UsageError("minilab run", text) }
}
