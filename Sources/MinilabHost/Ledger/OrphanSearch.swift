import MinilabKit

/// Finds outputs under paths that a profile no longer gives, when what its paths follow from has
/// changed since the last whole run.
///
/// A run that changes nothing about paths pays with one question. After a change the paths of the plan are
/// held against those of the ledger: as hashes, 8 bytes each.
struct OrphanSearch {
  private let plan: Plan
  private let ledger: Ledger
  private let inputRoots: InputRoots
  private let profile: Path
  private let layouts: [String: ContentDigest]
  /// Something about paths has changed.
  let isNeeded: Bool
  /// Nothing was made by the profile before, so that nothing can stand under paths of old.
  private let isFirst: Bool
  private let hash = PathHash()

  init(_ keeper: LedgerKeeper) throws(DatabaseError) {
    plan = keeper.plan
    ledger = keeper.ledger
    inputRoots = keeper.judge.inputRoots
    profile = ledger.start?.profile ?? keeper.profile.file
    layouts = Self.layouts(of: keeper.profile)
    isNeeded = try ledger.layouts(of: profile) != layouts
    isFirst = try ledger.recipes(of: profile).isEmpty
  }

  /// Before anything is made: what was an orphan may become an output again.
  func begin() throws(DatabaseError) {
    if isNeeded { try ledger.forgetLayouts(of: profile) }
  }

  /// After all was made.
  ///
  /// - Returns: how many there are.
  func end() throws -> Int {
    guard isNeeded else { return 0 }
    let count = isFirst ? 0 : try mark()
    try ledger.setLayouts(layouts, of: profile)
    return count
  }

  private func mark() throws -> Int {
    let recipes = try ledger.recipes(of: profile)
    let (inputs, outputs) = hashes()
    var count = 0
    var rows: [(Path, LedgerOutput)] = []
    var after = Path("")
    repeat {
      rows = try ledger.outputs(after: after, atMost: 1000)
      for (path, output) in rows
      where recipes.contains(output.recipe) && !outputs.contains(hash.hash(path.bytes)) {
        guard let input = try ledger.unit(output.unit)?.inputs.first,
          inputs.contains(hash.hash(input.root.appending(input.path).bytes))
        else { continue }
        try ledger.addOrphan(path, output.recipe)
        count += 1
      }
      after = rows.last?.0 ?? after
    } while !rows.isEmpty
    return count
  }

  /// Of the inputs and the output paths of the plan.
  private func hashes() -> (inputs: SortedHashes, outputs: SortedHashes) {
    var inputs: [UInt64] = []
    var outputs: [UInt64] = []
    inputs.reserveCapacity(plan.count)
    outputs.reserveCapacity(plan.count * plan.recipes.count)
    for index in 0..<plan.count where plan.fate(at: index) == nil {
      let item = plan.firstItem(of: index)
      let root = inputRoots.path(of: item, in: plan)
      inputs.append(hash.hash(root.appending(plan.items.relativePath(at: item)).bytes))
      for path in plan.outputs(at: index) { outputs.append(hash.hash(path.bytes)) }
    }
    return (SortedHashes(inputs), SortedHashes(outputs))
  }

  /// What the paths of each output follow from, beside the inputs.
  private static func layouts(of profile: Profile) -> [String: ContentDigest] {
    let nodes = profile.node["output"]?.items ?? []
    var layouts: [String: ContentDigest] = [:]
    for (index, output) in profile.outputs.enumerated() {
      layouts[output.name] = ContentDigest { state in
        if index < nodes.count, case .string(let text)? = nodes[index]["path"]?.value {
          state.add(text)
        }
        state.add(output.settings.format?.rawValue ?? "")
        state.add(profile.input.pages.rawValue)
        state.add(profile.input.clash.rawValue)
        if let gather = profile.node["gather"] { state.add("\(gather.value)") }
      }
    }
    return layouts
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
