import Glibc
import MinilabKit

/// `minilab prune`: removes outputs that no run would make any more.
struct PruneCommand {
  struct Options {
    var root: Path
    var isAgreed = false
    var isDry = false
    /// Also what was made from folders of which nothing is left.
    var takesEmptyRoots = false
    var json = false
    var operations: [OperationEntry]
  }

  private let options: Options
  private let ledger: Ledger
  private let pruning: Pruning

  static func run(_ options: Options) -> ExitStatus {
    Interrupts.endProcess(status: ExitStatus.interrupted.rawValue)
    do {
      if options.isDry {
        let look = try LedgerLook(at: options.root)
        return try withExtendedLifetime(look) { try PruneCommand(options, look.ledger).run() }
      }
      // Without a ledger nothing is ours.
      guard LedgerFile(of: options.root).isThere else {
        throw LedgerFault("\(options.root.shown): no ledger is there, so nothing is known of it")
      }
      let output = try OutputFolder(preparing: options.root)
      return try withExtendedLifetime(output) {
        let opened = try LedgerFile(of: options.root).open()
        if let word = opened.word { Console.warn("minilab: \(word)\n") }
        return try PruneCommand(options, opened.ledger).run()
      }
    } catch let error as OutputFolderError {
      Console.warn("minilab: \(error.text)\n")
    } catch {
      let text = (error as? LedgerFault)?.text ?? LedgerFault.of(error, options.root).text
      Console.warn("minilab: \(text)\n")
    }
    return .notStarted
  }

  private init(_ options: Options, _ ledger: Ledger) {
    self.options = options
    self.ledger = ledger
    pruning = Pruning(options.root)
  }

  private func run() throws -> ExitStatus {
    var search = PruneSearch(ledger, options.operations, takesEmptyRoots: options.takesEmptyRoots)
    let all = try search.outputs()
    for word in search.words { Console.warn("minilab: \(word)\n") }
    var tally = PruneTally()
    var found: [PruneSearch.Found] = []
    for item in all {
      switch pruning.remove(item.path, item.output, isDry: true) {
      // What somebody has changed stays, and there is nothing to ask about it.
      case .altered(let stamp): try keep(item, stamp, &tally)
      case .gone: if !options.isDry { try ledger.forget(item.path) }
      case .removed, .failed:
        found.append(item)
        if options.isDry || !options.json { tell(item, nil) }
      }
    }
    tally.found = found.count
    let isEnd = options.isDry || found.isEmpty
    guard try isEnd || options.isAgreed || isAgreed(found.count) else { return .success }
    if !isEnd { for item in found { try remove(item, &tally) } }
    if !options.isDry { try ledger.forgetUnits() }
    try ledger.commit()
    tally.end(json: options.json, isDry: options.isDry)
    return tally.failed > 0 ? .someFailed : .success
  }

  private func isAgreed(_ count: Int) throws -> Bool {
    guard isatty(STDIN_FILENO) == 1 else {
      throw LedgerFault("nobody is there to be asked: expected --yes or --dry-run")
    }
    Console.warn("Remove \(counted(count, "file"))? [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }

  private func remove(_ item: PruneSearch.Found, _ tally: inout PruneTally) throws {
    let outcome = pruning.remove(item.path, item.output)
    switch outcome {
    case .altered(let stamp): return try keep(item, stamp, &tally)
    case .failed(let reason):
      tally.failed += 1
      Console.warn("minilab: \(item.path.shown) was kept: \(reason)\n")
    case .removed, .gone:
      if outcome == .removed { tally.removed += 1 }
      // First the file: a row without one is nothing but a missing output.
      try ledger.forget(item.path)
    }
    if options.json { tell(item, outcome) }
  }

  /// Leaves what somebody has changed, and remembers that it is theirs now.
  private func keep(
    _ item: PruneSearch.Found,
    _ stamp: FileStamp,
    _ tally: inout PruneTally
  ) throws {
    tally.kept += 1
    tell(item, .altered(stamp))
    let isNews = item.output.state != .altered || item.output.stamp != stamp
    guard isNews, !options.isDry else { return }
    var output = item.output
    output.state = .altered
    output.stamp = stamp
    try ledger.put(item.path, output)
  }

  /// `outcome`: nil for one of which nothing has become yet.
  private func tell(_ item: PruneSearch.Found, _ outcome: Pruning.Outcome?) {
    var text = "\(item.path.shown): \(item.reason.shown)"
    if options.json {
      var line = JSONLine(event: "orphan")
      line.add("path", item.path)
      line.add("reason", item.reason.code)
      line.add("status", outcome?.code ?? "found")
      if case .failed(let reason)? = outcome { line.add("text", reason) }
      text = line.text
    } else if case .altered? = outcome {
      text += "; it is kept, as somebody has changed it since it was made"
    }
    Console.print(text + "\n")
  }
}

/// What has become of outputs that no run would make any more.
private struct PruneTally {
  /// Those that may be removed.
  var found = 0
  var removed = 0
  /// Somebody has changed them.
  var kept = 0
  /// They could not be removed.
  var failed = 0

  /// The last words.
  func end(json: Bool, isDry: Bool) {
    if json {
      var line = JSONLine(event: "summary")
      line.add("found", found)
      line.add("removed", removed)
      line.add("kept", kept)
      line.add("failed", failed)
      Console.print(line.text + "\n")
    } else if found == 0 {
      Console.print("nothing to remove\n")
    } else if !isDry {
      Console.print("removed \(removed) of \(found)\n")
    }
  }
}

extension Pruning.Outcome {
  /// As programs read it.
  fileprivate var code: String {
    switch self {
    case .removed: "removed"
    case .gone: "gone"
    case .altered: "kept"
    case .failed: "failed"
    }
  }
}

let pruneCommand = Command(
  name: "prune",
  operands: "OUT",
  summary: "Remove results whose input, or whose output in the profile, is gone",
  options: [
    CommandOption("yes", "y", help: "Do not ask"),
    CommandOption("dry-run", "n", help: "Only list them"),
    CommandOption("empty-roots", help: "Also results of input folders that are empty or gone"),
    CommandOption("json", help: "Print one JSON object a line for each, and a summary"),
  ]
) { parsed, operations throws(UsageError) in
  guard let root = parsed.operands.first, parsed.operands.count == 1, !root.isEmpty else {
    throw UsageError("minilab prune", "expected one folder of results")
  }
  return PruneCommand.run(
    PruneCommand.Options(
      root: root,
      isAgreed: parsed.has("yes"),
      isDry: parsed.has("dry-run"),
      takesEmptyRoots: parsed.has("empty-roots"),
      json: parsed.has("json"),
      operations: operations
    )
  )
}
