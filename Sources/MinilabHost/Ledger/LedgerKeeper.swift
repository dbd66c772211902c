import MinilabKit

/// The ledger's part in a run: says what is to be made, writes down what is about to be, and then what
/// has become of it.
final class LedgerKeeper: UnitSource, PlanHolder {
  let plan: Plan
  var ledger: Ledger
  var judge: UnitJudge
  let profile: Profile
  var recipes: Recipes {
    get { judge.recipes }
    set { judge.recipes = newValue }
  }
  private enum Door: UInt8 {
    case open
    /// No worker has to see it.
    case closed
    /// Nor this one, by what the ledger says.
    case passedOver
  }

  /// Of each unit.
  private var doors: [Door]
  /// Units whose outputs were written down as about to be made: all before this one.
  private var claimed = 0
  let hadFailures: Bool
  /// Units of which a ledger that turned out to be damaged has told; empty where none has.
  private var reported: Set<Int> = []
  /// Why the ledger cannot be written.
  var fault: DatabaseError?
  /// How many outputs stand under paths that the profile has ceased to give, as far as that is news.
  var orphanCount = 0

  /// How many units are claimed at once: each time the disk is waited for.
  private static let window = 256

  init(
    _ plan: Plan,
    of profile: Profile,
    below root: Path,
    _ ledger: Ledger,
    force: Bool
  ) throws {
    self.plan = plan
    self.ledger = ledger
    self.profile = profile
    judge = UnitJudge(
      plan: plan,
      outputs: OutputJudge(
        ledger: ledger,
        root: root,
        force: force,
        isRebuilding: try ledger.isRebuilding
      ),
      recipes: try Recipes(profile, ledger),
      notes: profile.notes,
      inputRoots: InputRoots(of: plan)
    )
    doors = Array(repeating: .open, count: plan.count)
    hadFailures = try ledger.hasFailures
  }

  /// Goes on with a new ledger, as the one there was is damaged, or with the same one, opened again.
  ///
  /// What was passed over is judged again, and not told of twice.
  func begin(anew ledger: Ledger) throws(DatabaseError) {
    self.ledger = ledger
    var recipes = judge.recipes
    try recipes.look(in: ledger)
    judge = UnitJudge(
      plan: plan,
      outputs: OutputJudge(
        ledger: ledger,
        root: judge.outputs.root,
        force: judge.outputs.force,
        isRebuilding: try ledger.isRebuilding
      ),
      recipes: recipes,
      notes: judge.notes,
      inputRoots: judge.inputRoots
    )
    for index in doors.indices where doors[index] == .passedOver {
      reported.insert(index)
      doors[index] = .open
    }
  }

  func wasReported(_ index: Int) -> Bool { reported.contains(index) }

  // MARK: Before the run

  /// Leaves out all but what has failed in the last run.
  ///
  /// - Returns: how many units that leaves.
  func keepOnlyFailed() throws(DatabaseError) -> Int {
    var count = 0
    for index in 0..<plan.count {
      let input = input(plan.firstItem(of: index))
      if try ledger.hasFailed(root: input.root, input.path) {
        count += 1
      } else {
        doors[index] = .closed
      }
    }
    return count
  }

  /// Passes over what is up to date.
  ///
  /// `report` is what a run tells of a unit that no worker has to see; a reason that it gives back ends
  /// this.
  func close(_ report: (_ index: Int, ItemReport) throws -> RunStop?) throws -> RunStop? {
    for index in 0..<plan.count where doors[index] == .open {
      let item: ItemReport?
      if let fate = plan.fate(at: index) {
        item = plan.report(index, fate)
      } else {
        item = try closed(index)
      }
      guard let item else { continue }
      let isPassedOver = plan.fate(at: index) == nil && item.status == .skipped
      doors[index] = isPassedOver ? .passedOver : .closed
      if isPassedOver, recipes.mayBeForeign { try adopt(index) }
      if let stop = try report(index, item) { return stop }
    }
    return nil
  }

  /// What another profile, or this one under another name, has made by the same keys is this one's now.
  private func adopt(_ index: Int) throws(DatabaseError) {
    for (place, path) in plan.outputs(at: index).enumerated() {
      guard var row = try ledger.output(path), recipes.isForeign(row.recipe, at: place) else {
        continue
      }
      row.recipe = try recipes.number(at: place, in: ledger)
      try ledger.put(path, row)
    }
  }

  /// What is told of a unit that no worker has to see; nil of any other.
  func closed(_ index: Int) throws(DatabaseError) -> ItemReport? {
    var report = ItemReport(
      input: plan.input(at: index),
      inputs: plan.inputs(at: index),
      status: .skipped
    )
    switch try judge.judge(index) {
    case .open: return nil
    case .skipped(let reason, let outputs):
      report.reason = reason
      report.outputs = outputs
    case .exists(let path):
      report.status = .failed
      report.error = .exists(path)
    }
    return report
  }

  // MARK: Units

  var count: Int { plan.count }
  var openCount: Int { doors.count { $0 == .open } }
  var averageLength: Int { plan.averageLength }
  func isOpen(at index: Int) -> Bool { doors[index] == .open }
  func file(at index: Int) -> FileHint? { plan.file(at: index) }
  func probe(at index: Int) -> ProbeRequest? { isOpen(at: index) ? plan.probe(at: index) : nil }

  /// No worker has to see it.
  func close(_ index: Int) { doors[index] = .closed }

  func unit(at index: Int) -> UnitRequest? {
    guard var unit = plan.unit(at: index) else { return nil }
    do throws(DatabaseError) {
      // The first is the one to tell of: what is asked of a ledger that has failed once fails anyhow.
      if let fault { throw fault }
      // Units do not come in the order of the plan.
      while index >= claimed { try claim(from: claimed) }
      unit.order = try order(index, unit.outputs)
    } catch {
      // Nothing may be made that was not written down before. The answer will end the run.
      fault = error
      unit.order = UnitOrder(
        inputsAreKnown: true,
        outputs: unit.outputs.map { _ in OutputOrder(isLeft: true) }
      )
    }
    return unit
  }

  /// What has changed since the units were passed over is the worker's to find.
  private func order(_ index: Int, _ outputs: [Path]) throws(DatabaseError) -> UnitOrder {
    switch try judge.judge(index) {
    case .open(let order): order
    case .skipped: UnitOrder(inputsAreKnown: true, outputs: outputs.map { _ in OutputOrder() })
    case .exists: UnitOrder(outputs: outputs.map { _ in OutputOrder(reason: .new) })
    }
  }

  /// Writes down what the next units are about to make, and waits for the disk.
  private func claim(from first: Int) throws(DatabaseError) {
    var count = 0
    var index = first
    while index < plan.count, count < Self.window {
      if doors[index] == .open, case .open(let order) = try judge.judge(index) {
        for (path, output) in zip(plan.outputs(at: index), order.outputs)
        where output.isClaimed(in: order) {
          try ledger.claim(path)
        }
        count += 1
      }
      index += 1
    }
    try ledger.flush()
    claimed = index
  }

  func input(_ item: Int) -> LedgerInput { judge.input(item) }
}

extension OutputOrder {
  /// A file may come to its name.
  ///
  /// One that somebody may have changed is looked at first, and what is
  /// unknown is none of ours.
  func isClaimed(in order: UnitOrder) -> Bool {
    if isLeft || look != nil || mustEqual { return false }
    return reason != nil || !order.inputs.isEmpty
  }
}
