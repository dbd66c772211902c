import MinilabKit

/// Carries `--set` out on a merged profile.
///
/// Addresses are `input.KEY`, `limits.KEY`, `gather.KEY`, `notes.KEY`, `ID.KEY`, `output.NAME.KEY` and
/// `output.NAME.ID.KEY`.
struct AssignmentTargets {
  private(set) var root: Node

  /// - Parameter root: the profile's table, with at least one output.
  init(_ root: Node) {
    self.root = root
  }

  mutating func carryOut(_ assignment: Assignment, _ problems: inout [Problem]) {
    guard let key = assignment.address.last, assignment.address.count > 1 else {
      problems.append(unknown(assignment))
      return
    }
    let owner = Array(assignment.address.dropLast())
    let fitting = tables.filter { $0.address == owner }
    guard let table = fitting.first else {
      problems.append(unknown(assignment))
      return
    }
    guard fitting.count == 1 else {
      let lines = fitting.map { "\($0.place)" }.joined(separator: " and ")
      problems.append(
        Problem(
          .conflict,
          at: assignment.place,
          key: "",
          expected: "an address that fits one table (give the steps an id of their own)",
          received: "\(shownAddress(owner)) at \(lines)"
        )
      )
      return
    }
    root = root.setting(key, at: table.route[...], to: assignment.value, from: assignment.place)
  }

  /// A table that can be addressed.
  private struct Table {
    let address: [String]
    let place: Place
    let route: [Hop]
  }

  private var tables: [Table] {
    var tables = ["input", "limits", "gather", "notes"].map {
      Table(address: [$0], place: root[$0]?.place ?? root.place, route: [.key($0)])
    }
    tables += steps(of: root, below: [], route: [])
    for (index, output) in (root["output"]?.items ?? []).enumerated() {
      guard let name = outputName(output) else { continue }
      let route: [Hop] = [.key("output"), .index(index)]
      tables.append(Table(address: ["output", name], place: output.place, route: route))
      tables += steps(of: output, below: ["output", name], route: route)
    }
    return tables
  }

  private func steps(of owner: Node, below address: [String], route: [Hop]) -> [Table] {
    (owner["step"]?.items ?? []).enumerated().compactMap { index, step in
      stepIdentifier(step).map {
        Table(
          address: address + [$0],
          place: step.place,
          route: route + [.key("step"), .index(index)]
        )
      }
    }
  }

  /// The error of an address that fits nothing: with the nearest, or with all there are.
  private func unknown(_ assignment: Assignment) -> Problem {
    let owner = Array(assignment.address.dropLast())
    let key = assignment.address.last ?? ""
    // `thumbnail-preview.max-side` where only outputs have that step: offered by its end.
    let ending = tables.filter { $0.address.last == owner.last }
      .map { shownAddress($0.address + [key]) }
    // `output.quality`, where the name of the output is missing.
    let below = tables.filter { !owner.isEmpty && Array($0.address.dropLast()) == owner }
      .map { shownAddress($0.address + [key]) }
    let owners = tables.map { shownAddress($0.address) }
    let nearest =
      [ending, below].first { !$0.isEmpty }
      ?? nearestName(to: shownAddress(owner), among: owners).map {
        [$0 + "." + shownAddress([key])]
      }
    let hint =
      nearest.map { "did you mean \($0.joined(separator: " or "))?" }
      ?? "one of \(owners.map { $0 + ".KEY" }.joined(separator: ", "))"
    return Problem(
      .unknownKey,
      at: assignment.place,
      key: "",
      expected: "an address of this profile (\(hint))",
      received: assignment.shown
    )
  }
}

/// One step on the way from the top of a profile to a table in it.
private enum Hop {
  case key(String)
  case index(Int)
}

extension Node {
  /// The same tree with one key of one table set.
  ///
  /// A table that is not there is made.
  fileprivate func setting(
    _ key: String,
    at route: ArraySlice<Hop>,
    to node: Node,
    from place: Place
  ) -> Node {
    switch route.first {
    case nil:
      return replacing(Entry(key: key, keyPlace: place, node: node))
    case .key(let name):
      let inner = self[name] ?? Node(.table([]), at: place)
      let changed = inner.setting(key, at: route.dropFirst(), to: node, from: place)
      let keyPlace = entries?.first { $0.key == name }?.keyPlace ?? place
      return replacing(Entry(key: name, keyPlace: keyPlace, node: changed))
    case .index(let index):
      guard var items else { return self }
      items[index] = items[index].setting(key, at: route.dropFirst(), to: node, from: place)
      return Node(.array(items), at: self.place)
    }
  }

  /// Anything but a table stays as it is: what is wrong with it is found when it is read.
  fileprivate func replacing(_ entry: Entry) -> Node {
    guard var entries else { return self }
    if let index = entries.firstIndex(where: { $0.key == entry.key }) {
      entries[index] = entry
    } else {
      entries.append(entry)
    }
    return Node(.table(entries), at: place)
  }
}

/// What a step is called: its `id`, else its operation; nil where there is neither.
func stepIdentifier(_ step: Node) -> String? {
  if let id = step["id"] { return id.text }
  return step["op"]?.text
}
