import MinilabKit

/// Finds outputs that would be handed a group of pictures and no step that makes one of them.
struct GatherCheck {
  private let profile: Profile
  /// The operations that make one picture of several.
  private let makers: [String]

  init(_ profile: Profile, _ operations: [OperationEntry]) {
    self.profile = profile
    makers = operations.filter(\.takesSeveral).map(\.name)
  }

  var problems: [Problem] {
    guard let gather = profile.node["gather"], !profile.sharesGroupStep else { return [] }
    let named = makers.isEmpty ? "" : " (\(makers.joined(separator: ", ")))"
    return profile.outputs.filter { !$0.steps.makeOneOfSeveral }.map { output in
      // An output that nobody has written stands where the profile begins.
      let isWritten = output.place != profile.node.place
      return Problem(
        .conflict,
        at: isWritten ? output.place : gather.place,
        key: shownAddress(["output", output.name]),
        expected: "a step that makes one picture of several\(named), shared or its own, as there "
          + "is [gather]",
        received: "none"
      )
    }
  }
}

extension [Step] {
  /// After them there is one frame, however many there were.
  var makeOneOfSeveral: Bool { contains { $0.operation is any GroupOperation } }
}

extension Profile {
  /// Each output is handed one frame, made by the shared steps.
  var sharesGroupStep: Bool { steps.makeOneOfSeveral }
}
