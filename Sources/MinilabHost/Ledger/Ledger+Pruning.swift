import MinilabKit

extension Ledger {
  /// Some outputs behind a path, in the order of the paths' bytes.
  ///
  /// Between two calls rows may be removed.
  func outputs(
    after path: Path,
    atMost count: Int
  ) throws(DatabaseError) -> [(Path, LedgerOutput)] {
    let statement = try database.statement(
      """
      SELECT state, unit, recipe, run, claim, size, modified, changed, digest, previous,
        width, height, format, pages, crop, path, sum
      FROM output WHERE path > ? ORDER BY path LIMIT ?
      """
    )
    try statement.bind([path, count])
    var rows: [(Path, LedgerOutput)] = []
    while try statement.next() {
      rows.append(try Self.output(Row(statement)).get())
    }
    return rows
  }

  /// The profile and the name of the output that have a key's number; nil where there is none.
  func maker(_ recipe: Int) throws(DatabaseError) -> (profile: Path, output: String)? {
    try database.first("SELECT profile, output FROM recipe WHERE id = ?", recipe) { row in
      (Path(bytes: row.bytes(0)), row.text(1))
    }
  }

  func forget(_ path: Path) throws(DatabaseError) {
    try write()
    try database.run("DELETE FROM output WHERE path = ?", path)
    try database.run("DELETE FROM orphan WHERE path = ?", path)
  }

  /// Forgets units that no output belongs to.
  func forgetUnits() throws(DatabaseError) {
    try write()
    try database.execute(
      """
      CREATE TEMP TABLE used AS SELECT DISTINCT unit FROM output;
      CREATE UNIQUE INDEX temp.used_unit ON used (unit);
      DELETE FROM unit WHERE id NOT IN (SELECT unit FROM used);
      DELETE FROM member WHERE unit NOT IN (SELECT unit FROM used);
      DROP TABLE used;
      DELETE FROM header WHERE (root, path) NOT IN (SELECT root, path FROM unit);
      """
    )
  }
}
