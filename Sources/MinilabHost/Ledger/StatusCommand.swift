import FoundationEssentials
import Glibc
import MinilabKit

/// `minilab status`: what an output root holds, by its ledger and by what is there.
struct StatusCommand {
  private let view: LedgerView
  private var counts: [(name: String, count: Int)] = []
  private var bytes = 0
  private let last: LedgerRun?
  private var failures: [LedgerFailure] = []
  private var failed = 0

  /// What a person should know of it.
  private(set) var words: [String]

  static func run(_ root: Path, json: Bool, _ operations: [OperationEntry]) -> ExitStatus {
    do {
      let status = try StatusCommand(of: root, operations)
      for word in status.words { Console.warn("minilab: \(word)\n") }
      Console.print(json ? status.json : status.text)
      return .success
    } catch {
      Console.warn("minilab: \(error.text)\n")
      return .notStarted
    }
  }

  /// `operations`: what profiles may name.
  init(of root: Path, _ operations: [OperationEntry]) throws(LedgerFault) {
    do { try self.init(LedgerView(of: root), operations) } catch {
      throw (error as? LedgerFault) ?? .ofLook(error, LedgerFile(of: root).path)
    }
  }

  private init(_ view: LedgerView, _ operations: [OperationEntry]) throws {
    self.view = view
    var search = PruneSearch(view.ledger, operations, takesEmptyRoots: false)
    last = try view.ledger.lastRun()
    var (made, leftOut, altered, unfinished, missing, changed, orphans) = (0, 0, 0, 0, 0, 0, 0)
    var size = 0
    try view.eachOutput { path, output in
      var status = stat()
      let isThere = view.root.appending(path).withCString { lstat($0, &status) } == 0
      let stamp = isThere ? FileStamp(status) : nil
      let isUnfinished = output.claim != nil && output.isOfClaim(found: stamp)
      if isUnfinished { unfinished += 1 }
      // What somebody has changed is kept, whatever made it.
      let isOrphan = try output.state != .altered && search.reason(path, output) != nil
      if isThere, isOrphan { orphans += 1 }
      switch output.state {
      case .begun: return
      case .leftOut:
        leftOut += 1
        return
      case .made: made += 1
      case .altered: altered += 1
      }
      if isThere {
        size += Int(status.st_size)
        if stamp != output.stamp, !isUnfinished { changed += 1 }
      } else if !isOrphan {
        missing += 1
      }
    }
    bytes = size
    words = search.words
    counts = [
      ("made", made), ("altered", altered), ("left-out", leftOut), ("unfinished", unfinished),
      ("missing", missing), ("changed", changed), ("orphans", orphans),
    ]
    var (first, count): ([LedgerFailure], Int) = ([], 0)
    try view.ledger.eachFailure { failure in
      if count < Tally.mostFailures { first.append(failure) }
      count += 1
    }
    (failures, failed) = (first, count)
  }

  private static let words = [
    "altered": "altered by somebody",
    "left-out": "left out by a step",
    "changed": "looking changed since",
    "orphans": "that no run would make any more (minilab prune)",
  ]

  var text: String {
    let shown = counts.dropFirst().filter { $0.count > 0 }
      .map { "\($0.count) \(Self.words[$0.name] ?? $0.name)" }
    var lines = [
      (["\(view.root.shown): \(counts[0].count) outputs made, \(bytes) bytes"] + shown)
        .joined(separator: ", ")
    ]
    if let last {
      let end = last.ended.map { "ended \(Self.time($0))" } ?? "did not end well"
      lines.append(
        "last run with work: \(Self.time(last.started)), \(end): "
          + "\(last.done) done, \(last.failed) failed, \(last.skipped) skipped"
      )
      let words = ["minilab", "run"].map { Path($0) } + last.arguments
      lines.append("  \(words.map(\.quotedForShell).joined(separator: " "))")
    }
    if failed > 0 { lines.append("failed in the last run: \(failed)") }
    lines += failures.map { failure in
      let more = failure.others > 0 ? " and \(failure.others) more" : ""
      return "  \(failure.path.shown)\(more): \(failure.error.text)"
    }
    if failed > failures.count { lines.append("  and \(failed - failures.count) more") }
    return lines.map { $0 + "\n" }.joined()
  }

  var json: String {
    var line = JSONLine(event: "status")
    line.add("output", view.root)
    for (name, count) in counts { line.add(name, count) }
    line.add("bytes", bytes)
    line.add("failed", failed)
    if let last {
      line.add("last-run") { object in
        object.add("started", last.started)
        if let ended = last.ended { object.add("ended", ended) }
        object.add("profile", last.profile)
        object.add("arguments", last.arguments)
        object.add("done", last.done)
        object.add("failed", last.failed)
        object.add("skipped", last.skipped)
      }
    }
    return line.text + "\n"
  }

  private static func time(_ seconds: Int) -> String {
    Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
  }
}

let statusCommand = Command(
  name: "status",
  operands: "OUT",
  summary: "Say what a folder of results holds, and what failed in the last run",
  options: [CommandOption("json", help: "As one JSON object")]
) { parsed, operations throws(UsageError) in
  guard let root = parsed.operands.first, parsed.operands.count == 1, !root.isEmpty else {
    throw UsageError("minilab status", "expected one folder of results")
  }
  return StatusCommand.run(root, json: parsed.has("json"), operations)
}
