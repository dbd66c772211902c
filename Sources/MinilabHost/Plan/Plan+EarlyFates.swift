import MinilabKit

// What is known of units before any header is read.

extension Plan {
  /// Units that need no worker: groups that are too large or lack pictures, and pictures that cannot be
  /// written in their own format.
  func earlyFates() -> [(unit: Int, fate: UnitFate)] {
    let mayLackPictures = gather.map { items.failedCount > 0 || units.hasShortUnit($0) } ?? false
    return (0..<count).compactMap { index in
      guard fate(at: index) == nil else { return nil }
      let fate =
        fateOfTooLarge(index) ?? (mayLackPictures ? fateOfIncomplete(index) : nil)
        ?? fateOfUnwritable(index)
      return fate.map { (index, $0) }
    }
  }

  /// A group of more pictures than the profile allows.
  func isTooLarge(_ index: Int) -> Bool {
    units.count(at: index) > gather?.maxPictures ?? .max
  }

  private func fateOfTooLarge(_ index: Int) -> UnitFate? {
    guard let gather, isTooLarge(index) else { return nil }
    return .failed(
      ItemError(
        .tooManyPictures,
        expected: """
          at most \(counted(gather.maxPictures, "picture")) in a group \
          (gather.max-pictures; --set gather.max-pictures=… sets another)
          """,
        received: "\(units.count(at: index))"
      )
    )
  }

  /// Of a group that the profile leaves out or fails, as far as the plan knows what it lacks.
  private func fateOfIncomplete(_ index: Int) -> UnitFate? {
    guard let gather else { return nil }
    let failures = units.items(of: index).map { (item: $0, error: items.failure(at: $0)) }
    let failed = failures.filter { $0.error != nil }
    if failed.count == failures.count, let error = failed.first?.error { return .failed(error) }
    let wanted = units.missingFrom(index, gather)
    guard wanted != nil || !failed.isEmpty else { return nil }
    switch gather.incomplete {
    case .keep: return nil
    case .skip: return .skipped(.incomplete)
    case .fail:
      let first = failed.first.flatMap { item, error in
        error.map { (items.relativePath(at: item), $0) }
      }
      return .failed(.incompleteGroup(of: failures.count, wanted: wanted, first))
    }
  }

  /// Without a format of its own an output takes the input's, which not every input can give.
  private func fateOfUnwritable(_ index: Int) -> UnitFate? {
    guard let format = format(at: index),
      let recipe = recipes.first(where: { $0.format == nil && !$0.writable.contains(format) })
    else { return nil }
    return .failed(
      ItemError(
        .formatNotWritten,
        expected: "a format for output \"\(recipe.name)\", such as format = \"png\"",
        received: "none, and an input in \(format.shown), which is read but not written"
      )
    )
  }
}
