import MinilabKit

// What has failed in the last run, so that it can be tried again alone.

extension Ledger {
  func addFailure(_ failure: LedgerFailure) throws(DatabaseError) {
    try write()
    try database.run(
      """
      INSERT OR REPLACE INTO failure (root, path, others, code, step, expected, received)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      try number(ofRoot: failure.root),
      failure.path,
      failure.others,
      failure.error.code.rawValue,
      failure.error.step,
      failure.error.expected,
      failure.error.received
    )
  }

  func removeFailure(root: Path, _ path: Path) throws(DatabaseError) {
    guard let root = roots[root] else { return }
    try write()
    try database.run("DELETE FROM failure WHERE root = ? AND path = ?", root, path)
  }

  /// Forgets what was told of pictures that are not there any more.
  func forgetFailuresOfGone() throws {
    var gone: [LedgerFailure] = []
    try eachFailure { failure in
      // What was captured was never below a root.
      guard !failure.root.isEmpty else { return }
      let kind = try? System.kind(of: failure.root.appending(failure.path))
      if kind == .nothing { gone.append(failure) }
    }
    for failure in gone { try removeFailure(root: failure.root, failure.path) }
  }

  func hasFailed(root: Path, _ path: Path) throws(DatabaseError) -> Bool {
    guard let root = roots[root] else { return false }
    return try database.first("SELECT 1 FROM failure WHERE root = ? AND path = ?", root, path) {
      _ in true
    } ?? false
  }

  var hasFailures: Bool {
    get throws(DatabaseError) {
      try database.first("SELECT 1 FROM failure LIMIT 1") { _ in true } ?? false
    }
  }

  func forgetFailures() throws(DatabaseError) {
    guard try hasFailures else { return }
    try write()
    try database.execute("DELETE FROM failure")
  }

  /// Each of them, in the order of the paths' bytes below each root.
  func eachFailure(_ body: (LedgerFailure) throws -> Void) throws {
    try database.each(
      """
      SELECT root, path, others, code, step, expected, received FROM failure ORDER BY root, path
      """
    ) { row in
      guard let code = ItemError.Code(rawValue: row.text(3)) else { return }
      try body(
        LedgerFailure(
          root: rootPaths[row.int(0)] ?? Path(""),
          path: Path(bytes: row.bytes(1)),
          others: row.int(2),
          error: ItemError(
            code,
            step: row.isNull(4) ? nil : row.text(4),
            expected: row.text(5),
            received: row.text(6)
          )
        )
      )
    }
  }
}
