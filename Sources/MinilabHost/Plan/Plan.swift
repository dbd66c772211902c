import Glibc
import MinilabKit

/// The resolved list of units, made before any picture is opened.
///
/// Output paths are not kept: they follow from the plan and a unit's place in it.
///
/// A plan whose paths need headers (`{width}`, `{height}`, `{date}`) is made in three moves: the
/// walk, `learn` for the answer to each `probe(at:)`, and `settle`. Others are settled at once.
struct Plan: Sendable {
  /// How the file of one output is called and what it may be.
  struct Recipe: Sendable {
    var name: String
    var path: PathTemplate
    /// Nil: the input's.
    var format: PictureFormat?
    /// The formats that can be written here.
    var writable: Set<PictureFormat>
  }

  let leftOut: LeftOut
  let recipes: [Recipe]
  private(set) var items: ItemTable
  let units: Units
  /// Items are found in these, and below these: folders and files.
  private(set) var places: [Path] = []
  let gather: Gather?
  /// Units that no worker sees, but for items that have failed and are units of their own.
  private var fates: [Int: UnitFate] = [:]
  /// What headers tell of units.
  private(set) var pages: PageTable
  /// What was put behind a name that was taken, by slot.
  private var numbers: [Int: Int] = [:]
  let clash: ClashPolicy
  /// The output root, where its own place matters to the inputs.
  private let output: Path?
  /// Files of the profile, which no output may replace.
  private let files: [Path]
  private var isSettled = false

  /// Walks the inputs and, where no path needs a header, finds every clash.
  ///
  /// - Parameters:
  ///   - profile: What is opened, and where outputs go.
  ///   - inputs: Files and folders, as a person gave them.
  ///   - output: The output root; it need not exist yet.
  /// - Throws: `PlanError`; `nothingMatched` where there is no item at all.
  init(_ profile: Profile, inputs: [Path], output: Path) throws(PlanError) {
    let found = try Walk.run(inputs, profile.input, output: output)
    try self.init(
      found.items,
      found.leftOut,
      Self.recipes(of: profile),
      gather: profile.gather,
      clash: profile.input.clash,
      splitsPages: profile.input.pages == .split,
      output: output,
      files: profile.files
    )
    places = found.places
  }

  init(
    _ items: ItemTable,
    _ leftOut: LeftOut,
    _ recipes: [Recipe],
    gather: Gather? = nil,
    clash: ClashPolicy,
    splitsPages: Bool = false,
    output: Path? = nil,
    files: [Path] = [],
    hash: PathHash = PathHash()
  ) throws(PlanError) {
    self.items = items
    self.leftOut = leftOut
    self.recipes = recipes
    self.clash = clash
    self.output = output
    self.files = files
    self.gather = gather
    if items.count == 0 { throw .nothingMatched(leftOut) }
    units = try Units(items, gather)
    pages = PageTable(
      units: units.count,
      outputs: recipes.count,
      splitsPages: splitsPages,
      hasSizes: recipes.contains(where: \.path.needsSize)
    )
    for (index, fate) in earlyFates() { end(index, fate) }
    if recipes.contains(where: \.path.needsDate) { takeFileTimes() }
    if !needsHeaders { try settle(hash) }
  }

  static func recipes(of profile: Profile) -> [Recipe] {
    profile.outputs.map { output in
      Recipe(
        name: output.name,
        path: output.path,
        format: output.settings.format?.picture,
        writable: Set(output.encoders.keys)
      )
    }
  }

  // MARK: Asking

  /// Units, those included whose fate is known already.
  var count: Int { units.count }

  /// How many units a worker has to see.
  var openCount: Int { count - fates.count - (isGathered ? 0 : items.failedCount) }

  /// A unit is a group of items.
  var isGathered: Bool { units.isGathered }

  /// Items that are in no group, by their place among the items.
  var ungrouped: [UInt32] { units.outside }

  /// Output paths are known only when `learn` was told of every probe, and `settle` was called.
  var needsHeaders: Bool { pages.splitsPages || recipes.contains(where: \.path.needsHeader) }

  /// What has become of a unit before any worker sees it; nil for one that is to be made.
  func fate(at index: Int) -> UnitFate? {
    if let fate = fates[index] { return fate }
    return isGathered ? nil : items.failure(at: index).map(UnitFate.failed)
  }

  /// Why a unit has failed before any worker sees it.
  func failure(at index: Int) -> ItemError? {
    if case .failed(let error)? = fate(at: index) { error } else { nil }
  }

