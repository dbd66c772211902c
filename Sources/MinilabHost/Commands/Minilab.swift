import Glibc
public import MinilabKit

/// The whole program but its operations.
public enum Minilab {
  public static let version = "0.1.0"

  /// Carries out the command line of this process.
  ///
  /// - Parameter operations: what `op =` may name.
  public static func main(operations: [OperationEntry]) -> Never {
    let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map {
        Path(bytes: UnsafeRawBufferPointer(start: $0, count: strlen($0)))
      }
    }
    exit(carryOut(arguments, operations).rawValue)
  }

  private static func carryOut(_ arguments: [Path], _ operations: [OperationEntry]) -> ExitStatus {
    // Started by a coordinator, for every worker of every run: nothing to parse.
    if arguments.first == Path("worker") { return WorkerCommand.run(operations: operations) }
    if arguments.first == Path("source") {
      return SourceLoop.run(operations: operations) == 0 ? .success : .someFailed
    }
    do throws(UsageError) {
      let top = try syntax.parse(arguments)
      if let status = answered(top, syntax) { return status }
      guard let word = top.operands.first else {
        throw UsageError("minilab", "no command (see minilab --help)")
      }
      guard let command = commands.first(where: { Path($0.name) == word }) else {
        throw unknown(word)
      }
      let parsed = try command.syntax.parse(Array(top.operands.dropFirst()))
      if let status = answered(parsed, command.syntax) { return status }
      return try command.run(parsed, operations)
    } catch {
      Console.warn(error.line)
      return .notStarted
    }
  }

  /// Help and version go before everything else a command line says.
  private static func answered(
    _ parsed: ParsedArguments,
    _ syntax: CommandSyntax
  ) -> ExitStatus? {
    if parsed.has("help") {
      Console.print(syntax.help)
    } else if parsed.has("version") {
      Console.print("minilab \(version)\n")
    } else {
      return nil
    }
    return .success
  }

  private static func unknown(_ word: Path) -> UsageError {
    let nearest = nearestName(to: word.shown, among: commands.map(\.name))
    let hint = nearest.map { "did you mean \"\($0)\"?" } ?? "see minilab --help"
    return UsageError("minilab", "unknown command \"\(word.shown)\" (\(hint))")
  }

  private static let syntax: CommandSyntax = {
    let width = commands.map(\.name.count).max() ?? 0
    let lines = commands.map {
      "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.summary)"
    }
    return CommandSyntax(
      program: "minilab",
      operands: "COMMAND …",
      summary: """
        A photo lab without a desktop: runs profiles over folders of pictures.

        Commands:
        \(lines.joined(separator: "\n"))

        Each command has a --help of its own.
        """,
      options: [],
      stopsAtOperand: true
    )
  }()
}
