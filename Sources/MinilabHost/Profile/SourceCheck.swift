import MinilabKit

/// Takes the step that makes items from the steps that treat them, and sees that it stands where it
/// can.
struct SourceCheck {
  private let root: Node
  /// Keys of `[input]` that choose files, of which a profile with a source has none.
  private static let fileKeys = ["include", "exclude", "formats", "links", "clash"]

  /// `root`: the profile's table.
  init(_ root: Node) {
    self.root = root
  }

  /// - Parameters:
  ///   - steps: the shared ones, as they are written.
  ///   - outputs: with their own steps.
  ///   - problems: gets those of sources in the wrong place.
  /// - Returns: the source, and the steps behind it.
  func split(
    _ steps: [Step],
    _ outputs: [Output],
    _ problems: inout [Problem]
  ) -> (source: Step?, steps: [Step]) {
    let source = steps.first.flatMap { $0.makesItems ? $0 : nil }
    let others = Array(source == nil ? steps[...] : steps.dropFirst())
    for step in others where step.makesItems { problems.append(misplaced(step, below: [])) }
    for output in outputs {
      for step in output.steps where step.makesItems {
        problems.append(misplaced(step, below: ["output", output.name]))
      }
    }
    if let source { problems += inputProblems(source) }
    return (source, others.filter { !$0.makesItems })
  }

  private func misplaced(_ step: Step, below address: [String]) -> Problem {
    Problem(
      .conflict,
      at: step.place,
      key: shownAddress(address + [step.id]),
      expected: "\(type(of: step.operation).name), which makes the pictures, as the first step of "
        + "the profile",
      received: address.isEmpty ? "it behind another step" : "it among the steps of an output"
    )
  }

  private func inputProblems(_ source: Step) -> [Problem] {
    (root["input"]?.entries ?? []).filter { Self.fileKeys.contains($0.key) }.map { entry in
      Problem(
        .conflict,
        at: entry.keyPlace,
        key: shownAddress(["input", entry.key]),
        expected: "no key that chooses files, as the step \(source.id.literal) makes the pictures",
        received: entry.node.shown
      )
    }
  }
}

extension Step {
  /// It makes items, and treats none.
  var makesItems: Bool { operation is any SourceOperation }
}
