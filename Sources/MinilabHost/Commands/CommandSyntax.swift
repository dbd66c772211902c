import CGLib
import MinilabKit

/// An option of a command line.
struct CommandOption {
  enum Kind {
    case flag
    /// Takes an argument, shown in the help by this name; the last one given counts.
    case value(String)
    /// May be given again and again.
    case values(String)
  }

  let name: String
  var letter: Character?
  let kind: Kind
  let help: String

  init(_ name: String, _ letter: Character? = nil, _ kind: Kind = .flag, help: String) {
    self.name = name
    self.letter = letter
    self.kind = kind
    self.help = help
  }
}

extension CommandOption {
  /// The one option that commands with a profile share.
  static let set = CommandOption(
    "set",
    nil,
    .values("KEY=VALUE"),
    help: "Set a key of the profile: crop.aspect=1:1"
  )

  fileprivate var takesValue: Bool {
    if case .flag = kind { false } else { true }
  }

  /// Its letter with the value right behind it.
  fileprivate func begins(_ argument: Path) -> Bool {
    guard let letter = letter?.asciiValue else { return false }
    return argument.bytes.count > 2 && argument.bytes.starts(with: [UInt8(ascii: "-"), letter])
  }

  /// Its name or letter alone: the next argument is its value.
  fileprivate func isWritten(_ argument: Path) -> Bool {
    argument == Path("--" + name) || letter.map { argument == Path("-\($0)") } ?? false
  }
}

/// The form of a command line: what GOption parses by, and what `--help` shows.
struct CommandSyntax {
  /// As the user types it: `minilab run`.
  let program: String
  let operands: String
  let summary: String
  var options: [CommandOption]
  /// The first operand ends the options: they are the command's.
  let stopsAtOperand: Bool

  init(
    program: String,
    operands: String,
    summary: String,
    options: [CommandOption],
    stopsAtOperand: Bool = false
  ) {
    self.program = program
    self.operands = operands
    self.summary = summary
    self.stopsAtOperand = stopsAtOperand
    self.options =
      options + [
        CommandOption("help", "h", help: "Show this help"),
        CommandOption("version", help: "Show the version"),
      ]
  }

  /// Parses arguments, the program's name not among them; bytes, as the system hands them over.
  func parse(_ arguments: [Path]) throws(UsageError) -> ParsedArguments {
    let context = OptionContext(self)
    var error: UnsafeMutablePointer<GError>?
    var rest = strings([Path(program)] + separated(arguments))
    defer { g_strfreev(rest) }
    guard g_option_context_parse_strv(context.context, &rest, &error) != 0 else {
      defer { g_clear_error(&error) }
      throw UsageError(program, text(of: error))
    }
    return context.parsed(rest: paths(rest).dropFirst())
  }

  /// `-j4` as `-j 4`, which GOption does not do by itself.
  private func separated(_ arguments: [Path]) -> [Path] {
    var separated: [Path] = []
    var isValue = false
    for (index, argument) in arguments.enumerated() {
      if isValue {
        separated.append(argument)
        isValue = false
        continue
      }
      let isOperand = argument.bytes.first != UInt8(ascii: "-")
      if argument == Path("--") || (isOperand && stopsAtOperand) {
        return separated + arguments[index...]
      }
      if options.contains(where: { $0.takesValue && $0.begins(argument) }) {
        separated.append(Path(bytes: argument.bytes.prefix(2)))
        separated.append(Path(bytes: argument.bytes.dropFirst(2)))
      } else {
        separated.append(argument)
        isValue = options.contains { $0.takesValue && $0.isWritten(argument) }
      }
    }
    return separated
  }

  var help: String {
    let context = OptionContext(self)
    // The program's name in the first line is the only use GOption has for it.
    g_set_prgname(program)
    guard let help = g_option_context_get_help(context.context, gboolean(1), nil) else { return "" }
    defer { g_free(help) }
    return String(cString: help)
  }

  /// GOption's messages are in English here: the program never sets a locale.
  private func text(of error: UnsafeMutablePointer<GError>?) -> String {
    guard let error, let bytes = error.pointee.message else { return "cannot be parsed" }
    let message = Path(bytes: UnsafeRawBufferPointer(start: bytes, count: strlen(bytes))).shown
    let unknown = "Unknown option "
    guard message.hasPrefix(unknown) else {
      return message.prefix(1).lowercased() + message.dropFirst()
    }
    let option = String(message.dropFirst(unknown.count))
    let names = options.map { "--" + $0.name }
    let nearest = option.hasPrefix("--") ? nearestName(to: option, among: names) : nil
    return "unknown option \(option) "
      + (nearest.map { "(did you mean \($0)?)" } ?? "(see \(program) --help)")
  }
}

/// GOption's own structures, and the memory it writes results to.
private final class OptionContext {
  typealias CString = UnsafeMutablePointer<CChar>
  typealias Vector = UnsafeMutablePointer<CString?>

