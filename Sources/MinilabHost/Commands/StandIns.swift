import MinilabKit

// Stand in for the run and the worker until they are merged.

enum RunCommand {
  static func run(options: RunOptions, operations: [OperationEntry]) -> ExitStatus {
    do {
      _ = try ProfileLoader.load(options.profile, set: options.set, operations: operations)
      return .nothingMatched
    } catch {
      Console.warn("\(error)\n")
      return .notStarted
    }
  }
}

enum WorkerCommand {
  static func run(operations: [OperationEntry]) -> ExitStatus { .success }
}
