import MinilabKit

extension Profile {
  /// The files that it consists of and those that its steps and outputs name, each once, sorted.
  ///
  /// No output may take the place of one.
  var files: [Path] {
    var found: Set<Path> = [file]
    Self.addSources(of: node, to: &found)
    for output in outputs { found.formUnion(references(of: output).map(\.path)) }
    for step in steps { found.formUnion(references(of: step.operation).map(\.path)) }
    return found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Where its text comes from: itself, and what it extends.
  private static func addSources(of node: Node, to found: inout Set<Path>) {
    if !node.place.isArgument { found.insert(node.place.file) }
    for entry in node.entries ?? [] { addSources(of: entry.node, to: &found) }
    for item in node.items ?? [] { addSources(of: item, to: &found) }
  }

  /// The files that a part of it names, in the order in which it does.
  ///
  /// Looks into values, whatever they are: so an operation cannot forget to tell of a file.
  func references(of value: Any) -> [FileReference] {
    if let reference = value as? FileReference { return [reference] }
    return Mirror(reflecting: value).children.flatMap { references(of: $0.value) }
  }
}
