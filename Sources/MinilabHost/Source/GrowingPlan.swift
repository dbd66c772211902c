import MinilabKit

/// The units of a run whose items are made while it goes on.
///
/// What is done is forgotten: a run of a year takes no more memory than one of a minute.
final class GrowingPlan: GrowingSource {
  /// A unit that is not done.
  struct Unit {
    var items: [CapturedItem]
    /// How many items it should have, where it has fewer.
    var wanted: Int?
  }

  private let profile: Profile
  private let recipes: [Plan.Recipe]
  /// What `{root}` stands for.
  private let root: [UInt8]
  /// Where captured files are, as they are opened.
  private let folder: Path
  /// How many items there will be where nothing goes wrong.
  private let total: Int
  /// Told of a unit that no worker can be given.
  private let refuse: (Int, ItemError) -> Void
  /// What a ledger makes of a unit's output paths.
  private let order: (Int, Path, [Path]) throws(ItemError) -> UnitOrder?

  private(set) var open: [Int: Unit] = [:]
  /// Items of a group that is not complete.
  private(set) var gathering: [CapturedItem] = []
  private var nextUnit = 0
  private var tasks: [Int: Work] = [:]
  private(set) var count = 0
  private var probing = 0
  private var hasEnded = false

  /// - Parameters:
  ///   - profile: with a source.
  ///   - name: of the source.
  ///   - total: how many items it will make.
  ///   - output: the output root.
  ///   - order: is asked what a ledger makes of a unit's first item and output paths.
  ///   - refuse: is told of a unit that no worker can be given.
  init(
    _ profile: Profile,
    name: String,
    total: Int,
    output: Path,
    order: @escaping (Int, Path, [Path]) throws(ItemError) -> UnitOrder? = { _, _, _ in nil },
    refuse: @escaping (Int, ItemError) -> Void
  ) {
    self.profile = profile
    self.total = total
    self.refuse = refuse
    self.order = order
    recipes = Plan.recipes(of: profile)
    root = Array(name.utf8)
    folder = output.appending(CapturedFiles.place)
  }

  // MARK: Asking

  /// How many units there will be, as far as one can tell.
  var expectedCount: Int {
    switch profile.gather?.by {
    case nil: total
    case .count(let count)?: total / count + (total % count > 0 ? 1 : 0)
    case .all?, .folder?: 1
    case .pattern?: hasEnded ? nextUnit : max(1, nextUnit)
    }
  }

  /// Items of units that could be worked on and are not done.
  var waitingCount: Int { open.values.reduce(0) { $0 + $1.items.count } }

  /// The name of a unit's first item.
  func name(of unit: Int) -> Path { open[unit]?.items.first?.name ?? Path("") }

  /// The names of a gathered unit's items.
  func names(of unit: Int) -> [Path] {
    profile.gather == nil ? [] : (open[unit]?.items ?? []).map(\.name)
  }

  // MARK: Growing

  func add(_ item: CapturedItem) {
    gathering.append(item)
    switch profile.gather?.by {
    case nil: form(1)
    case .count(let count)?: if gathering.count == count { form(count) }
    case .all?, .folder?, .pattern?: break
    }
  }

  /// No more items will come.
  ///
  /// - Returns: items that are in no group.
  func end() -> [CapturedItem] {
    hasEnded = true
    var outside: [CapturedItem] = []
    switch profile.gather?.by {
    case nil: break
    case .count(let count)?: if !gathering.isEmpty { form(count) }
    case .all?, .folder?: if !gathering.isEmpty { form(total) }
    case .pattern(let pattern)?:
      var order: [[UInt8]] = []
      var groups: [[UInt8]: [CapturedItem]] = [:]
      for item in gathering {
        guard let text = captured(pattern, item) else {
          outside.append(item)
          continue
        }
        if groups[text] == nil { order.append(text) }
        groups[text, default: []].append(item)
      }
      for text in order {
        gathering = groups[text] ?? []
        form(gathering.count)
      }
      gathering = []
    }
    return outside
  }

  private func captured(_ pattern: GroupPattern, _ item: CapturedItem) -> [UInt8]? {
    // A pattern that takes too many steps matches nothing.
    (try? pattern.bytes.capture(in: item.name.bytes)) ?? nil
  }

  /// Makes a unit of what was gathered.
  private func form(_ wanted: Int) {
    let unit = Unit(
      items: gathering,
      wanted: gathering.count < wanted ? wanted : nil
    )
    gathering = []
    let index = nextUnit
    nextUnit += 1
    open[index] = unit
    if recipes.contains(where: \.path.needsSize) {
      probing += 1
      add(.probe([probe(unit, index)]))
    } else {
      plan(unit, index, sizes: [])
    }
  }

  private func add(_ work: Work) {
    tasks[count] = work
    count += 1
  }

  /// Takes the sizes that paths ask for.
  func learn(_ result: ProbeResult) {
    probing -= 1
    guard let unit = open[result.id] else { return }
    if let error = result.error {
      refuse(result.id, error)
    } else {
      plan(unit, result.id, sizes: result.sizes)
    }
  }

  /// A unit needs no path after all.
  func forget(_ result: ProbeResult) { probing -= 1 }

  /// A unit is done; it is forgotten.
  func close(_ index: Int) -> Unit? { open.removeValue(forKey: index) }

  // MARK: Handing out

  var mayGrow: Bool { !hasEnded || probing > 0 }

  func take(_ index: Int) -> Work? { tasks.removeValue(forKey: index) }

  private func plan(_ unit: Unit, _ index: Int, sizes: [PlannedSize?]) {
    guard let first = unit.items.first else { return }
    do throws(ItemError) {
      let outputs = try recipes.enumerated().map { place, recipe throws(ItemError) in
        try path(of: recipe, unit, index, place < sizes.count ? sizes[place] : nil)
      }
      add(
        .unit(
          UnitRequest(
            id: index,
            input: folder.appending(first.name),
            format: first.format,
            outputs: outputs,
            group: group(unit),
            captured: first.facts,
            order: try order(index, first.name, outputs)
          )
        )
      )
    } catch {
      refuse(index, error)
    }
  }

  private func path(
    of recipe: Plan.Recipe,
    _ unit: Unit,
    _ index: Int,
    _ size: PlannedSize?
  ) throws(ItemError) -> Path {
    guard let first = unit.items.first else { return Path("") }
    return try recipe.path.fill(
      PathValues(
        folder: [],
        name: first.name.bytes,
        format: recipe.format ?? first.format,
        output: recipe.name,
        index: index + 1,
        root: root,
        size: size,
        clock: first.taken,
        group: groupName(first, index)
      )
    )
  }

  private func groupName(_ first: CapturedItem, _ index: Int) -> [UInt8] {
    switch profile.gather?.by {
    case nil: []
    case .all?, .count?: Array(String(index + 1).utf8)
    case .folder?: root
    case .pattern(let pattern)?: captured(pattern, first) ?? []
    }
  }

  private func probe(_ unit: Unit, _ index: Int) -> ProbeRequest {
    let first = unit.items[0]
    return ProbeRequest(
      id: index,
      input: folder.appending(first.name),
      format: first.format,
      group: group(unit),
      captured: first.facts
    )
  }

  private func group(_ unit: Unit) -> GroupRequest? {
    guard profile.gather != nil else { return nil }
    let members = unit.items.map { item in
      GroupMember(
        input: folder.appending(item.name),
        rootLength: folder.bytes.count + 1,
        format: item.format,
        captured: item.facts
      )
    }
    return GroupRequest(members: members, wanted: unit.wanted)
  }
}
