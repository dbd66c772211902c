import MinilabKit

/// A word behind `minilab` and what it does.
struct Command {
  let name: String
  let operands: String
  /// One line, for the list of commands.
  let summary: String
  let options: [CommandOption]
  /// Carries out a command line that asked for neither help nor version.
  let run: @Sendable (ParsedArguments, [OperationEntry]) throws(UsageError) -> ExitStatus

  var program: String { "minilab \(name)" }

  var syntax: CommandSyntax {
    CommandSyntax(
      program: program,
      operands: operands,
      summary: summary + ".",
      options: options
    )
  }
}

/// Every command that people use, sorted by name.
let commands = [
  checkCommand, devicesCommand, opsCommand, previewCommand, pruneCommand, runCommand, statusCommand,
]
