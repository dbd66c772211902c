import MinilabKit

/// What a person reads at the end of a run.
enum Summary {
  /// Lines, each ended.
  static func text(_ tally: Tally, seconds: Double) -> String {
    var counts = ["\(tally.done) of \(tally.planned) done"]
    let upToDate = tally.skips[.upToDate] ?? 0
    if upToDate > 0 { counts.append("\(upToDate) up to date") }
    let others = tally.skipped - upToDate
    if others > 0 { counts.append("\(others) skipped") }
    if tally.failed > 0 { counts.append("\(tally.failed) failed") }
    let open = tally.planned - tally.finished
    if open > 0 { counts.append("\(open) not begun") }
    let time = "\(JSONLine.rounded(seconds, digits: 1)) s"
    return counts.joined(separator: ", ") + " in \(time)\n" + reasons(tally) + ungrouped(tally)
      + leftOut(tally) + notes(tally)
  }

  /// Why what was done was not done before; a first run needs no reasons.
  private static func reasons(_ tally: Tally) -> String {
    let counts = MakingReason.allCases.compactMap { reason in
      tally.reasons[reason].map { "\($0) \(reason.shown)" }
    }
    if counts.isEmpty || tally.reasons[.new] == tally.done, tally.skips[.altered] == nil {
      return ""
    }
    let altered = tally.skips[.altered].map { ["\($0) altered by somebody, and left"] } ?? []
    return "because: \((counts + altered).joined(separator: ", "))\n"
  }

  static func planText(_ tally: Tally) -> String {
    var counts = ["\(tally.planned) planned"]
    if tally.failed > 0 { counts.append("\(tally.failed) would fail") }
    let upToDate = tally.skips[.upToDate] ?? 0
    if upToDate > 0 { counts.append("\(upToDate) up to date") }
    let others = tally.skipped - upToDate
    if others > 0 { counts.append("\(others) would be skipped") }
    return counts.joined(separator: ", ") + "\n" + plannedReasons(tally) + ungrouped(tally)
      + leftOut(tally)
  }

  /// Why what would be made is not there yet; a first run needs no reasons.
  private static func plannedReasons(_ tally: Tally) -> String {
    var counts = MakingReason.allCases.compactMap { reason in
      tally.reasons[reason].map { "\($0) \(reason.shown)" }
    }
    if tally.compared > 0 { counts.append("\(tally.compared) to be compared") }
    let isFirst = tally.reasons.keys.allSatisfy { $0 == .new } && tally.compared == 0
    return isFirst ? "" : "because: \(counts.joined(separator: ", "))\n"
  }

  /// The first failures and how many more there are; empty where there are none.
  static func failures(_ tally: Tally) -> String {
    guard !tally.failures.isEmpty else { return "" }
    var lines = ["failed:"]
    lines += tally.failures.map { input, others, error in
      "  \(input.shown)\(others > 0 ? " and \(others) more" : ""): \(error.text) [\(error.code.rawValue)]"
    }
    let more = tally.failed - tally.failures.count
    if more > 0 { lines.append("  and \(more) more; .minilab/report.json lists all") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// One unit of a dry run; a group stands in brackets.
  static func text(_ item: PlannedItem) -> String {
    let input =
      item.inputs.isEmpty
      ? item.input.shown : "[" + item.inputs.map(\.shown).joined(separator: ", ") + "]"
    if let error = item.error { return "\(input): \(error.text)\n" }
    if let reason = item.reason { return "\(input): skipped (\(reason.rawValue))\n" }
    if item.outputs.isEmpty { return "\(input): no output is made of it\n" }
    let outputs = item.outputs.map { output in
      let size = output.size.map { " \($0.width)×\($0.height)" } ?? ""
      return output.path.shown + size + (output.fate?.shown ?? "")
    }
    return "\(input) → \(outputs.joined(separator: ", "))\n"
  }

  private static let leftOutWords = [
    "not-a-picture": "no picture",
    "hidden": "hidden",
    "link": "behind symbolic links",
    "format-off": "of a format that is off",
    "raw": "camera raw",
  ]

  private static func ungrouped(_ tally: Tally) -> String {
    tally.ungrouped > 0 ? "in no group: \(tally.ungrouped)\n" : ""
  }

  private static func leftOut(_ tally: Tally) -> String {
    let counts = tally.leftOut.filter { $0.count > 0 }
      .map { "\($0.count) \(leftOutWords[$0.name] ?? $0.name)" }
    let hint = tally.firstOff.map { "; \($0.shown)" } ?? ""
    return counts.isEmpty ? "" : "left out: \(counts.joined(separator: ", "))\(hint)\n"
  }

  /// A loss is told also where nobody asked for `--json`.
  private static func notes(_ tally: Tally) -> String {
    let counts = Note.Code.allCases.compactMap { code in
      tally.notes[code].map { "\($0) \(code.rawValue)" }
    }
    return counts.isEmpty ? "" : "notes: \(counts.joined(separator: ", ")); --json has each\n"
  }
}
