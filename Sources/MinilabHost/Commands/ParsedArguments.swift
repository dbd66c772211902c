import MinilabKit

/// What a command line said.
struct ParsedArguments {
  var flags: Set<String> = []
  /// What options that take an argument were given, in the order of the command line.
  var given: [(name: String, value: Path)] = []
  var operands: [Path] = []

  func has(_ flag: String) -> Bool { flags.contains(flag) }
  func values(_ name: String) -> [Path] { given.filter { $0.name == name }.map(\.value) }
  func value(_ name: String) -> Path? { values(name).last }
}

/// A command line that says nothing the program could do.
struct UsageError: Error, Equatable {
  let program: String
  let text: String

  init(_ program: String, _ text: String) {
    self.program = program
    self.text = text
  }

  var line: String { "\(program): \(text)\n" }
}