  /// The path of a unit's first item below its root, as reports have it.
  func input(at index: Int) -> Path { items.relativePath(at: firstItem(of: index)) }

  /// The paths of all items of a gathered unit, as reports have them; empty for any other.
  func inputs(at index: Int) -> [Path] {
    // The names of a group that nobody opens may be too many to be held.
    guard isGathered, !isTooLarge(index) else { return [] }
    return units.items(of: index).map { items.relativePath(at: $0) }
  }

  /// How many items a unit has on average, and never 0.
  var averageLength: Int { max(1, (items.count - ungrouped.count) / max(1, count)) }

  /// The first item of a unit, which gives its paths their names.
  func firstItem(of index: Int) -> Int { units.item(0, of: index) }

  /// The first item of a unit that can be opened, as far as the plan knows.
  func lead(of index: Int) -> Int {
    let first = firstItem(of: index)
    if items.items[first].format != nil { return first }
    return units.items(of: index).first { items.items[$0].format != nil } ?? first
  }

  /// The format of the input, or of a group's first picture.
  func format(at index: Int) -> PictureFormat? { items.items[lead(of: index)].format }

  /// Where a unit's outputs go, relative to the output root, in the profile's order; empty for one
  /// that has failed or is left out.
  func outputs(at index: Int) -> [Path] {
    precondition(isSettled, "a plan has no paths before it is settled")
    guard fate(at: index) == nil else { return [] }
    return (0..<pages.count(of: index)).flatMap { page in
      recipes.indices.compactMap { output in
        guard let path = try? path(at: index, output, page: page) else { return nil }
        return numbers[pages.slot(index, output, page: page)].map { numbered(path, $0) } ?? path
      }
    }
  }

  /// What the plan takes of memory, in bytes, but for what few items have.
  var bytes: Int {
    items.bytes + units.bytes + pages.bytes
  }

  // MARK: Headers

  /// Takes what a header tells: what paths need, or that the unit has failed.
  ///
  /// - Throws: `PlanError.sizeUnknown` where only pixels could tell a size that a path asks for.
  mutating func learn(_ result: ProbeResult) throws(PlanError) {
    let index = result.id
    if let error = result.error {
      end(index, .failed(error))
      return
    }
    if let reason = result.reason {
      end(index, .skipped(reason))
      return
    }
    let count = pages.splitsPages ? max(1, result.header?.pages ?? 1) : 1
    // A worker has looked at that, and could be wrong.
    guard count <= InputPolicy.mostPages else {
      let error = ItemError(
        .formatLimit,
        expected: "at most \(InputPolicy.mostPages) pages",
        received: "\(count)"
      )
      end(index, .failed(error))
      return
    }
    for (output, recipe) in recipes.enumerated() where recipe.path.needsSize {
      for page in 0..<count {
        let place = page * recipes.count + output
        guard place < result.sizes.count, let size = result.sizes[place] else {
          throw .sizeUnknown(output: recipe.name, input: input(at: index))
        }
        if page == 0 { pages.setSize(size, of: index, output) }
      }
    }
    if count > 1 { pages.setCount(count, of: index, sizes: result.sizes) }
    if let clock = result.header?.taken.flatMap(WallClock.init(exif:)) {
      items.setSeconds(at: lead(of: index), clock.seconds)
    }
  }

  /// Finds every clash, so that nothing starts that cannot end well.
  ///
  /// Call it once, after the last `learn`.
  mutating func settle(_ hash: PathHash = PathHash()) throws(PlanError) {
    pages.place()
    let check = OutputCheck(of: self, below: output, files: files, hash)
    let numbers = try check.numbers(clash)
    for (index, error) in check.impossible { end(index, .failed(error)) }
    self.numbers = numbers
    for (slot, number) in numbers {
      let (index, page, output) = pages.owner(ofSlot: slot)
      guard let path = try? path(at: index, output, page: page) else { continue }
      do { try checkOutputPath(numbered(path, number).bytes) } catch {
        end(index, .failed(error))
      }
    }
    isSettled = true
  }

  private mutating func takeFileTimes() {
    for index in 0..<items.count {
      let clock = WallClock(fileTime: items.items[index].seconds)
      items.setSeconds(at: index, clock.seconds)
    }
  }

  /// No worker has to see this unit any more.
  private mutating func end(_ index: Int, _ fate: UnitFate) {
    if !isGathered, case .failed(let error) = fate {
      items.fail(at: index, error)
    } else {
      fates[index] = fate
    }
  }
}
