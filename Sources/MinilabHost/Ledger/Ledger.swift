import Glibc
import MinilabKit

/// The embedded database in the output root that remembers what was made from what.
///
/// One process has it open for writing: the one that holds the root's lock. Nothing of it is kept in
/// memory; whoever wants to know asks by the path of an output.
final class Ledger {
  static let name = Path("ledger.sqlite")

  let database: Database
  /// The run that writes; 0 until it has something to write.
  private(set) var run = 0
  /// What the run will say of itself.
  var start: LedgerStart?
  /// Runs that did not end well; true where the machine was started anew since.
  private(set) var brokenRuns: [Int: Bool] = [:]
  /// When the transaction that is open was begun.
  private var began: SuspendingClock.Instant?
  var roots: [Path: Int] = [:]
  var rootPaths: [Int: Path] = [:]

  /// How long what has been told may wait for what is told next: one transaction costs as much as
  /// some hundred rows.
  private static let patience = Duration.milliseconds(100)

  /// Takes a database whose tables are there.
  init(_ database: Database) throws {
    self.database = database
    let boot = Self.boot
    try database.each("SELECT id, boot FROM run WHERE ended IS NULL") { row in
      brokenRuns[row.int(0)] = row.text(1) != boot
    }
    try database.each("SELECT id, path FROM root") { row in
      let path = Path(bytes: row.bytes(1))
      roots[path] = row.int(0)
      rootPaths[row.int(0)] = path
    }
  }

  /// It knows of no output.
  var isEmpty: Bool {
    get throws(DatabaseError) {
      try database.first("SELECT 1 FROM output LIMIT 1") { _ in true } == nil
    }
  }

  /// Names this start of the machine; empty where nothing does.
  static var boot: String {
    let bytes = System.contents(of: Path("/proc/sys/kernel/random/boot_id")) ?? []
    return String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
  }

  // MARK: Transactions

  /// Before something is written.
  func write() throws(DatabaseError) {
    if let began, SuspendingClock.now - began > Self.patience { try commit() }
    guard began == nil else { return try checkTransaction() }
    try database.execute("BEGIN IMMEDIATE")
    began = .now
    if run == 0, let start { try begin(start) }
  }

  func commit() throws(DatabaseError) {
    guard began != nil else { return }
    try checkTransaction()
    try database.execute("COMMIT")
    began = nil
  }

  /// SQLite takes a transaction back by itself where the disk is full, and would then say of its end
  /// what it says of statements that make no sense.
  private func checkTransaction() throws(DatabaseError) {
    if !database.isInTransaction { throw .takenBack }
  }

  /// Brings what was written to the disk: once for many items.
  func flush() throws(DatabaseError) {
    try commit()
    try database.execute("PRAGMA synchronous = FULL")
    // A transaction that changes something is what is flushed.
    try database.execute("BEGIN IMMEDIATE; UPDATE run SET id = id WHERE id = \(run); COMMIT")
    try database.execute("PRAGMA synchronous = NORMAL")
  }

  // MARK: Runs

  private func begin(_ start: LedgerStart) throws(DatabaseError) {
    try database.run(
      "INSERT INTO run (started, boot, profile, arguments) VALUES (?, ?, ?, ?)",
      Int(time(nil)),
      Self.boot,
      start.profile,
      JSON.text(of: start.arguments)
    )
    run = Int(database.lastRow)
  }

  /// The run has ended as it should, whatever became of its items.
  func end(_ tally: Tally) throws(DatabaseError) {
    guard run != 0 else { return }
    try write()
    try database.run("DELETE FROM output WHERE claim = ? AND state = 0", run)
    try database.run("UPDATE output SET claim = NULL WHERE claim = ?", run)
    try database.run(
      "UPDATE run SET ended = ?, done = ?, failed = ?, skipped = ? WHERE id = ?",
      Int(time(nil)),
      tally.done,
      tally.failed,
      tally.skipped,
      run
    )
    try flush()
  }

  /// The last run, and whether it ended well.
  func lastRun() throws(DatabaseError) -> LedgerRun? {
    try database.first(
      """
      SELECT id, started, ended, profile, arguments, done, failed, skipped FROM run
      ORDER BY id DESC LIMIT 1
      """
    ) { row in
      LedgerRun(
        id: row.int(0),
        started: row.int(1),
        ended: row.isNull(2) ? nil : row.int(2),
        profile: Path(bytes: row.bytes(3)),
        arguments: JSON.value([Path].self, from: row.text(4)) ?? [],
        done: row.int(5),
        failed: row.int(6),
        skipped: row.int(7)
      )
    }
  }

  // MARK: Marks

  /// What is there is compared with what would be made, as an earlier ledger was lost.
  var isRebuilding: Bool {
    get throws(DatabaseError) {
      try database.first("SELECT 1 FROM mark WHERE name = 'rebuilding'") { _ in true } ?? false
    }
  }

  func setRebuilding(_ isRebuilding: Bool) throws(DatabaseError) {
    try write()
    try database.execute(
      isRebuilding
        ? "INSERT OR IGNORE INTO mark VALUES ('rebuilding')"
        : "DELETE FROM mark WHERE name = 'rebuilding'"
    )
  }

  // MARK: Keys and roots

  /// The number of an output's key; nil where nothing was made by it yet.
  func recipe(_ key: ContentDigest, _ profile: Path, _ output: String) throws(DatabaseError) -> Int?
  {
    try database.first(
      "SELECT id FROM recipe WHERE key = ? AND profile = ? AND output = ?",
      key.bytes,
      profile,
      output
    ) { $0.int(0) }
  }

  /// All numbers that have a key.
  func recipes(with key: ContentDigest) throws(DatabaseError) -> Set<Int> {
    var found: Set<Int> = []
    let statement = try database.statement("SELECT id FROM recipe WHERE key = ?")
    try statement.bind([key.bytes])
    while try statement.next() { found.insert(Row(statement).int(0)) }
    return found
  }

  func addRecipe(
    _ key: ContentDigest,
    _ profile: Path,
    _ output: String
  ) throws(DatabaseError) -> Int {
    try write()
    try database.run(
      "INSERT INTO recipe (key, profile, output) VALUES (?, ?, ?)",
      key.bytes,
      profile,
      output
    )
    return Int(database.lastRow)
  }

  /// The number of an input root.
  func number(ofRoot path: Path) throws(DatabaseError) -> Int {
    if let number = roots[path] { return number }
    try write()
    try database.run("INSERT INTO root (path) VALUES (?)", path)
    let number = Int(database.lastRow)
    roots[path] = number
    rootPaths[number] = path
    return number
  }
}

/// What a run says of itself when it begins to write.
struct LedgerStart {
  /// As found, without links on the way.
  var profile: Path
  /// The words of its command line, behind `minilab run`.
  var arguments: [Path]
}
