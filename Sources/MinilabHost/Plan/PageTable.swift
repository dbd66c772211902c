/// What headers tell of the units of a plan: how many pages each has, and the planned sizes of outputs.
///
/// Outputs of all pages of all units stand in one row, and the place of each there is its slot. The
/// table is small: it holds nothing where pages have no files of their own and no path asks for a size.
struct PageTable: Sendable {
  /// Of each page.
  private let outputs: Int
  /// Pages of each unit, where pages have files of their own; empty where they have not.
  private var counts: [Int32] = []
  /// How many pages come before each unit, where some have more than one.
  private var starts: [Int] = []
  /// Width and height for each output of each unit's first page; empty where no path needs them.
  private var sizes: [Int32] = []
  /// What paths need of the pages of units that have several, as `ProbeResult.sizes` has it.
  private var pageSizes: [Int: [PlannedSize?]] = [:]

  /// - Parameters:
  ///   - units: How many there are.
  ///   - outputs: How many each page has.
  ///   - splitsPages: Pages have files of their own.
  ///   - hasSizes: Paths ask for sizes.
  init(units: Int, outputs: Int, splitsPages: Bool, hasSizes: Bool) {
    self.outputs = outputs
    if splitsPages { counts = Array(repeating: 1, count: units) }
    if hasSizes { sizes = Array(repeating: 0, count: 2 * units * outputs) }
  }

  /// Pages have files of their own.
  var splitsPages: Bool { !counts.isEmpty }

  /// What the table takes of memory, but for what few units have.
  var bytes: Int { sizes.capacity * MemoryLayout<Int32>.stride }

  /// How many times a unit has each output: one, but where pages have files of their own.
  func count(of unit: Int) -> Int { counts.isEmpty ? 1 : Int(counts[unit]) }

  /// The planned size of an output, where paths ask for sizes.
  func size(of unit: Int, _ output: Int, page: Int) -> PlannedSize? {
    if page > 0 {
      let place = page * outputs + output
      return pageSizes[unit].flatMap { place < $0.count ? $0[place] : nil }
    }
    if sizes.isEmpty { return nil }
    let place = 2 * (unit * outputs + output)
    return PlannedSize(width: Int(sizes[place]), height: Int(sizes[place + 1]))
  }

  // MARK: Learning

  /// Keeps the size of an output of a unit's first page.
  mutating func setSize(_ size: PlannedSize, of unit: Int, _ output: Int) {
    let place = 2 * (unit * outputs + output)
    sizes[place] = Int32(clamping: size.width)
    sizes[place + 1] = Int32(clamping: size.height)
  }

  /// Keeps how many pages a unit has, and the sizes of all their outputs.
  mutating func setCount(_ count: Int, of unit: Int, sizes all: [PlannedSize?]) {
    counts[unit] = Int32(clamping: count)
    if !sizes.isEmpty { pageSizes[unit] = all }
  }

  /// Gives every page of every unit its place, once all are counted.
  mutating func place() {
    guard counts.contains(where: { $0 > 1 }) else { return }
    var before = 0
    starts = counts.map { count in
      defer { before += Int(count) }
      return before
    }
  }

  // MARK: Slots

  /// The place of one output of one page of one unit among all.
  func slot(_ unit: Int, _ output: Int, page: Int = 0) -> Int {
    let before = starts.isEmpty ? unit : starts[unit]
    return (before + page) * outputs + output
  }

  /// Whose output has a place among all.
  func owner(ofSlot slot: Int) -> (unit: Int, page: Int, output: Int) {
    let (place, output) = slot.quotientAndRemainder(dividingBy: outputs)
    if starts.isEmpty { return (place, 0, output) }
    // The last unit that begins at or before it.
    var (low, high) = (0, starts.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= place { low = middle } else { high = middle }
    }
    return (low, place - starts[low], output)
  }
}
