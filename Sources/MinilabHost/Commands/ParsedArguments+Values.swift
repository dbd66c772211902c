import MinilabKit

/// Arguments as what they must be. `program`: the command's full name, for errors.
extension ParsedArguments {
  /// Of an option that may be given again and again: TOML is UTF-8, so an assignment is.
  func texts(_ name: String, of program: String) throws(UsageError) -> [String] {
    var texts: [String] = []
    for argument in values[name] ?? [] {
      guard let text = argument.text else {
        throw UsageError(program, "--\(name): expected UTF-8 text, found \"\(argument.shown)\"")
      }
      texts.append(text)
    }
    return texts
  }

  /// Nil where the option is not given.
  func wholeNumber(
    _ name: String,
    from least: Int,
    of program: String
  ) throws(UsageError) -> Int? {
    guard let argument = value(name) else { return nil }
    guard let number = argument.text.flatMap({ Int($0) }), number >= least else {
      throw UsageError(
        program,
        "--\(name): expected a whole number from \(least), found \"\(argument.shown)\""
      )
    }
    return number
  }

  /// Nil where the option is not given.
  func byteCount(_ name: String, of program: String) throws(UsageError) -> ByteCount? {
    guard let argument = value(name) else { return nil }
    guard let text = argument.text,
      let count = ByteCount(text) ?? ByteCount(text + "B")
    else {
      throw UsageError(
        program,
        "--\(name): expected a number of bytes such as 2GB or 512MiB, found \"\(argument.shown)\""
      )
    }
    return count
  }

  /// Nil where the option is not given.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String,
    of program: String
  ) throws(UsageError) -> Choice? {
    guard let argument = value(name) else { return nil }
    guard let choice = argument.text.flatMap(Choice.init(rawValue:)) else {
      let names = Choice.allCases.map(\.rawValue)
      let expected = expectedName("a mode", for: argument.shown, among: names)
      throw UsageError(program, "--\(name): expected \(expected), found \"\(argument.shown)\"")
    }
    return choice
  }
}
