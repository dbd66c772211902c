import MinilabKit

extension Plan {
  /// The counts before a run.
  var tally: Tally {
    var tally = Tally(planned: count)
    tally.leftOut = leftOut.counts
    tally.firstOff = leftOut.firstOff
    return tally
  }

  // MARK: What a run tells

  /// What a run tells of a unit that no worker has to see.
  func report(_ index: Int, _ fate: UnitFate) -> ItemReport {
    var report = ItemReport(
      input: input(at: index),
      inputs: inputs(at: index),
      status: .skipped
    )
    switch fate {
    case .skipped(let reason): report.reason = reason
    case .failed(let error):
      report.status = .failed
      report.error = error
    }
    return report
  }

  /// What a run tells of an item that is in no group.
  func ungroupedReport(_ item: UInt32) -> ItemReport {
    ItemReport(
      input: items.relativePath(at: Int(item)),
      status: .skipped,
      reason: .noGroup
    )
  }

  // MARK: What a dry run tells

  func item(_ index: Int, _ fate: UnitFate) -> PlannedItem {
    var item = PlannedItem(input: input(at: index), inputs: inputs(at: index), outputs: [])
    switch fate {
    case .skipped(let reason): item.reason = reason
    case .failed(let error): item.error = error
    }
    return item
  }

  func ungroupedItem(_ item: UInt32) -> PlannedItem {
    PlannedItem(input: items.relativePath(at: Int(item)), outputs: [], reason: .noGroup)
  }

  /// What is told of a unit whose header was read.
  func item(_ result: ProbeResult) -> PlannedItem {
    var item = PlannedItem(
      input: input(at: result.id),
      inputs: inputs(at: result.id),
      outputs: [],
      notes: result.notes,
      reason: result.reason,
      error: result.error
    )
    if item.error != nil || item.reason != nil { return item }
    for (number, path) in outputs(at: result.id).enumerated()
    where !result.leftOut.contains(number) {
      item.outputs.append(
        PlannedOutput(
          place: number,
          path: path,
          format: recipes[number % recipes.count].format ?? format(at: result.id) ?? .jpeg,
          size: number < result.sizes.count ? result.sizes[number] : nil
        )
      )
    }
    return item
  }
}
