import Glibc
import MinilabKit

/// What headers have told of pictures when paths needed them before: of a picture whose record is the
/// same, no worker is asked again.
///
/// Only single pictures are remembered, and only what can be asked anew: where the ledger cannot be read
/// or written, headers are.
final class HeaderMemory: UnitSource, PlanHolder {
  private let shared: SharedPlan
  /// Nil from when it failed.
  private var ledger: Ledger?
  private let roots: InputRoots
  /// Of the profile: planned sizes follow from its steps.
  private let key: ContentDigest
  private let mayWrite: Bool
  private var isKnown: [Bool]
  /// Records of the files that workers are asked about, taken before.
  private var records: [Int: Record] = [:]

  /// What a file's record says, and whether it shows the next change.
  private struct Record: Equatable {
    var stamp: FileStamp
    var inode: Int
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
    guard !plan.isGathered else { return }
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
      guard let row, row.stamp == record.stamp, row.inode == record.inode, row.key == key else {
        return nil
      }
      var told = JSON.value(ProbeResult.self, from: row.told)
      told?.id = index
      return told
    } catch {
      // What is wrong with it, the run will find and tell.
      self.ledger = nil
      return nil
    }
  }

  private func record(of index: Int) -> Record? {
    guard let status = try? fileStatus(of: plan.items.path(at: plan.firstItem(of: index))) else {
      return nil
    }
    return Record(
      stamp: FileStamp(status),
      inode: Int(truncatingIfNeeded: status.st_ino)
    )
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
    if mayWrite, ledger != nil, !plan.isGathered, let record = record(of: index),
      record.stamp.isSettled(at: FileStamp.now)
    {
      records[index] = record
    }
    return shared.probe(at: index)
  }

  /// Takes what a worker has told.
  func learn(_ result: ProbeResult) throws(PlanError) {
    let before = records.removeValue(forKey: result.id)
    try shared.plan.learn(result)
    guard let ledger, let before, result.error == nil, result.reason == nil,
      record(of: result.id) == before
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
          key: key,
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

/// What a picture's header has told.
struct LedgerHeader {
  var stamp: FileStamp
  var inode: Int
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
