import FoundationEssentials
import MinilabKit

/// `report.json` in the output root: the last run, and everything that has failed in it.
///
/// Failures come from the ledger, one by one: there may be a million.
struct ReportFile {
  static let name = Path("report.json")

  private let options: RunOptions
  private let profile: Profile
  private let report: RunReport
  private let stop: RunStop?
  private let status: ExitStatus

  init(
    _ options: RunOptions,
    _ profile: Profile,
    _ report: RunReport,
    _ stop: RunStop?,
    _ status: ExitStatus
  ) {
    self.options = options
    self.profile = profile
    self.report = report
    self.stop = stop
    self.status = status
  }

  /// Writes the file's text in pieces.
  func write(_ ledger: Ledger, _ write: ([UInt8]) throws -> Void) throws {
    var head = JSONLine()
    head.add("minilab", Minilab.version)
    head.add("profile", profile.file)
    head.add("inputs", options.inputs)
    head.add("output", options.output)
    head.add("ended", Date().formatted(.iso8601))
    head.add("seconds", seconds: report.seconds)
    head.add("status", Int(status.rawValue))
    if let stop { head.add("stopped", RunReport.text(stop) ?? "stopped early: interrupted") }
    let tally = report.tally
    head.add("planned", tally.planned)
    head.add("done", tally.done)
    head.add("failed", tally.failed)
    head.add("skipped", tally.skipped)
    head.add("reasons") { reasons in
      for reason in MakingReason.allCases {
        if let count = tally.reasons[reason] { reasons.add(reason.rawValue, count) }
      }
      for reason in SkipReason.allCases {
        if let count = tally.skips[reason] { reasons.add(reason.rawValue, count) }
      }
    }
    head.add("left-out") { object in
      for (name, count) in tally.leftOut { object.add(name, count) }
    }
    head.add("notes") { object in
      for code in Note.Code.allCases {
        if let count = tally.notes[code] { object.add(code.rawValue, count) }
      }
    }
    // What was captured is not captured again.
    if tally.failed > 0, profile.source == nil {
      head.add("retry", [Path("minilab"), Path("run")] + options.retryWords)
    }
    // The head is an object that goes on with the list.
    try write(Array((head.text.dropLast() + ",\"failures\":[").utf8))
    var isFirst = true
    try ledger.eachFailure { failure in
      try write(Array(((isFirst ? "\n" : ",\n") + Self.line(failure).text).utf8))
      isFirst = false
    }
    try write(Array("\n]}\n".utf8))
  }

  private static func line(_ failure: LedgerFailure) -> JSONLine {
    var line = JSONLine()
    line.add("input", failure.path)
    line.add("root", failure.root)
    if failure.others > 0 { line.add("others", failure.others) }
    line.add("code", failure.error.code.rawValue)
    if let step = failure.error.step { line.add("step", step) }
    line.add("text", failure.error.text)
    return line
  }
}
