import MinilabKit

// Paths that are about to be given to files: whatever is found under them later, and is not what it was,
// comes from the run that has written that down.

extension Ledger {
  /// Writes down that a path is about to be given to a file.
  func claim(_ path: Path) throws(DatabaseError) {
    try write()
    // An older claim says already that what is found is ours.
    try database.run("UPDATE output SET claim = ? WHERE path = ? AND claim IS NULL", run, path)
    if database.changes > 0 { return }
    try database.run(
      "INSERT OR IGNORE INTO output (path, state, unit, recipe, run, claim) VALUES (?, 0, 0, 0, ?, ?)",
      path,
      run,
      run
    )
  }

  /// Nobody knows whether a path was given to a file: its worker has died.
  func leaveClaim(_ path: Path) throws(DatabaseError) {
    try write()
    try database.run("UPDATE output SET claim = ? WHERE path = ?", -run, path)
  }

  /// No file has come to the path.
  private func dropClaim(_ path: Path) throws(DatabaseError) {
    try write()
    try database.run("DELETE FROM output WHERE path = ? AND state = 0", path)
    try database.run("UPDATE output SET claim = NULL WHERE path = ?", path)
  }

  /// What is still claimed by runs before this one, each with the profile of its run.
  func oldClaims() throws -> [(path: Path, profile: Path)] {
    var found: [(path: Path, profile: Path)] = []
    try database.each(
      """
      SELECT output.path, run.profile FROM output LEFT JOIN run ON run.id = abs(output.claim)
      WHERE claim IS NOT NULL AND abs(claim) <> \(run)
      """
    ) { row in found.append((Path(bytes: row.bytes(0)), Path(bytes: row.bytes(1)))) }
    return found
  }

  /// Looks what has become of a claimed path of which nobody will tell any more.
  ///
  /// Where no file has come to it, it is as if it had never been claimed.
  ///
  /// - Parameters:
  ///   - path: claimed by a run, or by a unit of this one, that was ended.
  ///   - stamp: of what stands there; nil where nothing does.
  ///   - isLast: no run takes the unit up again, so that a file that is there, and was nobody's before, is
  ///     left over.
  /// - Throws: where the ledger cannot be asked or written.
  func settleClaim(_ path: Path, found stamp: FileStamp?, isLast: Bool) throws(DatabaseError) {
    guard var row = try output(path) else { return }
    if !row.isOfClaim(found: stamp) {
      try dropClaim(path)
    } else if isLast, row.state == .begun {
      row.stamp = stamp
      row.claim = -run
      try put(path, row)
      try addOrphan(path, row.recipe)
    } else if row.claim == run {
      try leaveClaim(path)
    }
  }
}

extension LedgerOutput {
  /// What stands at a claimed path was given its name by the run that has claimed it.
  ///
  /// Paths are claimed ahead: where nothing is there, or what was there before, nobody has come to it.
  ///
  /// `stamp`: of what stands there; nil where nothing does.
  func isOfClaim(found stamp: FileStamp?) -> Bool {
    guard let stamp else { return false }
    return state == .begun || stamp != self.stamp
  }
}
