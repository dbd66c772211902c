import MinilabKit

// Outputs whose input is still there, and whose path the profile no longer gives it: a template, a
// format or a name was changed.

extension Ledger {
  /// What the paths of a profile's outputs followed from when the last whole run ended, by their names.
  func layouts(of profile: Path) throws(DatabaseError) -> [String: ContentDigest] {
    var layouts: [String: ContentDigest] = [:]
    let statement = try database.statement("SELECT output, layout FROM layout WHERE profile = ?")
    try statement.bind([profile])
    while try statement.next() {
      let row = Row(statement)
      layouts[row.text(0)] = ContentDigest(bytes: row.bytes(1))
    }
    return layouts
  }

  /// From now on nothing is known of where an output's files are.
  func forgetLayout(_ output: String, of profile: Path) throws(DatabaseError) {
    try write()
    try database.run("DELETE FROM layout WHERE profile = ? AND output = ?", profile, output)
  }

  /// From now on nothing is known of where any files are: each next run looks again.
  func forgetLayouts() throws(DatabaseError) {
    try write()
    try database.run("DELETE FROM layout")
  }

  func setLayouts(
    _ layouts: [String: ContentDigest],
    of profile: Path
  ) throws(DatabaseError) {
    try write()
    for (output, layout) in layouts.sorted(by: { $0.key < $1.key }) {
      try database.run(
        "INSERT OR REPLACE INTO layout VALUES (?, ?, ?)",
        profile,
        output,
        layout.bytes
      )
    }
  }

  /// The numbers of all keys that a profile ever had.
  func recipes(of profile: Path) throws(DatabaseError) -> Set<Int> {
    var found: Set<Int> = []
    let statement = try database.statement("SELECT id FROM recipe WHERE profile = ?")
    try statement.bind([profile])
    while try statement.next() { found.insert(Row(statement).int(0)) }
    return found
  }

  /// Each with the number of its key.
  func orphans() throws -> [(path: Path, recipe: Int)] {
    var found: [(path: Path, recipe: Int)] = []
    try database.each("SELECT path, recipe FROM orphan") { row in
      found.append((Path(bytes: row.bytes(0)), row.int(1)))
    }
    return found
  }

  func removeOrphan(_ path: Path) throws(DatabaseError) {
    try write()
    try database.run("DELETE FROM orphan WHERE path = ?", path)
  }

  func addOrphan(_ path: Path, _ recipe: Int) throws(DatabaseError) {
    try write()
    try database.run("INSERT OR REPLACE INTO orphan VALUES (?, ?)", path, recipe)
  }

  /// `recipe`: of the output, by which another profile may have made it since.
  func isOrphan(_ path: Path, _ recipe: Int) throws(DatabaseError) -> Bool {
    try database.first("SELECT 1 FROM orphan WHERE path = ? AND recipe = ?", path, recipe) { _ in
      true
    } ?? false
  }
}
