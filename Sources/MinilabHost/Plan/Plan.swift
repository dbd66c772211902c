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
  /// Width and height for each output of each unit; empty where no path needs them.
  private(set) var sizes: [Int32] = []
  /// Pages of each unit, where pages have files of their own; empty where they have not.
  private(set) var pages: [Int32] = []
  /// How many pages come before each unit, where some have more than one.
  private(set) var pageStarts: [Int] = []
  /// What paths need of the pages of units that have several, as `ProbeResult.sizes` has it.
  private(set) var pageSizes: [Int: [PlannedSize?]] = [:]
  /// What was put behind a name that was taken, by slot.
  private var numbers: [Int: Int] = [:]
  private let clash: ClashPolicy
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
    if splitsPages { pages = Array(repeating: 1, count: units.count) }
    failLargeGroups()
    judgeGroups()
    failUnwritable()
    if recipes.contains(where: \.path.needsDate) { takeFileTimes() }
    if recipes.contains(where: \.path.needsSize) {
      sizes = Array(repeating: 0, count: 2 * units.count * recipes.count)
    }
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
  var needsHeaders: Bool { !pages.isEmpty || recipes.contains(where: \.path.needsHeader) }

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

  /// What a worker is asked about a unit's header; nil for one that none has to see.
  func probe(at index: Int) -> ProbeRequest? {
    guard fate(at: index) == nil, let format = format(at: index) else { return nil }
    return ProbeRequest(
      id: index,
      input: items.path(at: lead(of: index)),
      format: format,
      group: group(at: index)
    )
  }

  /// What a worker is to do; nil for a unit that none has to see.
  func unit(at index: Int) -> UnitRequest? {
    guard fate(at: index) == nil, let format = format(at: index) else { return nil }
    return UnitRequest(
      id: index,
      input: items.path(at: lead(of: index)),
      format: format,
      outputs: outputs(at: index),
      group: group(at: index)
    )
  }

  /// What a unit's files are, as far as their records tell.
  func file(at index: Int) -> FileHint? {
    guard let format = format(at: index) else { return nil }
    var hint = FileHint(format: format, bytes: 0, count: 0)
    for item in units.items(of: index) where items.items[item].format != nil {
      hint.bytes += (try? fileStatus(of: items.path(at: item))).map { Int($0.st_size) } ?? 0
      hint.count += 1
    }
    return hint.count > 0 ? hint : nil
  }

  private func group(at index: Int) -> GroupRequest? {
    guard isGathered else { return nil }
    let members = units.items(of: index).map { item in
      let below = items.relativePath(at: item)
      let path = items.root(at: item).path.appending(below)
      return GroupMember(
        input: path,
        rootLength: path.bytes.count - below.bytes.count,
        format: items.items[item].format,
        error: items.failure(at: item)
      )
    }
    return GroupRequest(members: members, wanted: units.missingFrom(index, gather))
  }

  /// Where a unit's outputs go, relative to the output root, in the profile's order; empty for one
  /// that has failed or is left out.
  func outputs(at index: Int) -> [Path] {
    precondition(isSettled, "a plan has no paths before it is settled")
    guard fate(at: index) == nil else { return [] }
    return (0..<pageCount(of: index)).flatMap { page in
      recipes.indices.compactMap { output in
        guard let path = try? path(at: index, output, page: page) else { return nil }
        return numbers[slot(index, output, page: page)].map { numbered(path, $0) } ?? path
      }
    }
  }

  /// What the plan takes of memory, in bytes, but for what few items have.
  var bytes: Int {
    items.bytes + units.bytes + sizes.capacity * MemoryLayout<Int32>.stride
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
    let count = pages.isEmpty ? 1 : max(1, result.header?.pages ?? 1)
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
        guard page == 0 else { continue }
        sizes[2 * (index * recipes.count + output)] = Int32(clamping: size.width)
        sizes[2 * (index * recipes.count + output) + 1] = Int32(clamping: size.height)
      }
    }
    if count > 1 {
      pages[index] = Int32(clamping: count)
      if !sizes.isEmpty { pageSizes[index] = result.sizes }
    }
    if let clock = result.header?.taken.flatMap(WallClock.init(exif:)) {
      items.setSeconds(at: lead(of: index), clock.seconds)
    }
  }

  /// Finds every clash, so that nothing starts that cannot end well.
  ///
  /// Call it once, after the last `learn`.
  mutating func settle(_ hash: PathHash = PathHash()) throws(PlanError) {
    placePages()
    let check = OutputCheck(of: self, below: output, files: files, hash)
    let numbers = try check.numbers(clash)
    for (index, error) in check.impossible { end(index, .failed(error)) }
    self.numbers = numbers
    for (slot, number) in numbers {
      let index = unit(ofSlot: slot)
      let (page, output) = (slot - self.slot(index, 0)).quotientAndRemainder(
        dividingBy: recipes.count
      )
      guard let path = try? path(at: index, output, page: page) else { continue }
      do { try checkOutputPath(numbered(path, number).bytes) } catch {
        end(index, .failed(error))
      }
    }
    isSettled = true
  }

  /// Gives every page of every unit its place, once all are counted.
  private mutating func placePages() {
    guard pages.contains(where: { $0 > 1 }) else { return }
    var before = 0
    pageStarts = pages.map { count in
      defer { before += Int(count) }
      return before
    }
  }

  // MARK: What is known before any header

  private func isTooLarge(_ index: Int) -> Bool {
    units.count(at: index) > gather?.maxPictures ?? .max
  }

  private mutating func failLargeGroups() {
    guard let gather else { return }
    for index in 0..<units.count where isTooLarge(index) {
      let error = ItemError(
        .tooManyPictures,
        expected: """
          at most \(gather.maxPictures) pictures in a group \
          (gather.max-pictures; --set gather.max-pictures=… sets another)
          """,
        received: "\(units.count(at: index))"
      )
      end(index, .failed(error))
    }
  }

  /// Groups that the profile leaves out or fails, as far as the plan knows what they lack.
  private mutating func judgeGroups() {
    guard let gather, items.failedCount > 0 || units.hasShortUnit(gather) else { return }
    for index in 0..<units.count where !isTooLarge(index) {
      let failures = units.items(of: index).map { (item: $0, error: items.failure(at: $0)) }
      let failed = failures.filter { $0.error != nil }
      if failed.count == failures.count, let error = failed.first?.error {
        end(index, .failed(error))
        continue
      }
      let wanted = units.missingFrom(index, gather)
      guard wanted != nil || !failed.isEmpty else { continue }
      switch gather.incomplete {
      case .keep: break
      case .skip: end(index, .skipped(.incomplete))
      case .fail:
        let first = failed.first.flatMap { item, error in
          error.map { (items.relativePath(at: item), $0) }
        }
        end(index, .failed(.incompleteGroup(of: failures.count, wanted: wanted, first)))
      }
    }
  }

  /// Without a format of its own an output takes the input's, which not every input can give.
  private mutating func failUnwritable() {
    for index in 0..<count where fate(at: index) == nil {
      guard let format = format(at: index),
        let recipe = recipes.first(where: { $0.format == nil && !$0.writable.contains(format) })
      else { continue }
      let error = ItemError(
        .formatNotWritten,
        expected: "a format for output \"\(recipe.name)\", such as format = \"png\"",
        received: "none, and an input in \(format.shown), which is read but not written"
      )
      end(index, .failed(error))
    }
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
