import MinilabKit

/// Finds output paths that ask for a size which only pixels can tell.
enum SizeCheck {
  /// Tried on a header that fits most steps: which steps leave the size to pixels is a matter of
  /// the profile, not of the picture.
  private static let sample = Origin(format: .jpeg, size: Size(width: 4000, height: 3000))

  static func problems(of profile: Profile) -> [Problem] {
    guard profile.outputs.contains(where: \.path.needsSize) else { return [] }
    let nodes = profile.node["output"]?.items ?? []
    return zip(profile.outputs, nodes).compactMap { output, node in
      guard output.path.needsSize, let path = node["path"],
        isLeftToPixels(profile.steps, output.steps)
      else { return nil }
      return Problem(
        .conflict,
        at: path.place,
        key: shownAddress(["output", output.name, "path"]),
        expected: "steps whose size is known before pixels are read, for {width} and {height}",
        received: "one whose size only pixels can tell"
      )
    }
  }

  /// False also where a step refuses the sample: what it does with pictures is found when they come.
  private static func isLeftToPixels(_ shared: [Step], _ own: [Step]) -> Bool {
    let runner = StepRunner(source: .nothing)
    do {
      guard let between = try runner.run(shared, on: Frame(sample)) else { return true }
      guard let end = try runner.run(own, on: between) else { return true }
      return end.knownSize == nil
    } catch {
      return false
    }
  }
}
