import Glibc
import MinilabKit

/// Holds the units of a plan against the ledger and the files that are there: what is to be made, and
/// why.
///
/// Looks at names and at files' records only; what looks changed is for a worker to look at.
struct UnitJudge {
  let plan: Plan
  let ledger: Ledger
  let root: Path
  /// The key of each output of the profile, as a number; nil where nothing was made by it yet.
  let recipes: [Int?]
  let notes: NotePolicy
  var force = false
  var isRebuilding = false
  /// The roots of the plan's inputs without links on the way.
  let inputRoots: InputRoots

  enum Verdict {
    case open(UnitOrder)
    case skipped(SkipReason, [OutputRecord])
    /// A file that is not ours has an output's name.
    case exists(Path)
  }

  /// What the ledger knows of a unit.
  struct Known {
    var outputs: [LedgerOutput?]
    var unit: LedgerUnit?
  }

  func known(_ paths: [Path]) throws(DatabaseError) -> Known {
    var known = Known(outputs: [], unit: nil)
    for path in paths { known.outputs.append(try ledger.output(path)) }
    if let id = known.outputs.lazy.compactMap({ $0?.unit }).first(where: { $0 != 0 }) {
      known.unit = try ledger.unit(id)
    }
    return known
  }

  func judge(_ index: Int) throws(DatabaseError) -> Verdict {
    let paths = plan.outputs(at: index)
    let known = try known(paths)
    let inputs = known.unit.map { state(of: $0, index) } ?? .changed
    var order = UnitOrder(outputs: [])
    switch inputs {
    case .same: order.inputsAreKnown = true
    case .changed: break
    case .doubtful(let digests): order.inputs = digests
    }
    let isForbidden =
      known.unit.map { !notes.forbid.isEmpty && notes.fault(in: $0.notes) != nil } ?? false
    for (place, path) in paths.enumerated() {
      guard let row = known.outputs[place], row.state != .begun || row.claim != ledger.run else {
        guard let new = orderOfUnknown(path) else { return .exists(path) }
        order.outputs.append(new)
        continue
      }
      var reason: MakingReason?
      if force {
        reason = .forced
      } else if row.state == .begun {
        reason = .new
      } else if inputs.areChanged || row.unit != known.unit?.id {
        reason = .inputChanged
      } else if row.recipe == 0 || row.recipe != recipes[place % recipes.count] || isForbidden {
        reason = .profileChanged
      }
      guard let next = self.order(path, row, reason) else { return .exists(path) }
      order.outputs.append(next)
    }
    if order.outputs.allSatisfy(\.isNothing), case .same = inputs {
      return .skipped(reason(known), known.outputs.compactMap { $0?.record })
    }
    return .open(order)
  }

  private func reason(_ known: Known) -> SkipReason {
    let states = known.outputs.compactMap { $0?.state }
    if states.contains(.altered) { return .altered }
    if states.allSatisfy({ $0 == .leftOut }), let reason = known.unit?.reason { return reason }
    return .upToDate
  }

  // MARK: Outputs

  /// Nil where something stands under the name that is not ours.
  private func orderOfUnknown(_ path: Path) -> OutputOrder? {
    guard status(of: path) != nil else { return OutputOrder(reason: .new) }
    if force { return OutputOrder(reason: .forced, mayReplace: true) }
    return isRebuilding ? OutputOrder(reason: .new, mustEqual: true) : nil
  }

  /// Nil where something stands under the name that is not ours.
  private func order(_ path: Path, _ row: LedgerOutput, _ reason: MakingReason?) -> OutputOrder? {
    // What this run has written down of its own intentions tells nothing of the file.
    let isClaimed = row.claim.map { $0 != ledger.run } ?? false
    guard let status = status(of: path) else {
      if row.state == .leftOut, reason == nil { return OutputOrder() }
      return OutputOrder(reason: reason ?? .outputMissing)
    }
    if row.state == .leftOut, FileStamp(status) == row.stamp {
      // Made before it was left out.
      return OutputOrder(reason: reason, mayReplace: true)
    }
    if row.state == .leftOut || row.state == .begun {
      if isClaimed { return OutputOrder(reason: .unfinished, mayReplace: true) }
      if row.state == .leftOut, reason == nil { return OutputOrder() }
      return force ? OutputOrder(reason: .forced, mayReplace: true) : nil
    }
    if force { return OutputOrder(reason: .forced, mayReplace: true) }
    let isDoubtful = ledger.brokenRuns[row.run] == true
    if FileStamp(status) == row.stamp, !isDoubtful || row.state == .altered {
      if row.state == .altered { return OutputOrder(isLeft: true) }
      return OutputOrder(reason: reason, mayReplace: true)
    }
    // Given its name by a run that has not come to write that down.
    if isClaimed { return OutputOrder(reason: reason ?? .unfinished, mayReplace: true) }
    let look = OutputOrder.Look(
      known: [row.digest, row.previous].compactMap { $0 },
      isDoubtful: ledger.brokenRuns[row.run] != nil,
      mayBeOurs: ledger.brokenRuns.keys.contains { $0 > row.run }
    )
    return OutputOrder(reason: reason, look: look, mayReplace: true)
  }

  /// Of what stands under an output's name, a link as such; nil where nothing does.
  private func status(of path: Path) -> stat? {
    var status = stat()
    return root.appending(path).withCString { lstat($0, &status) } == 0 ? status : nil
  }

  // MARK: Inputs

  private enum InputState {
    case same
    case changed
    /// These look changed; by their places, what they were.
    case doubtful([Int: ContentDigest])

    var areChanged: Bool {
      if case .changed = self { true } else { false }
    }
  }

  private func state(of unit: LedgerUnit, _ index: Int) -> InputState {
    let items = plan.units.items(of: index)
    guard items.count == unit.inputs.count else { return .changed }
    var doubtful: [Int: ContentDigest] = [:]
    for (place, (item, known)) in zip(items, unit.inputs).enumerated() {
      let path = plan.items.relativePath(at: item)
      // Its name can be part of the picture, as in a caption.
      guard path.lastComponent == known.path.lastComponent else { return .changed }
      let stamp = (try? fileStatus(of: plan.items.path(at: item))).map(FileStamp.init)
      if let stamp, stamp == known.stamp, path == known.path,
        inputRoots.path(of: item, in: plan) == known.root
      {
        continue
      }
      guard let digest = known.digest, stamp != nil else { return .changed }
      doubtful[place] = digest
    }
    for file in unit.beside {
      let stamp = (try? fileStatus(of: file.path)).map(FileStamp.init)
      // Which of two files is older may have decided: then their times count, and not only contents.
      if stamp != file.stamp || !doubtful.isEmpty { return .changed }
    }
    return doubtful.isEmpty ? .same : .doubtful(doubtful)
  }
}

extension OutputOrder {
  /// There is nothing to be done, and nothing to be looked at.
  var isNothing: Bool { reason == nil && look == nil }
}

/// The roots of a plan's inputs without links on the way, each asked for once.
struct InputRoots {
  private let paths: [Path]

  init(of plan: Plan) {
    paths = plan.items.roots.map { root in
      (try? realPath(root.path)).map { Path(bytes: $0) } ?? root.path
    }
  }

  func path(of item: Int, in plan: Plan) -> Path { paths[plan.items.rootNumber(at: item)] }
}
