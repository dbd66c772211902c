import MinilabKit

// What has become of a unit's outputs, as their rows have it: the same whether the pictures were there or
// have been captured.

extension Ledger {
  /// Writes down what has become of the outputs of a unit.
  ///
  /// - Parameters:
  ///   - findings: of each output.
  ///   - records: what reports say of those that were made.
  ///   - paths: of each output.
  ///   - known: what was known of each.
  ///   - unit: its number.
  ///   - inputsAreChanged: they are others than those that the outputs were made from before.
  ///   - recipes: get their numbers.
  /// - Throws: where the ledger cannot be written.
  func put(
    _ findings: [OutputFinding],
    _ records: [OutputRecord],
    at paths: [Path],
    known: [LedgerOutput?],
    of unit: Int,
    inputsAreChanged: Bool,
    _ recipes: inout Recipes
  ) throws(DatabaseError) {
    let records = Dictionary(records.map { ($0.path, $0) }) { first, _ in first }
    for (place, finding) in findings.enumerated() where place < paths.count {
      let row = known[place]
      // What was neither made nor known needs no row.
      if case .kept = finding, row == nil { continue }
      var next = row ?? LedgerOutput(state: .begun, unit: 0, recipe: 0, run: 0)
      next.claim = nil
      if finding.isOfCurrent || recipes.isForeign(next.recipe, at: place) {
        next.recipe = try recipes.number(at: place, in: self)
      }
      next.take(finding, inputsAreChanged: inputsAreChanged)
      if case .kept = finding {
        if next.recipe == row?.recipe, row?.claim == nil { continue }
      } else {
        next.run = run
      }
      next.unit = unit
      if let record = records[paths[place]] { next.record = record }
      try put(paths[place], next)
    }
  }
}

extension OutputFinding {
  /// It is what the profile makes now.
  fileprivate var isOfCurrent: Bool {
    switch self {
    case .made, .equal, .leftOut: true
    case .kept, .sound, .altered: false
    }
  }
}

extension LedgerOutput {
  /// Takes what has become of the file.
  fileprivate mutating func take(_ finding: OutputFinding, inputsAreChanged: Bool) {
    switch finding {
    case .made(let stamp, let made, _): become(made, stamp)
    case .equal(let stamp, let found): become(found, stamp)
    case .leftOut:
      // What was made before and is still there stays known.
      state = .leftOut
    case .sound(let stamp):
      state = .made
      self.stamp = stamp
    case .altered(let stamp):
      state = .altered
      self.stamp = stamp
      if inputsAreChanged { recipe = 0 }
    case .kept:
      if inputsAreChanged { recipe = 0 }
    }
  }

  private mutating func become(_ made: ContentDigest, _ stamp: FileStamp?) {
    state = .made
    if digest != made { previous = digest }
    digest = made
    self.stamp = stamp
  }
}
