internal import CToml
public import MinilabKit

/// Turns TOML text into a node tree that remembers where everything stands.
public enum TOMLReader {
  /// No profile comes near; a file that does was named by mistake.
  static let longestText = 1 << 20

  /// Reads a whole text.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, with or without a byte order mark.
  ///   - file: what places name as the file.
  /// - Returns: a table.
  /// - Throws: the first syntax error.
  public static func read(_ bytes: [UInt8], from file: Path) throws(Problem) -> Node {
    guard bytes.count <= longestText else {
      throw Problem(
        .syntax,
        at: Place(file: file, line: 1, column: 1),
        key: "",
        expected: "a text of at most \(longestText) bytes",
        received: "\(bytes.count)"
      )
    }
    // The NUL is not read; it gives an empty text an address.
    let padded = bytes.map { CChar(bitPattern: $0) } + [0]
    let parsed = padded.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.flatMap { ctoml_parse($0, bytes.count) }
    }
    // Nothing but exhausted memory leaves no document; there is no way on from there.
    guard let document = parsed else { fatalError("out of memory") }
    defer { ctoml_free(document) }
    guard let root = ctoml_root(document) else {
      let position = ctoml_error_position(document)
      let place = Place(file: file, line: max(1, position.line), column: max(1, position.column))
      throw SyntaxError(
        message: string(ctoml_error_message(document)),
        text: bytes,
        place: place
      ).problem
    }
    return node(root, in: file)
  }

  /// The depth is bounded by the parser.
  private static func node(_ source: OpaquePointer, in file: Path) -> Node {
    let children = 0..<ctoml_node_count(source)
    let value: Node.Value =
      switch ctoml_node_kind(source) {
      case ctoml_kind_string: .string(string(ctoml_node_text(source)))
      case ctoml_kind_integer: .integer(ctoml_node_integer(source))
      case ctoml_kind_float: .float(ctoml_node_float(source))
      case ctoml_kind_boolean: .boolean(ctoml_node_boolean(source))
      case ctoml_kind_array: .array(children.map { node(ctoml_node_child(source, $0), in: file) })
      case ctoml_kind_table:
        .table(
          children.map { index in
            let child = ctoml_node_child(source, index)
            return Node.Entry(
              key: string(ctoml_node_key(child)),
              keyPlace: Place(file: file, ctoml_node_key_position(child)),
              node: node(child, in: file)
            )
          }
        )
      default: .date(string(ctoml_node_text(source)))
      }
    return Node(value, at: Place(file: file, ctoml_node_position(source)))
  }

  private static func string(_ text: ctoml_text) -> String {
    let bytes = UnsafeRawBufferPointer(start: text.bytes, count: text.length)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Place {
  fileprivate init(file: Path, _ position: ctoml_position) {
    self.init(file: file, line: position.line, column: position.column)
  }

  fileprivate init(file: Path, line: UInt32, column: UInt32) {
    self.init(file: file, line: Int(line), column: Int(column))
  }
}
