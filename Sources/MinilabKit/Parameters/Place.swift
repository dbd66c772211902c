/// Where something stands in a text that a person wrote: a profile, or a `--set` argument.
public struct Place: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The file, as bytes; for a `--set` argument its text.
  public var file: Path
  /// Counted from 1.
  public var line: Int
  /// Counted from 1, in code points.
  public var column: Int

  public init(file: Path, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`, as compilers print it.
  public var description: String { "\(file.shown):\(line):\(column)" }
}
