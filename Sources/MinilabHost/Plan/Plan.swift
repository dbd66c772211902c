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
  /// Width and height for each output of each item; empty where no path needs them.
  private var sizes: [Int32] = []
  /// What was put behind a name that was taken, by slot.
  private var numbers: [Int: Int] = [:]
  private let clash: ClashPolicy
  /// The output root, where its own place matters to the inputs.
  private let output: Path?
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
    let recipes = profile.outputs.map { output in
      Recipe(
        name: output.name,
        path: output.path,
        format: output.settings.format?.picture,
        writable: Set(output.encoders.keys)
      )
    }
    try self.init(
      found.items,
      found.leftOut,
      recipes,
      clash: profile.input.clash,
      output: output
    )
  }

  init(
    _ items: ItemTable,
    _ leftOut: LeftOut,
    _ recipes: [Recipe],
    clash: ClashPolicy,
    output: Path? = nil,
    hash: PathHash = PathHash()
  ) throws(PlanError) {
    self.items = items
    self.leftOut = leftOut
    self.recipes = recipes
    self.clash = clash
    self.output = output
    if items.count == 0 { throw .nothingMatched(leftOut) }
    failUnwritable()
    if recipes.contains(where: \.path.needsDate) { takeFileTimes() }
    if recipes.contains(where: \.path.needsSize) {
      sizes = Array(repeating: 0, count: 2 * items.count * recipes.count)
    }
    if !needsHeaders { try settle(hash) }
  }

  // MARK: Asking

  /// Units, those included that have failed already.
  var count: Int { items.count }

  /// Output paths are known only when `learn` was told of every probe, and `settle` was called.
  var needsHeaders: Bool { recipes.contains(where: \.path.needsHeader) }

  /// Why a unit has failed before any worker sees it.
  func failure(at index: Int) -> ItemError? { items.failure(at: index) }

  /// The input's path below its root, as reports have it.
  func input(at index: Int) -> Path { items.relativePath(at: index) }

  /// The input's path as it is opened.
  func openedInput(at index: Int) -> Path { items.path(at: index) }

  /// What a worker is asked about a unit's header; nil for one that has failed.
  func probe(at index: Int) -> ProbeRequest? {
    guard failure(at: index) == nil, let format = items.items[index].format else { return nil }
    return ProbeRequest(id: index, input: items.path(at: index), format: format)
  }

  /// What a worker is to do; nil for a unit that has failed.
  func unit(at index: Int) -> UnitRequest? {
    guard failure(at: index) == nil, let format = items.items[index].format else { return nil }
    return UnitRequest(
      id: index,
      input: items.path(at: index),
      format: format,
      outputs: outputs(at: index)
    )
  }

  /// Where a unit's outputs go, relative to the output root, in the profile's order; empty for one
  /// that has failed.
  func outputs(at index: Int) -> [Path] {
    precondition(isSettled, "a plan has no paths before it is settled")
    guard failure(at: index) == nil else { return [] }
    return recipes.indices.compactMap { output in
      guard let path = try? path(at: index, output) else { return nil }
      return numbers[slot(index, output)].map { numbered(path, $0) } ?? path
    }
  }

  /// What the plan takes of memory, in bytes, but for what few items have.
  var bytes: Int { items.bytes + sizes.capacity * MemoryLayout<Int32>.stride }

  // MARK: Headers

  /// Takes what a header tells: what paths need, or that the unit has failed.
  ///
  /// - Throws: `PlanError.sizeUnknown` where only pixels could tell a size that a path asks for.
  mutating func learn(_ result: ProbeResult) throws(PlanError) {
    let index = result.id
    if let error = result.error {
      items.fail(at: index, error)
      return
    }
    for (output, recipe) in recipes.enumerated() where recipe.path.needsSize {
      guard output < result.sizes.count, let size = result.sizes[output] else {
        throw .sizeUnknown(output: recipe.name, input: input(at: index))
      }
      sizes[2 * slot(index, output)] = Int32(clamping: size.width)
      sizes[2 * slot(index, output) + 1] = Int32(clamping: size.height)
    }
    if let clock = result.header?.taken.flatMap(WallClock.init(exif:)) {
      items.setSeconds(at: index, clock.seconds)
    }
  }

  /// Finds every clash, so that nothing starts that cannot end well.
  ///
  /// Call it once, after the last `learn`.
  mutating func settle(_ hash: PathHash = PathHash()) throws(PlanError) {
    let check = OutputCheck(of: self, below: output, hash)
    let numbers = try check.numbers(clash)
    fail(check.impossible)
    self.numbers = numbers
    for (slot, number) in numbers {
      let (index, output) = slot.quotientAndRemainder(dividingBy: recipes.count)
      guard let path = try? path(at: index, output) else { continue }
      do { try checkOutputPath(numbered(path, number).bytes) } catch {
        items.fail(at: index, error)
      }
    }
    isSettled = true
  }

  // MARK: Paths

  /// The place of one output of one unit among all.
  func slot(_ index: Int, _ output: Int) -> Int { index * recipes.count + output }

  /// Where an output goes if nothing else goes there.
  func path(at index: Int, _ output: Int) throws(ItemError) -> Path {
    try path(at: index, output, folder: items.folderPath(at: index))
  }

  /// The same for many items, whose folder's path was made once.
  func path(at index: Int, _ output: Int, folder: [UInt8]) throws(ItemError) -> Path {
    let recipe = recipes[output]
    let item = items.items[index]
    guard let format = recipe.format ?? item.format else { return Path("") }
    let slot = slot(index, output)
    return try recipe.path.fill(
      PathValues(
        folder: folder,
        name: items.name(at: index),
        format: format,
        output: recipe.name,
        index: index + 1,
        root: items.root(at: index).name,
        size: sizes.isEmpty
          ? nil : PlannedSize(width: Int(sizes[2 * slot]), height: Int(sizes[2 * slot + 1])),
        clock: WallClock(seconds: item.seconds)
      )
    )
  }

  /// Without a format of its own an output takes the input's, which not every input can give.
  private mutating func failUnwritable() {
    for index in 0..<items.count where items.failure(at: index) == nil {
      guard let format = items.items[index].format,
        let recipe = recipes.first(where: { $0.format == nil && !$0.writable.contains(format) })
      else { continue }
      items.fail(
        at: index,
        ItemError(
          .formatNotWritten,
          expected: "a format for output \"\(recipe.name)\", such as format = \"png\"",
          received: "none, and an input in \(format.shown), which is read but not written"
        )
      )
    }
  }

  private mutating func takeFileTimes() {
    for index in 0..<items.count {
      let clock = WallClock(fileTime: items.items[index].seconds)
      items.setSeconds(at: index, clock.seconds)
    }
  }

  private mutating func fail(_ errors: [Int: ItemError]) {
    for (index, error) in errors { items.fail(at: index, error) }
  }
}

/// The path with a number behind the name, before its extension.
func numbered(_ path: Path, _ number: Int) -> Path {
  let ending = path.fileExtension
  let name = path.stem.bytes + Array("-\(number)".utf8)
  let whole = Path(bytes: ending.isEmpty ? name : name + Array(".".utf8) + ending.bytes)
  return path.folder.appending(whole)
}
