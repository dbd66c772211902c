import MinilabKit

/// Finds steps that use the picture of an output which is not there when they are done.
///
/// Outputs are made in their order, each after the shared steps.
struct NeededOutputsCheck {
  private let profile: Profile

  init(_ profile: Profile) {
    self.profile = profile
  }

  var problems: [Problem] {
    var problems: [Problem] = []
    for step in profile.steps {
      for name in step.operation.neededOutputs {
        problems.append(
          Problem(
            .conflict,
            at: step.place,
            key: shownAddress([step.id]),
            expected: "pictures that are there before any output is, in a shared step",
            received: "output \(name.literal)"
          )
        )
      }
    }
    var above: [String] = []
    for output in profile.outputs {
      for step in output.steps {
        for name in step.operation.neededOutputs where !above.contains(name) {
          problems.append(problem(name, in: step, of: output, above))
        }
      }
      above.append(output.name)
    }
    return problems
  }

  private func problem(
    _ name: String,
    in step: Step,
    of output: Output,
    _ above: [String]
  ) -> Problem {
    let isThere = profile.outputs.contains { $0.name == name }
    let fault =
      name == output.name
      ? ", which is this output itself" : isThere ? ", which stands below" : ""
    let expected =
      above.isEmpty
      ? "an output above this one (there is none)"
      : isThere
        ? "an output above this one (one of \(above.joined(separator: ", ")))"
        : expectedName("an output above this one", for: name, among: above)
    return Problem(
      isThere ? .conflict : .unknownKey,
      at: step.place,
      key: shownAddress(["output", output.name, step.id]),
      expected: expected,
      received: name.literal + fault
    )
  }
}
