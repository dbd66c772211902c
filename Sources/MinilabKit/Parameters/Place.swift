/// Where something stands in a text that a person wrote: a profile, or a `--set` argument.
public struct Place: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The file, as bytes; for an argument its text.
  public var file: Path
  /// Counted from 1.
  public var line: Int
  /// Counted from 1, in code points.
  public var column: Int
  /// True for something written on the command line.
  public var isArgument: Bool

  public init(file: Path, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
    isArgument = false
  }

  /// An argument of the command line, shown whole unless it is very long.
  public init(argument: String) {
    file = Path(argument)
    line = 1
    column = 1
    isArgument = true
  }

  /// What a relative path written here is relative to.
  public var folder: Path { isArgument ? Path("") : file.folder }

  /// More of an argument than this helps nobody to find it.
  private static let longestArgument = 200

  /// `file:line:column`, as compilers print it.
  public var description: String {
    guard isArgument else { return "\(file.shown):\(line):\(column)" }
    let text = file.shown
    return text.count > Self.longestArgument ? text.prefix(Self.longestArgument) + "…" : text
  }
}
