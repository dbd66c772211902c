import MinilabKit

/// What ends `minilab run` before it has carried anything out, whether it runs, shows its plan or explains: what
/// is told of it, and how the program ends.
struct CommandFailure {
  /// For people: lines, each ended.
  let text: String
  let status: ExitStatus
  /// Inputs that the plan has not taken, where no picture was among them.
  private(set) var leftOut: LeftOut?

  init(_ error: any Error) {
    switch error {
    case let error as Problems: self.init("\(error)\n")
    case let error as UsageError: self.init(error.line)
    case let error as OutputFolderError: self.init(named: error.text)
    case let error as SandboxMode.Unavailable: self.init(named: error.text)
    // The source has nothing to make pictures of.
    case let error as ItemError: self.init(named: error.text)
    case let error as LedgerFault: self.init(named: error.text)
    case let error as DatabaseError:
      self.init(named: "the ledger cannot be used: \(Path(error.text).shown)")
    case let error as PlanError:
      guard case .nothingMatched(let leftOut) = error else {
        self.init(named: error.text)
        return
      }
      self.init(named: error.text, .nothingMatched)
      self.leftOut = leftOut
    case let error as SystemError:
      let isOfWorker = error.call == .spawn || error.call == .pipe
      let what = isOfWorker ? "no worker process can be started" : error.call.rawValue
      self.init(named: "\(what): \(error.reason)", .someFailed)
    default: self.init(named: "\(error)", .someFailed)
    }
  }

  private init(_ text: String, _ status: ExitStatus = .notStarted) {
    self.text = text
    self.status = status
  }

  private init(named text: String, _ status: ExitStatus = .notStarted) {
    self.init("minilab: \(text)\n", status)
  }

  /// Tells it, with a summary for programs where they are told of items and there are none.
  ///
  /// - Returns: how the program ends.
  func tell(json: Bool) -> ExitStatus {
    Console.warn(text)
    if json, let leftOut {
      var tally = Tally(planned: 0)
      tally.leftOut = leftOut.counts
      Console.print(Events.summary(tally, seconds: 0).text + "\n")
    }
    return status
  }
}
