public import MinilabKit

/// Understands a merged profile: what every key means, and everything that is wrong with it.
struct ProfileDecoder {
  let operations: [OperationEntry]

  static let keys = [
    "profile", "summary", "extends", "input", "limits", "gather", "notes", "step", "output",
  ]

  /// - Returns: nil where a problem was added.
  func profile(_ root: Node, _ problems: inout [Problem]) -> Profile? {
    let before = problems.count
    for entry in root.entries ?? [] where !Self.keys.contains(entry.key) {
      problems.append(
        Problem(
          .unknownKey,
          at: entry.keyPlace,
          key: "",
          expected: expectedName("a known key", for: entry.key, among: Self.keys),
          received: "\"\(entry.key)\""
        )
      )
    }
    let summary = root["summary"].map {
      String.decode($0, as: Field("summary"), &problems)
    }
    let input = root["input"].map { InputPolicy.decode($0, key: "input", &problems) }
    let limits = root["limits"].map { RunLimits.decode($0, key: "limits", &problems) }
    let gather = root["gather"].map { Gather.decode($0, key: "gather", &problems) }
    let notes = root["notes"].map { NotePolicy.decode($0, key: "notes", &problems) }
    let written = StepDecoder(operations: operations).steps(root["step"], below: [], &problems)
    let outputs = self.outputs(
      root["output"],
      gathered: root["gather"] != nil,
      splitsPages: root["input"]?["pages"]?.text == PagePolicy.split.rawValue,
      &problems
    )
    let (source, steps) = SourceCheck(root).split(written, outputs, &problems)
    guard problems.count == before else { return nil }
    let profile = Profile(
      file: root.place.file,
      summary: (summary ?? "") ?? "",
      input: (input ?? nil) ?? InputPolicy(),
      limits: (limits ?? nil) ?? RunLimits(),
      gather: gather ?? nil,
      notes: (notes ?? nil) ?? NotePolicy(),
      source: source,
      steps: steps,
      outputs: outputs,
      node: root
    )
    problems += GatherCheck(profile, operations).problems
    problems += NeededOutputsCheck(profile).problems
    problems += PagesCheck(profile).problems
    // Steps are only tried where all they name is there.
    guard problems.count == before else { return nil }
    problems += SizeCheck.problems(of: profile)
    return problems.count == before ? profile : nil
  }

  private func outputs(
    _ node: Node?,
    gathered: Bool,
    splitsPages: Bool,
    _ problems: inout [Problem]
  ) -> [Output] {
    let items = tables(node, key: "output", &problems)
    let decoder = OutputDecoder(
      operations: operations,
      isGathered: gathered,
      splitsPages: splitsPages
    )
    var outputs: [Output] = []
    var seen: [String: Place] = [:]
    for item in items {
      if let name = outputName(item) {
        if let first = seen[name] {
          problems.append(
            Problem(
              .conflict,
              at: item["name"]?.place ?? item.place,
              key: "output",
              expected: "a name of its own for each output",
              received: "\(name.literal) again, as at \(first)"
            )
          )
        }
        seen[name] = seen[name] ?? item["name"]?.place ?? item.place
      }
      if let output = decoder.output(item, &problems) { outputs.append(output) }
    }
    return outputs
  }
}

/// The tables of `[[key]]`; none where the key is not there.
func tables(_ node: Node?, key: String, _ problems: inout [Problem]) -> [Node] {
  guard let node else { return [] }
  guard let items = node.items else {
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: key,
        expected: "a list of tables, each under [[\(key)]]",
        received: node.shown
      )
    )
    return []
  }
  return items.filter { item in
    if item.entries != nil { return true }
    problems.append(
      Problem(
        .wrongType,
        at: item.place,
        key: key,
        expected: "a table under [[\(key)]]",
        received: item.shown
      )
    )
    return false
  }
}

extension Profile {
  /// A profile from its own `node`: what a worker is sent.
  ///
  /// - Throws: every problem; there is none where `node` is a loaded profile's and the operations
  ///   are the same.
  public init(resolved node: Node, operations: [OperationEntry]) throws(Problems) {
    var problems: [Problem] = []
    guard let profile = ProfileDecoder(operations: operations).profile(node, &problems) else {
      throw Problems(problems)
    }
    self = profile
  }
}
