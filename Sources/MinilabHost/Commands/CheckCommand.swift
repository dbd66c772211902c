import MinilabKit

let checkCommand = Command(
  name: "check",
  operands: "PROFILE…",
  summary: "Show every error of profiles, with its place",
  options: []
) { parsed, operations throws(UsageError) in
  guard !parsed.operands.isEmpty else { throw UsageError("minilab check", "no PROFILE") }
  var status = ExitStatus.success
  for profile in parsed.operands {
    do {
      let loaded = try ProfileLoader.load(profile, operations: operations)
      Console.print("\(loaded.file.shown): good, \(contents(of: loaded))\n")
    } catch {
      Console.warn("\(error)\n")
      status = .notStarted
    }
  }
  return status
}

private func contents(of profile: Profile) -> String {
  let steps = profile.steps.count + profile.outputs.map(\.steps.count).reduce(0, +)
  return "\(counted(steps, "step")), \(counted(profile.outputs.count, "output"))"
}
