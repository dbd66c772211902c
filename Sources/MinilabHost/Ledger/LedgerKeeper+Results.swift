import Glibc
import MinilabKit

// What has become of units, for the next run.

extension LedgerKeeper {
  /// Writes down what has become of a unit.
  ///
  /// - Returns: why the run cannot go on.
  func record(_ result: UnitResult) -> RunStop? {
    do throws(DatabaseError) {
      if let fault { throw fault }
      try remember(result)
      return nil
    } catch {
      fault = error
      return Self.stop(error)
    }
  }

  /// Writes down that a unit has failed before a worker saw it.
  func record(_ index: Int, _ report: ItemReport) throws(DatabaseError) {
    guard report.status == .failed, let error = report.error else { return }
    try fail(index, error)
  }

  /// After the last result.
  ///
  /// `orphans`: of a run that was to make all there is.
  ///
  /// - Returns: why the ledger could not be brought to its end, where that is news.
  func end(_ stop: RunStop?, _ tally: Tally, _ orphans: OrphanSearch?) -> RunStop? {
    guard fault == nil else { return nil }
    do {
      if stop == nil {
        // All was compared that there is.
        if try ledger.isRebuilding { try ledger.setRebuilding(false) }
        // What a run before was about to make, and no run has taken up.
        for (path, _) in try ledger.oldClaims() {
          try ledger.settleClaim(path, found: judge.outputs.stamp(of: path), isLast: false)
        }
        orphanCount = try orphans?.end() ?? 0
      }
      try ledger.end(tally)
      return nil
    } catch {
      let error = error as? DatabaseError ?? .damaged("\(error)")
      fault = error
      return stop == nil ? Self.stop(error) : nil
    }
  }

  /// The same with the outputs that are there already, where a worker has found that nothing was to be made.
  func namingOutputs(of result: UnitResult) -> UnitResult {
    guard result.status == .skipped, result.outputs.isEmpty, result.findings != nil,
      let known = try? judge.known(plan.outputs(at: result.id))
    else { return result }
    var result = result
    result.outputs = known.outputs.compactMap { $0?.record }
    return result
  }

  static func stop(_ error: DatabaseError) -> RunStop {
    error.isDiskFull ? .diskFull : .ledgerFailed(error.text)
  }

  private func remember(_ result: UnitResult) throws(DatabaseError) {
    if let error = result.error {
      if error.code.isOfUnknownOutcome {
        for path in plan.outputs(at: result.id) { try ledger.leaveClaim(path) }
      }
      return try fail(result.id, error)
    }
    if hadFailures {
      let input = input(plan.firstItem(of: result.id))
      try ledger.removeFailure(root: input.root, input.path)
    }
    guard let findings = result.findings else { return }
    let paths = plan.outputs(at: result.id)
    let known = try judge.known(paths)
    let (unit, isChanged) = self.unit(known.unit, result, findings)
    let id = try ledger.put(unit, seconds: result.seconds, now: Int(time(nil)))
    try ledger.put(
      findings.outputs,
      result.outputs,
      at: paths,
      known: known.outputs,
      of: id,
      inputsAreChanged: isChanged,
      &recipes
    )
  }

  /// What is remembered of the unit as a whole, and whether its inputs are others than before.
  private func unit(
    _ known: LedgerUnit?,
    _ result: UnitResult,
    _ findings: UnitFindings
  ) -> (LedgerUnit, isChanged: Bool) {
    var unit = known ?? LedgerUnit(id: 0, inputs: [], beside: [], reason: nil, notes: [])
    let notes = result.notes.filter { $0.code != .outputAltered }
    if findings.areOfAll {
      unit.notes = notes
    } else {
      unit.notes += notes.filter { !unit.notes.contains($0) }
    }
    unit.reason =
      result.reason == .upToDate || result.reason == .altered ? unit.reason : result.reason
    if findings.hasMade {
      unit.beside = findings.beside.map {
        LedgerInput(root: Path(""), path: $0.path ?? Path(""), stamp: $0.stamp, digest: $0.digest)
      }
    }
    let items = plan.units.items(of: result.id)
    guard findings.inputs.count == items.count else { return (unit, false) }
    let before = unit.inputs
    unit.inputs = zip(items, findings.inputs).map { item, finding in
      var input = input(item)
      input.stamp = finding.stamp
      input.digest = finding.digest
      return input
    }
    let isSame =
      before.count == unit.inputs.count
      && zip(before, unit.inputs).allSatisfy {
        $0.digest != nil && $0.digest == $1.digest && $0.path.lastComponent == $1.path.lastComponent
      }
    return (unit, !isSame)
  }

  private func fail(_ index: Int, _ error: ItemError) throws(DatabaseError) {
    let input = input(plan.firstItem(of: index))
    try ledger.addFailure(
      LedgerFailure(
        root: input.root,
        path: input.path,
        others: plan.units.count(at: index) - 1,
        error: error
      )
    )
  }
}

extension UnitFindings {
  /// Something was made.
  fileprivate var hasMade: Bool {
    outputs.contains { finding in
      switch finding {
      case .made, .equal, .leftOut: true
      case .kept, .sound, .altered: false
      }
    }
  }

  /// No output is as it was.
  fileprivate var areOfAll: Bool {
    outputs.allSatisfy { finding in
      switch finding {
      case .made, .equal, .leftOut: true
      case .kept, .sound, .altered: false
      }
    }
  }

  /// Why the first output that was made was made.
  var reason: MakingReason? {
    for case .made(_, _, let reason) in outputs { return reason }
    return nil
  }
}

extension ItemError.Code {
  /// Told by a worker's end, or by a device that fails, so that nobody knows how far it has come.
  var isOfUnknownOutcome: Bool {
    switch self {
    case .crashed, .outOfMemory, .outputLost, .timeout: true
    default: false
    }
  }
}
