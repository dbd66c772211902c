import MinilabKit

extension Profile {
  /// The files that it consists of and those that its steps and outputs name, each once, sorted.
  ///
  /// No output may take the place of one.
  var files: [Path] {
    var found: Set<Path> = [file]
    Self.addSources(of: node, to: &found)
    for output in outputs { Self.addReferences(in: output, to: &found) }
    for step in steps { Self.addReferences(in: step.operation, to: &found) }
    return found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Where its text comes from: itself, and what it extends.
  private static func addSources(of node: Node, to found: inout Set<Path>) {
    if !node.place.isArgument { found.insert(node.place.file) }
    for entry in node.entries ?? [] { addSources(of: entry.node, to: &found) }
    for item in node.items ?? [] { addSources(of: item, to: &found) }
  }

  /// Looks into values, whatever they are: so an operation cannot forget to tell of a file.
  private static func addReferences(in value: Any, to found: inout Set<Path>) {
    if let reference = value as? FileReference {
      found.insert(reference.path)
      return
    }
    for child in Mirror(reflecting: value).children { addReferences(in: child.value, to: &found) }
  }
}
