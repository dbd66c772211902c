import MinilabKit

/// What `extends` does to two tables.
///
/// Tables merge key by key and outputs by name; everything else, a list of steps too, is the
/// child's where the child has it. Each value keeps the place it is written at.
enum ProfileMerge {
  static func merged(_ child: Node, onto parent: Node) -> Node {
    guard let entries = child.entries, let inherited = parent.entries else { return child }
    let all = merged(entries, onto: inherited) { key, child, parent in
      key == "output" ? outputs(child, onto: parent) : tables(child, onto: parent)
    }
    return Node(.table(all), at: child.place)
  }

  /// Both tables' entries; `value` says what becomes of a key that both have.
  private static func merged(
    _ child: [Node.Entry],
    onto parent: [Node.Entry],
    value: (_ key: String, _ child: Node, _ parent: Node) -> Node
  ) -> [Node.Entry] {
    var entries = parent
    for entry in child {
      if let index = entries.firstIndex(where: { $0.key == entry.key }) {
        entries[index] = Node.Entry(
          key: entry.key,
          keyPlace: entry.keyPlace,
          node: value(entry.key, entry.node, entries[index].node)
        )
      } else {
        entries.append(entry)
      }
    }
    return entries
  }

  private static func tables(_ child: Node, onto parent: Node) -> Node {
    guard let entries = child.entries, let inherited = parent.entries else { return child }
    let all = merged(entries, onto: inherited) { _, child, parent in
      tables(child, onto: parent)
    }
    return Node(.table(all), at: child.place)
  }

  private static func outputs(_ child: Node, onto parent: Node) -> Node {
    guard let items = child.items, var outputs = parent.items else { return child }
    var names = outputs.map(outputName)
    for item in items {
      if let name = outputName(item), let index = names.firstIndex(of: name) {
        outputs[index] = tables(item, onto: outputs[index])
        // A second one of that name in one file is an error, and must be there to be found.
        names[index] = nil
      } else {
        outputs.append(item)
      }
    }
    return Node(.array(outputs), at: child.place)
  }
}

/// What `extends` and `--set` call an output; nil where its name is no name.
func outputName(_ output: Node) -> String? {
  guard output.entries != nil else { return nil }
  guard let name = output["name"] else { return OutputSettings().name }
  return name.text
}
