import MinilabKit

/// Which items form which unit, small: nothing for single items, a number for groups of one length,
/// else a permutation of the items.
///
/// Units are in the order of their first items, and the items of a unit in that of the plan.
struct Units: Sendable {
  private enum Form {
    /// Neighbors, so many to a unit; the last may have fewer.
    case runs(Int)
    /// Unit i has the items `order[starts[i]..<starts[i + 1]]`.
    case listed(order: [UInt32], starts: [UInt32])
  }

  private let form: Form
  /// Items.
  private let itemCount: Int
  /// Units have more than one item, or could have.
  let isGathered: Bool
  /// Items that are in no group, in the order of the plan.
  private(set) var outside: [UInt32] = []

  /// - Throws: `PlanError` where a pattern cannot be matched.
  init(_ items: ItemTable, _ gather: Gather?) throws(PlanError) {
    itemCount = items.count
    isGathered = gather != nil
    switch gather?.by {
    case nil: form = .runs(1)
    case .all?: form = .runs(max(1, items.count))
    case .count(let count)?: form = .runs(count)
    case .folder?:
      var folders = FolderNumbers(items)
      form = Self.listed(items.count) { folders.number(of: $0) }
    case .pattern(let pattern)?:
      var texts = Numbering()
      var unmatched: [UInt32] = []
      var failure: PlanError?
      form = Self.listed(items.count) { index in
        guard failure == nil else { return nil }
        do throws(BytePattern.TooManySteps) {
          let path = items.relativePath(at: index)
          guard let text = try pattern.bytes.capture(in: path.bytes) else {
            unmatched.append(UInt32(index))
            return nil
          }
          return texts.number(of: text, first: UInt32(index)) { first in
            let path = items.relativePath(at: Int(first))
            return (try? pattern.bytes.capture(in: path.bytes)) ?? nil
          }
        } catch {
          failure = .pattern(pattern.text, input: items.relativePath(at: index))
          return nil
        }
      }
      if let failure { throw failure }
      outside = unmatched
    }
  }

  var count: Int {
    switch form {
    case .runs(let length): itemCount / length + (itemCount % length > 0 ? 1 : 0)
    case .listed(_, let starts): starts.count - 1
    }
  }

  /// How many items a unit has.
  func count(at unit: Int) -> Int {
    switch form {
    case .runs(let length): min(length, itemCount - unit * length)
    case .listed(_, let starts): Int(starts[unit + 1] - starts[unit])
    }
  }

  /// The place of a unit's item in the plan.
  func item(_ number: Int, of unit: Int) -> Int {
    switch form {
    case .runs(let length): unit * length + number
    case .listed(let order, let starts): Int(order[Int(starts[unit]) + number])
    }
  }

  /// The places of a unit's items in the plan.
  func items(of unit: Int) -> [Int] { (0..<count(at: unit)).map { item($0, of: unit) } }

  /// How many items a unit should have; nil where it has all that belong to it.
  func missingFrom(_ unit: Int, _ gather: Gather?) -> Int? {
    guard case .count(let wanted)? = gather?.by, count(at: unit) < wanted else { return nil }
    return wanted
  }

  /// The last one lacks items.
  func hasShortUnit(_ gather: Gather) -> Bool {
    count > 0 && missingFrom(count - 1, gather) != nil
  }

  /// In bytes.
  var bytes: Int {
    var bytes = outside.capacity * MemoryLayout<UInt32>.stride
    if case .listed(let order, let starts) = form {
      bytes += (order.capacity + starts.capacity) * MemoryLayout<UInt32>.stride
    }
    return bytes
  }

  /// Sorts items by the number of their group, which count from 0 in the order of first use; nil
  /// for an item in no group.
  private static func listed(_ count: Int, _ group: (Int) -> UInt32?) -> Form {
    let none = UInt32.max
    var groups = [UInt32](repeating: none, count: count)
    var lengths: [UInt32] = []
    var grouped = 0
    for index in 0..<count {
      guard let number = group(index) else { continue }
      groups[index] = number
      if Int(number) == lengths.count { lengths.append(0) }
      lengths[Int(number)] += 1
      grouped += 1
    }
    var starts = [UInt32](repeating: 0, count: lengths.count + 1)
    for (number, length) in lengths.enumerated() { starts[number + 1] = starts[number] + length }
    var next = starts
    var order = [UInt32](repeating: 0, count: grouped)
    for index in 0..<count where groups[index] != none {
      let number = Int(groups[index])
      order[Int(next[number])] = UInt32(index)
      next[number] += 1
    }
    return .listed(order: order, starts: starts)
  }
}

/// Numbers texts by their first use without keeping them: there may be ten million, of 255 bytes each.
struct Numbering {
  private var known: [UInt64: UInt32] = [:]
  /// What has brought each text, by its number.
  private var firsts: [UInt32] = []
  private let hash: PathHash

  init(hash: PathHash = PathHash()) {
    self.hash = hash
  }

  var count: Int { firsts.count }

  /// - Parameters:
  ///   - text: what is to be numbered.
  ///   - first: what has it, should it be new.
  ///   - again: makes the text of such a first one once more.
  /// - Returns: the number of the text, from 0.
  mutating func number(
    of text: [UInt8],
    first: UInt32,
    again: (UInt32) -> [UInt8]?
  ) -> UInt32 {
    var slot = hash.hash(text)
    while let number = known[slot] {
      if again(firsts[Int(number)]) == text { return number }
      // Another text of the same hash.
      slot &+= 1
    }
    known[slot] = UInt32(firsts.count)
    firsts.append(first)
    return UInt32(firsts.count - 1)
  }
}

/// Numbers the folders that items lie in, by their first use.
///
/// A folder is one by whatever root it was reached.
private struct FolderNumbers {
  private let items: ItemTable
  /// By the table's own number of a folder.
  private var known: [UInt32: UInt32] = [:]
  private var numbers = Numbering()

  init(_ items: ItemTable) {
    self.items = items
  }

  mutating func number(of item: Int) -> UInt32 {
    let folder = items.items[item].folder
    if let number = known[folder] { return number }
    let items = items
    let number = numbers.number(of: Self.path(of: folder, in: items), first: folder) {
      Self.path(of: $0, in: items)
    }
    known[folder] = number
    return number
  }

  private static func path(of folder: UInt32, in items: ItemTable) -> [UInt8] {
    let below = Path(bytes: items.folderPath(folder))
    return items.root(of: folder).path.appending(below).withoutDots.bytes
  }
}

extension Path {
  /// Without empty names and single dots, which lead nowhere.
  fileprivate var withoutDots: Path {
    let slash = UInt8(ascii: "/")
    let names = bytes.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
    return Path(bytes: (isAbsolute ? [slash] : []) + names.joined(separator: [slash]))
  }
}
