import MinilabKit

extension Ledger {
  // MARK: Asking

  /// What is known of an output's path; nil where nothing is.
  func output(_ path: Path) throws(DatabaseError) -> LedgerOutput? {
    try database.first(
      """
      SELECT state, unit, recipe, run, claim, size, modified, changed, digest, previous,
        width, height, format, pages, crop, path, sum
      FROM output WHERE path = ?
      """,
      path
    ) { row in Self.output(row) }?.get().output
  }

  /// Each output's path and what is known of it, in the order of the paths' bytes.
  func eachOutput(_ body: (Path, LedgerOutput) throws -> Void) throws {
    try database.each(
      """
      SELECT state, unit, recipe, run, claim, size, modified, changed, digest, previous,
        width, height, format, pages, crop, path, sum
      FROM output ORDER BY path
      """
    ) { row in
      let (path, output) = try Self.output(row).get()
      try body(path, output)
    }
  }

  /// From the columns that are asked for above.
  static func output(
    _ row: borrowing Row
  ) -> Result<(path: Path, output: LedgerOutput), DatabaseError> {
    let path = Path(bytes: row.bytes(15))
    let stamp = row.stamp(5)
    var record: OutputRecord?
    if !row.isNull(10), let format = PictureFormat(rawValue: row.text(12)) {
      record = OutputRecord(
        path: path,
        width: row.int(10),
        height: row.int(11),
        format: format,
        bytes: stamp?.size ?? 0,
        pages: row.isNull(13) ? nil : row.int(13),
        cropBounds: row.isNull(14) ? nil : JSON.value(PixelRectangle.self, from: row.text(14))
      )
    }
    guard let state = LedgerOutput.State(rawValue: row.int(0)) else {
      return .failure(.damaged("a row that makes no sense"))
    }
    let output = LedgerOutput(
      state: state,
      unit: row.int(1),
      recipe: row.int(2),
      run: row.int(3),
      claim: row.isNull(4) ? nil : row.int(4),
      stamp: stamp,
      digest: ContentDigest(bytes: row.bytes(8)),
      previous: ContentDigest(bytes: row.bytes(9)),
      record: record
    )
    // What was only begun says nothing that could be wrong.
    guard state == .begun || row.int(16) == output.sum(path) else {
      return .failure(.damaged("a row that does not have its sum"))
    }
    return .success((path, output))
  }

  /// When a unit was last made, in seconds since 1970; 0 where none was.
  var lastMade: Int {
    get throws(DatabaseError) {
      try database.first("SELECT max(made) FROM unit") { $0.int(0) } ?? 0
    }
  }

  /// What a unit was made from.
  func unit(_ id: Int) throws(DatabaseError) -> LedgerUnit? {
    let found = try database.first(
      """
      SELECT root, path, size, modified, changed, digest, members, reason, notes, sum FROM unit
      WHERE id = ?
      """,
      id
    ) { row in
      (
        input: LedgerInput(
          root: rootPaths[row.int(0)] ?? Path(""),
          path: Path(bytes: row.bytes(1)),
          stamp: row.stamp(2),
          digest: ContentDigest(bytes: row.bytes(5))
        ),
        members: row.int(6),
        reason: SkipReason(rawValue: row.text(7)),
        notes: row.isNull(8) ? [] : JSON.value([Note].self, from: row.text(8)) ?? [],
        sum: row.int(9)
      )
    }
    guard let found else { return nil }
    let others = found.members > 0 ? try members(of: id) : (inputs: [], beside: [])
    let unit = LedgerUnit(
      id: id,
      inputs: [found.input] + others.inputs,
      beside: others.beside,
      reason: found.reason,
      notes: found.notes
    )
    guard unit.sum == found.sum else { throw .damaged("a row that does not have its sum") }
    return unit
  }

  /// The inputs of a unit but its first, and what is beside them, whose places are negative.
  private func members(
    of unit: Int
  ) throws(DatabaseError) -> (inputs: [LedgerInput], beside: [LedgerInput]) {
    var inputs: [LedgerInput] = []
    var beside: [LedgerInput] = []
    let statement = try database.statement(
      """
      SELECT place, root, path, size, modified, changed, digest FROM member WHERE unit = ?
      ORDER BY place
      """
    )
    try statement.bind([unit])
    while try statement.next() {
      let row = Row(statement)
      let input = LedgerInput(
        root: rootPaths[row.int(1)] ?? Path(""),
        path: Path(bytes: row.bytes(2)),
        stamp: row.stamp(3),
        digest: ContentDigest(bytes: row.bytes(6))
      )
      if row.int(0) < 0 { beside.append(input) } else { inputs.append(input) }
    }
    return (inputs, beside)
  }

  // MARK: Writing

  func put(_ path: Path, _ output: LedgerOutput) throws(DatabaseError) {
    try write()
    try database.run(
      """
      INSERT OR REPLACE INTO output (path, state, unit, recipe, run, claim, size, modified, changed,
        digest, previous, width, height, format, pages, crop, sum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      path,
      output.state.rawValue,
      output.unit,
      output.recipe,
      output.run,
      output.claim,
      output.stamp?.size,
      output.stamp?.modified,
      output.stamp?.changed,
      output.digest?.bytes,
      output.previous?.bytes,
      output.record?.width,
      output.record?.height,
      output.record?.format.rawValue,
      output.record?.pages,
      output.record?.cropBounds.map { JSON.text(of: $0) },
      output.sum(path)
    )
  }

  /// Writes a unit down, in the place of one that it has already or as a new one.
  ///
  /// - Returns: its number.
  func put(
    _ unit: LedgerUnit,
    seconds: Double,
    now: Int
  ) throws(DatabaseError) -> Int {
    guard let first = unit.inputs.first else { return 0 }
    try write()
    var unit = unit
    if unit.id == 0 {
      // The sum is over the number, too, so that must be known first.
      try database.run(
        "INSERT INTO unit (root, path, members, seconds, made) VALUES (0, ?, 0, 0, 0)",
        first.path
      )
      unit.id = Int(database.lastRow)
    }
    let id = unit.id
    try database.run(
      """
      INSERT OR REPLACE INTO unit (id, root, path, size, modified, changed, digest, members, reason,
        notes, seconds, made, sum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      id,
      try number(ofRoot: first.root),
      first.path,
      first.stamp?.size,
      first.stamp?.modified,
      first.stamp?.changed,
      first.digest?.bytes,
      unit.inputs.count - 1 + unit.beside.count,
      unit.reason?.rawValue,
      unit.notes.isEmpty ? nil : JSON.text(of: unit.notes),
      seconds,
      now,
      unit.sum
    )
    try database.run("DELETE FROM member WHERE unit = ?", id)
    for (index, input) in unit.inputs.dropFirst().enumerated() {
      try put(input, of: id, at: index + 1)
    }
    for (index, input) in unit.beside.enumerated() { try put(input, of: id, at: -index - 1) }
    return id
  }

  private func put(_ input: LedgerInput, of unit: Int, at place: Int) throws(DatabaseError) {
    try database.run(
      "INSERT INTO member VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      unit,
      place,
      try number(ofRoot: input.root),
      input.path,
      input.stamp?.size,
      input.stamp?.modified,
      input.stamp?.changed,
      input.digest?.bytes
    )
  }
}

extension Row {
  /// From three columns; nil where they are empty.
  fileprivate func stamp(_ column: Int32) -> FileStamp? {
    if isNull(column) { return nil }
    return FileStamp(size: int(column), modified: int(column + 1), changed: int(column + 2))
  }
}
