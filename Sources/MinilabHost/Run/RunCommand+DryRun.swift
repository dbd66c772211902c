import Glibc
import MinilabKit

// The dry run: what would be made, and why, by the ledger and by what headers tell.

extension RunCommand {
  /// Prints each unit with its outputs, and what headers tell against it.
  func show(_ shared: SharedPlan, _ look: LedgerLook?) throws -> ExitStatus {
    let plan = shared.plan
    var tally = plan.tally
    let keeper = try look.map { look in try makeKeeper(plan, look.ledger) }
    if options.onlyFailed, let keeper { tally.planned = try keeper.keepOnlyFailed() }
    var order = InOrder<PlannedItem?>()
    let options = options
    func text(_ item: PlannedItem) -> String {
      options.json ? Events.plan(item).text + "\n" : Summary.text(item)
    }
    func add(_ item: PlannedItem?, at index: Int) -> RunStop? {
      if let item { tally.count(item) }
      return write(order.add(item, at: index).compactMap { $0.map(text) }.joined())
    }
    if !options.onlyFailed {
      for item in plan.ungrouped {
        let planned = plan.ungroupedItem(item)
        tally.count(planned)
        if let stop = write(text(planned)) { return Self.status(stop, failed: 0) }
      }
    }
    for index in 0..<plan.count {
      let item: PlannedItem?
      if keeper?.isOpen(at: index) == false {
        // It has not failed, and only what has is asked for.
        item = nil
      } else if let fate = plan.fate(at: index) {
        item = plan.item(index, fate)
      } else if let report = try keeper?.closed(index) {
        item = plan.item(index, report)
      } else {
        continue
      }
      keeper?.close(index)
      if let stop = add(item, at: index) { return Self.status(stop, failed: 0) }
    }
    var fault: DatabaseError?
    let stop = try probe(keeper ?? shared, count: keeper?.openCount ?? plan.openCount) { result in
      var item = plan.item(result)
      do throws(DatabaseError) {
        if let keeper { item.add(try keeper.fates(of: result.id)) }
      } catch {
        fault = error
        return .ledgerFailed(error.text)
      }
      return add(item, at: result.id)
    }
    coordinator.end()
    if let fault { throw fault }
    if stop == nil {
      if options.json { _ = write(Events.planSummary(tally).text + "\n") }
      if !options.quiet { Console.warn(Summary.planText(tally)) }
    } else if let stop, let text = RunReport.text(stop) {
      Console.warn("minilab: \(text)\n")
    }
    if stop == nil, plan.count == 0 { return .nothingMatched }
    return Self.status(stop, failed: tally.failed)
  }

  /// The ledger, to be asked only; nil where it cannot be, which is told.
  func look() -> LedgerLook? {
    do throws(LedgerFault) {
      let look = try LedgerLook(at: options.output, mayBeMissing: true)
      look.ledger.start = start
      return look
    } catch {
      Console.warn("minilab: \(error.text): what is up to date cannot be told\n")
      return nil
    }
  }

  private func makeKeeper(_ plan: Plan, _ ledger: Ledger) throws -> LedgerKeeper {
    try LedgerKeeper(plan, of: profile, below: options.output, ledger, force: options.force)
  }
}

/// What will become of an output, as far as one can tell without opening a picture.
enum PlannedFate: Equatable {
  case made(MakingReason)
  /// It, or what it is made of, looks changed; contents decide.
  case compared
  case upToDate
  case altered

  var code: String {
    switch self {
    case .made(let reason): reason.rawValue
    case .compared: "to-be-compared"
    case .upToDate: SkipReason.upToDate.rawValue
    case .altered: SkipReason.altered.rawValue
    }
  }

  /// Behind an output's path; empty for what is new, as all is in a first run.
  var shown: String {
    switch self {
    case .made(.new): ""
    case .made(let reason): " (\(reason.shown))"
    case .compared: " (looks changed, to be compared)"
    case .upToDate: " (up to date)"
    case .altered: " (altered by somebody, and left)"
    }
  }
}

extension LedgerKeeper {
  /// Of each output of a unit that is not up to date as a whole.
  func fates(of index: Int) throws(DatabaseError) -> [PlannedFate] {
    guard case .open(let order) = try judge.judge(index) else { return [] }
    return order.outputs.map { output in
      if output.isLeft { return .altered }
      if output.look != nil || output.origin != nil { return .compared }
      if let reason = output.reason { return .made(reason) }
      return order.inputs.isEmpty ? .upToDate : .compared
    }
  }
}

extension PlannedItem {
  /// `fates`: one for each output that the unit could have.
  fileprivate mutating func add(_ fates: [PlannedFate]) {
    for (index, output) in outputs.enumerated() where output.place < fates.count {
      outputs[index].fate = fates[output.place]
    }
  }
}

extension Plan {
  /// What is told of a unit that the ledger has decided on.
  fileprivate func item(_ index: Int, _ report: ItemReport) -> PlannedItem {
    PlannedItem(
      input: report.input,
      inputs: report.inputs,
      outputs: [],
      reason: report.reason,
      error: report.error
    )
  }
}
