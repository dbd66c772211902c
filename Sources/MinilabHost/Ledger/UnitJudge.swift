import Glibc
import MinilabKit

/// Holds the units of a plan against the ledger and the files that are there: what is to be made, and
/// why.
///
/// Looks at names and at files' records only; what looks changed is for a worker to look at.
struct UnitJudge {
  let plan: Plan
  let outputs: OutputJudge
  var recipes: Recipes
  let notes: NotePolicy
  /// The roots of the plan's inputs without links on the way.
  let inputRoots: InputRoots

  var ledger: Ledger { outputs.ledger }

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
        guard let new = outputs.orderOfUnknown(path) else { return .exists(path) }
        order.outputs.append(new)
        continue
      }
      var reason: MakingReason?
      if outputs.force {
        reason = .forced
      } else if row.state == .begun {
        reason = .new
      } else if inputs.areChanged || row.unit != known.unit?.id {
        reason = .inputChanged
      } else if !recipes.isCurrent(row.recipe, at: place) || isForbidden {
        reason = .profileChanged
      }
      guard var next = outputs.order(path, row, reason) else { return .exists(path) }
      if !outputs.force, next.mayReplace, !next.isNothing || inputs.mayBeChanged {
        next.origin = try origin(of: row, at: path, known.unit, index)
      }
      if next.origin != nil { order.inputsAreKnown = false }
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

  /// What an output was made of, where that is no former state of its inputs.
  private func origin(
    of row: LedgerOutput,
    at path: Path,
    _ known: LedgerUnit?,
    _ index: Int
  ) throws(DatabaseError) -> OutputOrigin? {
    if row.claim.map({ $0 != ledger.run }) ?? false, row.isOfClaim(found: outputs.stamp(of: path)) {
      // What the ledger knows is of the file that was there before.
      return nil
    }
    guard let unit = try row.unit == known?.id ? known : ledger.unit(row.unit) else { return nil }
    return OutputOrigin(unit, replacedBy: plan.units.items(of: index).map { input($0) })
  }

  // MARK: Inputs

  /// An item of the plan, as the ledger names it.
  func input(_ item: Int) -> LedgerInput {
    LedgerInput(root: inputRoots.path(of: item, in: plan), path: plan.items.relativePath(at: item))
  }

  private enum InputState {
    case same
    case changed
    /// These look changed; by their places, what they were.
    case doubtful([Int: ContentDigest])

    var areChanged: Bool {
      if case .changed = self { true } else { false }
    }
    var mayBeChanged: Bool {
      if case .same = self { false } else { true }
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

  func path(of item: Int, in plan: Plan) -> Path { path(plan.items.rootNumber(at: item)) }

  /// By its number.
  func path(_ root: Int) -> Path { paths[root] }
}
