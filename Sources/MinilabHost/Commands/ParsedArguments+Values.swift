import MinilabKit

/// Arguments as what they must be. `program`: the command's full name, for errors.
extension ParsedArguments {
  /// Of an option that may be given again and again: TOML is UTF-8, so an assignment is.
  func texts(_ name: String, of program: String) throws(UsageError) -> [String] {
    var texts: [String] = []
    for argument in values(name) { texts.append(try text(argument, name, program)) }
    return texts
  }

  private func text(
    _ argument: Path,
    _ name: String,
    _ program: String
  ) throws(UsageError) -> String {
    guard let text = argument.text else {
      throw UsageError(program, "--\(name): expected UTF-8 text, found \"\(argument.shown)\"")
    }
    return text
  }

  /// Nil where the option is not given.
  func wholeNumber(
    _ name: String,
    from least: Int,
    of program: String
  ) throws(UsageError) -> Int? {
    guard let argument = value(name) else { return nil }
    guard let number = argument.text.flatMap(digits).flatMap({ Int($0) }), number >= least else {
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
        "--\(name): expected a number of bytes such as 2GB, 512MiB or 1_000_000, found "
          + "\"\(argument.shown)\""
      )
    }
    return count
  }

  /// What changes the profile, in the order of the command line: of two that set one key the last counts,
  /// whatever it is called.
  func settings(of program: String) throws(UsageError) -> [ProfileSetting] {
    var settings: [ProfileSetting] = []
    for (name, value) in given {
      switch name {
      case "set": settings.append(.key(try text(value, name, program)))
      case "limit": settings.append(.limit(try text(value, name, program)))
      case "timeout": settings.append(.limit("time-limit=\(try seconds(value, name, program))"))
      default: break
      }
    }
    return settings
  }

  /// Of as much time as a picture may be given, as it was written.
  private func seconds(
    _ argument: Path,
    _ name: String,
    _ program: String
  ) throws(UsageError) -> String {
    let range = InputPolicy.parameters.first { $0.name == "time-limit" }?.range ?? 0...0
    guard let text = argument.text, let number = digits(text).flatMap({ Double($0) }),
      range.contains(number)
    else {
      throw UsageError(
        program,
        "--\(name): expected a number of seconds, \(shownRange(range)), found \"\(argument.shown)\""
      )
    }
    // As TOML has it, which knows no ".5".
    return number.literal
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

/// A number without the underscores that TOML allows between digits; nil where there are others.
func digits(_ text: some StringProtocol) -> String? {
  let bytes = Array(text.utf8)
  func isDigit(_ place: Int) -> Bool {
    bytes.indices.contains(place) && (0x30...0x39).contains(bytes[place])
  }
  let underscore = UInt8(ascii: "_")
  for place in bytes.indices where bytes[place] == underscore {
    guard isDigit(place - 1), isDigit(place + 1) else { return nil }
  }
  return String(decoding: bytes.filter { $0 != underscore }, as: UTF8.self)
}
