import Glibc
import MinilabKit

/// The ledger's part in a run whose items are made while it goes on.
///
/// Such an item comes once and is always new; what the ledger knows decides on whose files its outputs
/// may take the place of.
final class CaptureLedger {
  let ledger: Ledger
  private let judge: OutputJudge
  private let isForced: Bool
  private var recipes: Recipes
  /// The output paths of units that are not done.
  private var paths: [Int: [Path]] = [:]
  /// Why the ledger cannot be asked or written.
  private(set) var fault: DatabaseError?

  init(_ profile: Profile, below root: Path, _ ledger: Ledger, force: Bool) throws {
    self.ledger = ledger
    isForced = force
    judge = OutputJudge(
      ledger: ledger,
      root: root,
      force: force,
      isRebuilding: try ledger.isRebuilding
    )
    recipes = try Recipes(profile, ledger)
    try ledger.forgetFailures()
    // Of a run that was killed nobody takes a picture up again.
    let own = ledger.start?.profile ?? profile.file
    for (path, maker) in try ledger.oldClaims() {
      try ledger.settleClaim(path, found: judge.stamp(of: path), isLast: maker == own)
    }
  }

  /// Waits until the second is over in which a run before this one has taken its last picture.
  ///
  /// Names carry the second, so that pictures of two runs within one would have the same.
  func waitForNewNames() {
    let last = (try? ledger.lastMade) ?? 0
    while case let now = Int(time(nil)), now <= last, last - now <= 1 { usleep(20_000) }
  }

  /// Writes down what a unit is about to make.
  ///
  /// `name`: of its first item; `paths`: of its outputs.
  ///
  /// - Throws: `ItemError` where a file that is not ours has an output's name, or one of another picture
  ///   with the name of this one, as where the clock was put back.
  func order(_ unit: Int, of name: Path, _ paths: [Path]) throws(ItemError) -> UnitOrder {
    self.paths[unit] = paths
    var order = UnitOrder(outputs: [])
    do throws(DatabaseError) {
      if let fault { throw fault }
      for path in paths {
        guard let output = try self.order(path, of: name) else {
          order.outputs = []
          break
        }
        order.outputs.append(output)
      }
      for (path, output) in zip(paths, order.outputs) where output.isClaimed(in: order) {
        try ledger.claim(path)
      }
      try ledger.flush()
    } catch {
      // Nothing may be made that was not written down before. The answer will end the run.
      fault = error
      return UnitOrder(inputsAreKnown: true, outputs: paths.map { _ in OutputOrder(isLeft: true) })
    }
    if order.outputs.count < paths.count { throw .exists(paths[order.outputs.count]) }
    return order
  }

  /// Nil where something stands under the name that is not ours.
  private func order(_ path: Path, of name: Path) throws(DatabaseError) -> OutputOrder? {
    guard let row = try ledger.output(path) else { return judge.orderOfUnknown(path) }
    // Pictures of one run may share a path, as that of the latest.
    if row.claim == ledger.run { return OutputOrder(reason: .new, mayReplace: true) }
    if !isForced, row.run != ledger.run, try ledger.unit(row.unit)?.inputs.first?.path == name {
      return nil
    }
    return judge.order(path, row, .new)
  }

  /// Writes down what has become of a unit.
  ///
  /// `names`: of its items.
  ///
  /// - Returns: why the run cannot go on.
  func record(_ result: UnitResult, _ names: [Path]) -> RunStop? {
    let paths = paths.removeValue(forKey: result.id) ?? []
    do throws(DatabaseError) {
      if let fault { throw fault }
      if let error = result.error {
        try fail(error, names, paths)
      } else if let findings = result.findings {
        try remember(result, findings, names, paths)
      }
      return nil
    } catch {
      fault = error
      return LedgerKeeper.stop(error)
    }
  }

  private func fail(
    _ error: ItemError,
    _ names: [Path],
    _ paths: [Path]
  ) throws(DatabaseError) {
    if error.code.isOfUnknownOutcome {
      // What it has made of the picture is all there will ever be.
      for path in paths {
        try ledger.settleClaim(path, found: judge.stamp(of: path), isLast: true)
      }
    }
    guard let first = names.first else { return }
    try ledger.addFailure(
      LedgerFailure(root: Path(""), path: first, others: names.count - 1, error: error)
    )
  }

  private func remember(
    _ result: UnitResult,
    _ findings: UnitFindings,
    _ names: [Path],
    _ paths: [Path]
  ) throws(DatabaseError) {
    // Below no root: nothing says that a picture is gone which was never there to stay.
    let inputs = zip(names, findings.inputs).map { name, finding in
      LedgerInput(root: Path(""), path: name, stamp: nil, digest: finding.digest)
    }
    let unit = LedgerUnit(
      id: 0,
      inputs: inputs,
      beside: [],
      reason: result.reason,
      notes: result.notes
    )
    let id = try ledger.put(unit, seconds: result.seconds, now: Int(time(nil)))
    var known: [LedgerOutput?] = []
    for path in paths { known.append(try ledger.output(path)) }
    try ledger.put(
      findings.outputs,
      result.outputs,
      at: paths,
      known: known,
      of: id,
      // There is nothing that an output could still be good for.
      inputsAreChanged: false,
      &recipes
    )
  }

  /// After the last result.
  ///
  /// - Returns: why the ledger could not be brought to its end, where that is news.
  func end(_ stop: RunStop?, _ tally: Tally) -> RunStop? {
    guard fault == nil else { return nil }
    do throws(DatabaseError) {
      try ledger.end(tally)
      return nil
    } catch {
      fault = error
      return stop == nil ? LedgerKeeper.stop(error) : nil
    }
  }
}