  let context: OpaquePointer?
  private let options: [CommandOption]
  private let flags: UnsafeMutablePointer<gboolean>
  private let operands: UnsafeMutablePointer<Vector?>
  private var given: [(name: String, value: Path)] = []
  private var texts: [CString] = []

  init(_ syntax: CommandSyntax) {
    options = syntax.options
    flags = .allocate(capacity: options.count)
    flags.initialize(repeating: 0, count: options.count)
    operands = .allocate(capacity: 1)
    operands.initialize(to: nil)
    context = g_option_context_new(syntax.operands)
    g_option_context_set_help_enabled(context, gboolean(0))
    g_option_context_set_strict_posix(context, gboolean(syntax.stopsAtOperand ? 1 : 0))
    g_option_context_set_summary(context, syntax.summary)
    var entries = options.indices.map(entry)
    if !syntax.stopsAtOperand {
      entries.append(entry("", nil, G_OPTION_ARG_FILENAME_ARRAY, operands, "", nil))
    }
    entries.append(GOptionEntry())
    // A group hands what is its own to `take`; the context owns it from here on.
    let group = g_option_group_new(
      nil,
      nil,
      nil,
      Unmanaged.passUnretained(self).toOpaque(),
      nil
    )
    g_option_group_add_entries(group, entries)
    g_option_context_set_main_group(context, group)
  }

  deinit {
    g_option_context_free(context)
    g_strfreev(operands.pointee)
    operands.deallocate()
    flags.deallocate()
    for text in texts { g_free(text) }
  }

  /// Only file name types: the others are converted from the locale's encoding.
  private func entry(at index: Int) -> GOptionEntry {
    let option = options[index]
    switch option.kind {
    case .flag:
      return entry(
        option.name,
        option.letter,
        G_OPTION_ARG_NONE,
        flags + index,
        option.help,
        nil
      )
    case .value(let name), .values(let name):
      return entry(
        option.name,
        option.letter,
        G_OPTION_ARG_CALLBACK,
        unsafeBitCast(Self.take, to: UnsafeMutableRawPointer.self),
        option.help,
        name
      )
    }
  }

  private typealias Take =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafePointer<CChar>?, gpointer?,
      UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gboolean

  /// Is called for each option with an argument as it comes: so the order of all of them is kept, and not
  /// only of those of one name.
  private static let take: Take = { name, value, context, _ in
    guard let name, let value, let context else { return gboolean(0) }
    let own = Unmanaged<OptionContext>.fromOpaque(context).takeUnretainedValue()
    own.take(
      String(cString: name),
      Path(bytes: UnsafeRawBufferPointer(start: value, count: strlen(value)))
    )
    return gboolean(1)
  }

  /// `written`: `--set`, or `-o`.
  private func take(_ written: String, _ value: Path) {
    let option = options.first { option in
      written == "--" + option.name || option.letter.map { written == "-\($0)" } ?? false
    }
    if let option { given.append((option.name, value)) }
  }

  private func entry(
    _ name: String,
    _ letter: Character?,
    _ kind: GOptionArg,
    _ data: UnsafeMutableRawPointer,
    _ help: String,
    _ argument: String?
  ) -> GOptionEntry {
    GOptionEntry(
      long_name: kept(name),
      short_name: CChar(letter?.asciiValue ?? 0),
      // Bytes as they are, for `take` as for the rest.
      flags: kind == G_OPTION_ARG_CALLBACK ? Int32(G_OPTION_FLAG_FILENAME.rawValue) : 0,
      arg: kind,
      arg_data: data,
      description: kept(help),
      arg_description: argument.flatMap(kept)
    )
  }

  /// GOption keeps pointers to an entry's texts: they live as long as this object.
  private func kept(_ text: String) -> CString? {
    guard let copy = g_strdup(text) else { return nil }
    texts.append(copy)
    return copy
  }

  func parsed(rest: some Sequence<Path>) -> ParsedArguments {
    var parsed = ParsedArguments()
    for (index, option) in options.enumerated() {
      if flags[index] != 0 { parsed.flags.insert(option.name) }
    }
    parsed.given = given
    parsed.operands = paths(operands.pointee) + rest
    return parsed
  }
}

/// A vector of C strings ended by NULL, to be freed with `g_strfreev`.
private func strings(_ paths: [Path]) -> OptionContext.Vector? {
  let size = gsize(MemoryLayout<OptionContext.CString?>.stride * (paths.count + 1))
  let vector = g_malloc0(size)?.bindMemory(
    to: OptionContext.CString?.self,
    capacity: paths.count + 1
  )
  for (index, path) in paths.enumerated() {
    vector?[index] = path.withCString { g_strdup($0) }
  }
  return vector
}

private func paths(_ vector: OptionContext.Vector?) -> [Path] {
  guard let vector else { return [] }
  var paths: [Path] = []
  while let text = vector[paths.count] {
    paths.append(Path(bytes: UnsafeRawBufferPointer(start: text, count: strlen(text))))
  }
  return paths
}
