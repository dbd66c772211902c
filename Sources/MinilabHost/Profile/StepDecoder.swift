import MinilabKit

/// Reads a list of `[[step]]`s through the list of operations.
struct StepDecoder {
  let operations: [OperationEntry]

  /// Keys of a step that are not its operation's.
  static let ownKeys: Set<String> = ["op", "id"]

  /// Addresses of `--set` begin with these words, so no step may be called so.
  private static let reserved: Set<String> = ["input", "limits", "gather", "notes", "output"]

  /// The steps of a list; one that is wrong is left out, and its problems are added.
  ///
  /// `address` is that of the table which has the list, as `--set` writes it.
  func steps(_ node: Node?, below address: [String], _ problems: inout [Problem]) -> [Step] {
    let key = address.isEmpty ? "step" : "output.step"
    var steps: [Step] = []
    var seen: [String: Occurrence] = [:]
    for table in tables(node, key: key, &problems) {
      let id = stepIdentifier(table)
      if let id {
        let place = (table["id"] ?? table["op"] ?? table).place
        let isNamed = table["id"] != nil
        let first = seen[id].flatMap { isNamed || $0.isNamed ? $0 : nil }
        checkIdentifier(id, at: place, first, &problems)
        seen[id, default: Occurrence(place: place, isNamed: isNamed)].count += 1
      }
      guard let operation = operation(of: table, key: key, &problems) else { continue }
      let path = shownAddress(address + [id ?? operation.name])
      let value = operation.decode(table, key: path, ignoring: Self.ownKeys, &problems)
      guard let value, let id else { continue }
      let count = seen[id]?.count ?? 1
      steps.append(
        Step(id: count > 1 ? "\(id) (\(count))" : id, operation: value, place: table.place)
      )
    }
    return steps
  }

  /// Where an identifier stood first, and how many steps have it.
  private struct Occurrence {
    let place: Place
    /// By the key `id`; two steps of one operation need none.
    let isNamed: Bool
    var count = 0
  }

  private func operation(
    of table: Node,
    key: String,
    _ problems: inout [Problem]
  ) -> OperationEntry? {
    guard let op = table["op"] else {
      problems.append(
        Problem(
          .missing,
          at: table.place,
          key: key,
          expected: "the key \"op\" with an operation's name",
          received: "none"
        )
      )
      return nil
    }
    guard let name = op.text else {
      problems.append(
        Problem(
          .wrongType,
          at: op.place,
          key: key,
          expected: "an operation's name",
          received: op.shown
        )
      )
      return nil
    }
    if let operation = operations.first(where: { $0.name == name }) { return operation }
    problems.append(
      Problem(
        .unknownOperation,
        at: op.place,
        key: key,
        expected: expectedName("an operation", for: name, among: operations.map(\.name)),
        received: op.shown
      )
    )
    return nil
  }

  private func checkIdentifier(
    _ id: String,
    at place: Place,
    _ first: Occurrence?,
    _ problems: inout [Problem]
  ) {
    if let first {
      problems.append(
        Problem(
          .conflict,
          at: place,
          key: "step",
          expected: "an id that no other step of the list has",
          received: "\(id.literal) again, as at \(first.place)"
        )
      )
    }
    if id.isEmpty || Self.reserved.contains(id) {
      problems.append(
        Problem(
          .outOfRange,
          at: place,
          key: "step",
          expected:
            "an id other than \"\", \"input\", \"limits\", \"gather\", \"notes\", \"output\"",
          received: id.literal
        )
      )
    }
  }
}
