import Glibc
import MinilabKit

/// What headers have told of units when paths needed them before: of one whose pictures' records are the
/// same, no worker is asked again.
///
/// Only what can be asked anew is remembered: where the ledger cannot be read or written, headers are.
final class HeaderMemory: UnitSource, PlanHolder {
  private let shared: SharedPlan
  /// Nil from when it failed.
  private var ledger: Ledger?
  private let roots: InputRoots
  /// Of the profile: planned sizes follow from its steps.
  private let key: ContentDigest
  private let mayWrite: Bool
  private var isKnown: [Bool]
  /// Records of the units that workers are asked about, taken before.
  private var records: [Int: Record] = [:]

  /// What the files' records say of a unit.
  private struct Record: Equatable {
    /// Of its first picture.
    var stamp: FileStamp
    var inode: Int
    /// Of the profile and of all other pictures, with their names.
    var key: ContentDigest
    /// The next change of any of them will show.
    var isSettled: Bool
  }

  /// `ledger`: nil where there is none; `mayWrite`: what is learned may be written down.
  init(_ shared: SharedPlan, of profile: Profile, _ ledger: Ledger?, mayWrite: Bool) {
    self.shared = shared
    self.ledger = ledger
    self.mayWrite = mayWrite
    roots = InputRoots(of: shared.plan)
    key = ContentDigest { state in
      for key in OutputKeys.keys(of: profile) { state.add(key.bytes) }
    }
    isKnown = Array(repeating: false, count: shared.plan.count)
  }

  // MARK: Before workers are asked

  /// Tells the plan what is remembered.
  func recall() throws(PlanError) {
    for index in 0..<plan.count where plan.fate(at: index) == nil {
      guard let told = told(of: index) else { continue }
      try shared.plan.learn(told)
      isKnown[index] = true
    }
  }

  private func told(of index: Int) -> ProbeResult? {
    guard let ledger, let record = record(of: index) else { return nil }
    let item = plan.firstItem(of: index)
    do throws(DatabaseError) {
      let row = try ledger.header(roots.path(of: item, in: plan), plan.items.relativePath(at: item))
      guard let row, row.stamp == record.stamp, row.inode == record.inode,
        row.key == record.key
      else { return nil }
      var told = JSON.value(ProbeResult.self, from: row.told)
      told?.id = index
      return told
    } catch {
      // What is wrong with it, the run will find and tell.
      self.ledger = nil
      return nil
    }
  }

  /// Nil where a picture is not there.
  private func record(of index: Int) -> Record? {
    let now = FileStamp.now
    let first = plan.firstItem(of: index)
    guard let status = try? fileStatus(of: plan.items.path(at: first)) else { return nil }
    let stamp = FileStamp(status)
    var record = Record(
      stamp: stamp,
      inode: Int(truncatingIfNeeded: status.st_ino),
      key: key,
      isSettled: stamp.isSettled(at: now)
    )
    guard plan.isGathered else { return record }
    var others = RowSum()
    for item in plan.units.items(of: index) {
      // One that no worker opens counts by its name.
      others.add(roots.path(of: item, in: plan).bytes)
      others.add(plan.items.relativePath(at: item).bytes)
      guard plan.items.failure(at: item) == nil else { continue }
      guard let status = try? fileStatus(of: plan.items.path(at: item)) else { return nil }
      let stamp = FileStamp(status)
      others.add(stamp)
      others.add(Int(truncatingIfNeeded: status.st_ino))
      record.isSettled = record.isSettled && stamp.isSettled(at: now)
    }
    record.key = ContentDigest { state in
      state.add(key.bytes)
      state.add(others.bytes)
    }
    return record
  }

  // MARK: Workers

  var plan: Plan { shared.plan }
  var count: Int { shared.count }
  var openCount: Int { plan.openCount - isKnown.count { $0 } }
  var averageLength: Int { shared.averageLength }
  func isOpen(at index: Int) -> Bool { !isKnown[index] && shared.isOpen(at: index) }
  func unit(at index: Int) -> UnitRequest? { shared.unit(at: index) }

  func probe(at index: Int) -> ProbeRequest? {
    guard isOpen(at: index) else { return nil }
    if mayWrite, ledger != nil, let record = record(of: index), record.isSettled {
      records[index] = record
    }
    return shared.probe(at: index)
  }

  /// Takes what a worker has told.
  func learn(_ result: ProbeResult) throws(PlanError) {
    let before = records.removeValue(forKey: result.id)
    try shared.plan.learn(result)
    guard let ledger, let before, result.error == nil, result.reason == nil,
      let after = record(of: result.id), after == before
    else { return }
    var told = result
    told.id = 0
    told.notes = []
    let item = plan.firstItem(of: result.id)
    do throws(DatabaseError) {
      try ledger.put(
        LedgerHeader(
          stamp: before.stamp,
          inode: before.inode,
          key: before.key,
          told: JSON.text(of: told)
        ),
        of: roots.path(of: item, in: plan),
        plan.items.relativePath(at: item)
      )
    } catch {
      self.ledger = nil
    }
  }
}

/// What the headers of a unit have told.
struct LedgerHeader {
  /// Of the first picture.
  var stamp: FileStamp
  var inode: Int
  /// Of what it was told for, and of the other pictures.
  var key: ContentDigest
  /// A `ProbeResult`.
  var told: String

  fileprivate var sum: Int {
    var sum = RowSum()
    sum.add(stamp)
    sum.add(inode)
    sum.add(key.bytes)
    sum.add(Array(told.utf8))
    return sum.value
  }
}

extension Ledger {
  func header(_ root: Path, _ path: Path) throws(DatabaseError) -> LedgerHeader? {
    guard let root = roots[root] else { return nil }
    let found = try database.first(
      "SELECT size, modified, changed, inode, key, told, sum FROM header WHERE root = ? AND path = ?",
      root,
      path
    ) { row -> (header: LedgerHeader, sum: Int)? in
      guard let key = ContentDigest(bytes: row.bytes(4)) else { return nil }
      let stamp = FileStamp(size: row.int(0), modified: row.int(1), changed: row.int(2))
      return (
        LedgerHeader(stamp: stamp, inode: row.int(3), key: key, told: row.text(5)), row.int(6)
      )
    }
    // A row that does not have its sum is asked anew.
    guard case (let header, let sum)?? = found, header.sum == sum else { return nil }
    return header
  }

  func put(_ header: LedgerHeader, of root: Path, _ path: Path) throws(DatabaseError) {
    try write()
    try database.run(
      "INSERT OR REPLACE INTO header VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      try number(ofRoot: root),
      path,
      header.stamp.size,
      header.stamp.modified,
      header.stamp.changed,
      header.inode,
      header.key.bytes,
      header.told,
      header.sum
    )
  }
}
