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
    var operations: [OperationEntry]
  }

  private let options: Options
  private let ledger: Ledger

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
  }

  private func run() throws -> ExitStatus {
    var search = PruneSearch(ledger, options.operations, takesEmptyRoots: options.takesEmptyRoots)
    let found = try search.outputs()
    for word in search.words { Console.warn("minilab: \(word)\n") }
    if found.isEmpty {
      Console.print("nothing to remove\n")
      return .success
    }
    for item in found { Console.print("\(item.path.shown): \(item.reason.shown)\n") }
    if options.isDry { return .success }
    guard try options.isAgreed || isAgreed(found.count) else { return .success }
    return try remove(found)
  }

  private func isAgreed(_ count: Int) throws -> Bool {
    guard isatty(STDIN_FILENO) == 1 else {
      throw LedgerFault("nobody is there to be asked: expected --yes or --dry-run")
    }
    Console.warn("Remove \(count) \(count == 1 ? "file" : "files")? [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }

  private func remove(_ found: [PruneSearch.Found]) throws -> ExitStatus {
    var removed = 0
    var kept = 0
    for item in found {
      switch Pruning(options.root).remove(item.path, item.output) {
      case .removed: removed += 1
      case .gone: break
      case .kept(let reason):
        kept += 1
        Console.warn("minilab: \(item.path.shown) was kept: \(reason)\n")
        continue
      }
      // First the file: a row without one is nothing but a missing output.
      try ledger.forget(item.path)
    }
    try ledger.forgetUnits()
    try ledger.commit()
    Console.print("removed \(removed) of \(found.count)\n")
    return kept > 0 ? .someFailed : .success
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
      operations: operations
    )
  )
}
