/// A file that a profile names, relative to the profile it is written in, and below that one's folder or
/// where a machine keeps what all may use.
public struct FileReference: ParameterValue, Equatable {
  /// As written.
  public var given: String
  /// As opened.
  public var path: Path

  public init(given: String, path: Path) {
    self.given = given
    self.path = path
  }

  public static var schema: Schema { .file }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let given = node.text, !given.isEmpty else {
      return field.refuse(node, as: Self.self, &problems)
    }
    let path = node.place.folder.appending(Path(given))
    guard path.isReadableFile else {
      problems.append(
        Problem(
          .noSuchFile,
          at: node.place,
          key: field.key,
          expected: "a file that can be read",
          received: "\(path.shown)"
        )
      )
      return nil
    }
    // What is typed on the command line is the word of whoever runs it.
    guard node.place.isArgument || FileRoots.hold(path, below: node.place.folder) else {
      problems.append(
        Problem(
          .outOfRange,
          at: node.place,
          key: field.key,
          expected: FileRoots.expected(below: node.place.folder),
          received: "\(path.shown)"
        )
      )
      return nil
    }
    return Self(given: given, path: path)
  }

  public var literal: String { tomlQuoted(given) }
}
