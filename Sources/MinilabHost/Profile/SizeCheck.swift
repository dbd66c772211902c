import MinilabKit

/// Finds output paths that ask for a size which only pixels can tell.
enum SizeCheck {
  /// Tried on a header that fits most steps: which steps leave the size to pixels is a matter of
  /// the profile, not of the picture.
  private static let sample = Origin(format: .jpeg, size: Size(width: 4000, height: 3000))

  static func problems(of profile: Profile) -> [Problem] {
    guard profile.outputs.contains(where: \.path.needsSize) else { return [] }
    let nodes = profile.node["output"]?.items ?? []
    let left = outputsLeftToPixels(profile)
    return zip(profile.outputs, nodes).compactMap { output, node in
      guard output.path.needsSize, let path = node["path"],
        output.isSheet || left.contains(output.name)
      else { return nil }
      return Problem(
        .conflict,
        at: path.place,
        key: shownAddress(["output", output.name, "path"]),
        expected: "steps whose size is known before pixels are read, for {width} and {height}",
        received: output.isSheet
          ? "a sheet, whose size its texts decide" : "one whose size only pixels can tell"
      )
    }
  }

  /// Steps that refuse the sample are passed over: what they do with pictures is found when those
  /// come.
  private static func outputsLeftToPixels(_ profile: Profile) -> Set<String> {
    let runner = StepRunner(source: .nothing)
    var left: Set<String> = []
    var frames: [String: Frame] = [:]
    do {
      let shared = try runner.run(profile.steps, on: Frame(sample))
      for output in profile.outputs {
        do {
          let end = try shared.flatMap {
            try runner.run(output.steps, on: [$0], outputs: frames)?.first
          }
          frames[output.name] = end
          if end?.knownSize == nil { left.insert(output.name) }
        } catch {}
      }
    } catch {}
    return left
  }
}
