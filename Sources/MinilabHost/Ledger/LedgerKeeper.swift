import Glibc
import MinilabKit

/// The ledger's part in a run: says what is to be made, writes down what is about to be, and then what
/// has become of it.
final class LedgerKeeper: UnitSource {
  private let plan: Plan
  private var ledger: Ledger
  private var judge: UnitJudge
  private let profile: Profile
  private let keys: [ContentDigest]
  /// The numbers of the keys, once something was made by them.
  private var recipes: [Int?]
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
  private let hadFailures: Bool
  /// Units of which a ledger that turned out to be damaged has told; empty where none has.
  private var reported: Set<Int> = []
  /// Why the ledger cannot be written.
  private(set) var fault: DatabaseError?

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
    keys = OutputKeys.keys(of: profile)
    let file = ledger.start?.profile ?? profile.file
    var recipes: [Int?] = []
    for (key, output) in zip(keys, profile.outputs) {
      recipes.append(try ledger.recipe(key, file, output.name))
    }
    self.recipes = recipes
    judge = UnitJudge(
      plan: plan,
      ledger: ledger,
      root: root,
      recipes: recipes,
      notes: profile.notes,
      force: force,
      isRebuilding: try ledger.isRebuilding,
      inputRoots: InputRoots(of: plan)
    )
    doors = Array(repeating: .open, count: plan.count)
    hadFailures = try ledger.hasFailures
  }

  /// Goes on with a new ledger, as the one there was is damaged.
  ///
  /// What was passed over is made again, to be compared, and not told of twice.
  func begin(anew ledger: Ledger) throws(DatabaseError) {
    self.ledger = ledger
    recipes = keys.map { _ in nil }
    judge = UnitJudge(
      plan: plan,
      ledger: ledger,
      root: judge.root,
      recipes: recipes,
      notes: judge.notes,
      force: judge.force,
      isRebuilding: true,
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
      doors[index] = plan.fate(at: index) == nil && item.status == .skipped ? .passedOver : .closed
      if let stop = try report(index, item) { return stop }
    }
    return nil
  }

  private func closed(_ index: Int) throws(DatabaseError) -> ItemReport? {
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
  func probe(at index: Int) -> ProbeRequest? { plan.probe(at: index) }

  func unit(at index: Int) -> UnitRequest? {
    guard var unit = plan.unit(at: index) else { return nil }
    do {
      if index >= claimed { try claim(from: index) }
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

  // MARK: Results

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
  /// - Returns: why the ledger could not be brought to its end, where that is news.
  func end(_ stop: RunStop?, _ tally: Tally) -> RunStop? {
    guard fault == nil else { return nil }
    do throws(DatabaseError) {
      // All was compared that there is.
      if stop == nil, try ledger.isRebuilding { try ledger.setRebuilding(false) }
      try ledger.end(tally)
      return nil
    } catch {
      return stop == nil ? Self.stop(error) : nil
    }
  }

  static func stop(_ error: DatabaseError) -> RunStop {
    error.isDiskFull ? .diskFull : .ledgerFailed(error.text)
  }

  private func remember(_ result: UnitResult) throws(DatabaseError) {
    if let error = result.error {
      if error.code.isOfWorker {
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
    let records = Dictionary(result.outputs.map { ($0.path, $0) }) { first, _ in first }
    for (place, finding) in findings.outputs.enumerated() where place < paths.count {
      guard
        var row = try changed(known.outputs[place], finding, place, inputsAreChanged: isChanged)
      else { continue }
      row.unit = id
      if let record = records[paths[place]] { row.record = record }
      try ledger.put(paths[place], row)
    }
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

  /// What is remembered of an output; nil where nothing is to be changed.
  private func changed(
    _ row: LedgerOutput?,
    _ finding: OutputFinding,
    _ place: Int,
    inputsAreChanged: Bool
  ) throws(DatabaseError) -> LedgerOutput? {
    var next = row ?? LedgerOutput(state: .begun, unit: 0, recipe: 0, run: 0)
    let hasClaim = next.claim != nil
    next.claim = nil
    switch finding {
    case .made(let stamp, let digest, _):
      next.become(digest, stamp, try recipe(place))
    case .equal(let stamp, let digest):
      next.become(digest, stamp, try recipe(place))
    case .leftOut:
      // What was made before and is still there stays known.
      next.state = .leftOut
      next.recipe = try recipe(place)
    case .sound(let stamp):
      next.state = .made
      next.stamp = stamp
    case .altered(let stamp):
      next.state = .altered
      next.stamp = stamp
      if inputsAreChanged { next.recipe = 0 }
    case .kept:
      guard row != nil else { return nil }
      let isStale = inputsAreChanged && next.recipe != 0
      guard hasClaim || isStale else { return nil }
      if isStale { next.recipe = 0 }
      return next
    }
    next.run = ledger.run
    return next
  }

  private func recipe(_ place: Int) throws(DatabaseError) -> Int {
    let output = place % keys.count
    if let known = recipes[output] { return known }
    let file = ledger.start?.profile ?? profile.file
    let number = try ledger.addRecipe(keys[output], file, profile.outputs[output].name)
    recipes[output] = number
    return number
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

  private func input(_ item: Int) -> LedgerInput {
    LedgerInput(
      root: judge.inputRoots.path(of: item, in: plan),
      path: plan.items.relativePath(at: item)
    )
  }
}

extension LedgerOutput {
  fileprivate mutating func become(_ made: ContentDigest, _ stamp: FileStamp?, _ recipe: Int) {
    state = .made
    if digest != made { previous = digest }
    digest = made
    self.stamp = stamp
    self.recipe = recipe
  }
}

extension OutputOrder {
  /// A file may come to its name.
  ///
  /// One that somebody may have changed is looked at first, and what is
  /// unknown is none of ours.
  fileprivate func isClaimed(in order: UnitOrder) -> Bool {
    if isLeft || look != nil || mustEqual { return false }
    return reason != nil || !order.inputs.isEmpty
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
  /// Told by a worker's end, so that nobody knows how far it has come.
  fileprivate var isOfWorker: Bool {
    switch self {
    case .crashed, .outOfMemory, .timeout: true
    default: false
    }
  }
}
