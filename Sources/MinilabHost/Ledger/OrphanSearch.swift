import MinilabKit

/// Finds outputs under paths that a profile no longer gives, when what its paths follow from has
/// changed since the last whole run.
///
/// A run that changes nothing about paths pays with one question. After a change the paths of the plan are
/// held against those of the ledger: as hashes, 8 bytes each. What a file is to one run it may not be to
/// another, over other folders or by another profile: who changes what files are lets all others look again.
struct OrphanSearch {
  private let plan: Plan
  private let ledger: Ledger
  private let inputRoots: InputRoots
  private let profile: Path
  /// The numbers of all that the profile has made before.
  private let recipes: Set<Int>
  private let layouts: [String: ContentDigest]
  /// What was remembered in their place.
  private let known: [String: ContentDigest]
  /// Something about paths has changed since there are results of the profile.
  private let isNeeded: Bool
  /// The output paths of the plan.
  private let outputs: SortedHashes
  private let hash = PathHash()

  init(_ keeper: LedgerKeeper) throws(DatabaseError) {
    plan = keeper.plan
    ledger = keeper.ledger
    inputRoots = keeper.judge.inputRoots
    profile = ledger.start?.profile ?? keeper.profile.file
    let roots = Self.mark + Self.digest(of: inputRoots, in: plan).description
    layouts = Self.layouts(of: keeper.profile, in: plan, roots)
    // Runs over other folders have paths of their own.
    known = try ledger.layouts(of: profile).filter { name, _ in
      !name.contains(Self.mark) || name.hasSuffix(roots)
    }
    recipes = try keeper.recipes.all(in: ledger)
    isNeeded = known != layouts
    // Where nothing was made before, nothing can stand under paths of old.
    outputs = isNeeded && !recipes.isEmpty ? Self.outputs(of: plan, hash) : SortedHashes([])
  }

  /// Before anything is made: what was an orphan may become an output again.
  func begin() throws {
    guard isNeeded else { return }
    for name in known.keys { try ledger.forgetLayout(name, of: profile) }
    let returning = try ledger.orphans().filter { path, recipe in
      recipes.contains(recipe) && outputs.contains(hash.hash(path.bytes))
    }
    if !returning.isEmpty { try ledger.forgetLayouts() }
    for (path, _) in returning { try ledger.removeOrphan(path) }
  }

  /// After all was made.
  ///
  /// - Returns: how many there are.
  func end() throws -> Int {
    guard isNeeded else { return 0 }
    let count = recipes.isEmpty ? 0 : try mark()
    try ledger.setLayouts(layouts, of: profile)
    return count
  }

  private func mark() throws -> Int {
    let inputs = inputs()
    var count = 0
    var rows: [(Path, LedgerOutput)] = []
    var after = Path("")
    repeat {
      rows = try ledger.outputs(after: after, atMost: 1000)
      for (path, output) in rows
      where recipes.contains(output.recipe) && !outputs.contains(hash.hash(path.bytes)) {
        // Of what the plan says nothing of, it says nothing: a run may be one over some of the pictures.
        guard let unit = try ledger.unit(output.unit), unit.inputs.contains(where: inputs.contains)
        else { continue }
        if count == 0 { try ledger.forgetLayouts() }
        try ledger.addOrphan(path, output.recipe)
        count += 1
      }
      after = rows.last?.0 ?? after
    } while !rows.isEmpty
    return count
  }

  /// The pictures of the units that the plan has outputs of.
  private func inputs() -> PlannedInputs {
    var found: [UInt64] = []
    found.reserveCapacity(plan.count)
    for index in 0..<plan.count where plan.fate(at: index) == nil {
      for item in plan.units.items(of: index) {
        let root = inputRoots.path(of: item, in: plan)
        found.append(PlannedInputs.hash(root, plan.items.relativePath(at: item)))
      }
    }
    return PlannedInputs(hashes: SortedHashes(found))
  }

  private static func outputs(of plan: Plan, _ hash: PathHash) -> SortedHashes {
    var found: [UInt64] = []
    found.reserveCapacity(plan.count * plan.recipes.count)
    for index in 0..<plan.count {
      for path in plan.outputs(at: index) { found.append(hash.hash(path.bytes)) }
    }
    return SortedHashes(found)
  }

  // MARK: What paths follow from

  /// What the paths of each output follow from, beside the names of the inputs.
  ///
  /// By the outputs' names; `roots`: what is put behind these where paths follow from more than names.
  private static func layouts(
    of profile: Profile,
    in plan: Plan,
    _ roots: String
  ) -> [String: ContentDigest] {
    let nodes = profile.node["output"]?.items ?? []
    let areByNames = plan.recipes.indices.map(plan.givesPathsByNames)
    let paths = areByNames.contains(false) ? paths(in: plan) : []
    var layouts: [String: ContentDigest] = [:]
    for (index, output) in profile.outputs.enumerated() {
      layouts[output.name + (areByNames[index] ? "" : roots)] = ContentDigest { state in
        if index < nodes.count, case .string(let text)? = nodes[index]["path"]?.value {
          state.add(text)
        }
        state.add(output.settings.format?.rawValue ?? "")
        state.add(profile.input.pages.rawValue)
        state.add(profile.input.clash.rawValue)
        if let gather = profile.node["gather"] { state.add("\(gather.value)") }
        if !areByNames[index] { state.add("\(paths[index])") }
      }
    }
    return layouts
  }

  /// In no output's name.
  private static let mark = "\n"

  private static func digest(of roots: InputRoots, in plan: Plan) -> ContentDigest {
    ContentDigest { state in
      for path in Set(plan.items.roots.indices.map(roots.path)).sorted() { state.add(path.bytes) }
    }
  }

  /// Of each output a hash of all of its paths, in their order.
  private static func paths(in plan: Plan) -> [UInt64] {
    let hash = PathHash()
    var sums = Array(repeating: UInt64(0), count: plan.recipes.count)
    for index in 0..<plan.count {
      for (place, path) in plan.outputs(at: index).enumerated() {
        // Any odd number: which places paths have makes a difference.
        let output = place % sums.count
        sums[output] = sums[output] &* 0x9e37_79b9_7f4a_7c15 &+ hash.hash(path.bytes)
      }
    }
    return sums
  }
}

extension Plan {
  /// The paths of an output follow from the names of its inputs alone: neither from what is in these, nor
  /// from which others there are.
  fileprivate func givesPathsByNames(output: Int) -> Bool {
    let recipe = recipes[output]
    let isOfName = recipe.path.parts.allSatisfy { part in
      switch part {
      case .bytes, .variable(.dir), .variable(.stem), .variable(.root), .variable(.output): true
      case .variable(.ext): recipe.format != nil
      case .variable: false
      }
    }
    return isOfName && !isGathered && !pages.splitsPages && clash == .error
  }
}

/// Pictures that a plan has outputs of.
private struct PlannedInputs {
  let hashes: SortedHashes

  /// A path below another root has other paths of outputs, though the file may be the same.
  static func hash(_ root: Path, _ path: Path) -> UInt64 {
    PathHash().hash(root.bytes + [0] + path.bytes)
  }

  func contains(_ input: LedgerInput) -> Bool {
    hashes.contains(Self.hash(input.root, input.path))
  }
}

/// A set of hashes that takes 8 bytes each.
private struct SortedHashes {
  private let sorted: [UInt64]

  init(_ hashes: [UInt64]) { sorted = hashes.sorted() }

  func contains(_ hash: UInt64) -> Bool {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < hash { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == hash
  }
}
