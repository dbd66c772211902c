import Glibc
import MinilabKit

/// Holds outputs against the ledger and the files that are there.
struct OutputJudge {
  let ledger: Ledger
  let root: Path
  var force = false
  var isRebuilding = false

  /// Nil where something stands under the name that is not ours.
  func orderOfUnknown(_ path: Path) -> OutputOrder? {
    guard status(of: path) != nil else { return OutputOrder(reason: .new) }
    if force { return OutputOrder(reason: .forced, mayReplace: true) }
    return isRebuilding ? OutputOrder(reason: .new, mustEqual: true) : nil
  }

  /// Nil where something stands under the name that is not ours.
  func order(_ path: Path, _ row: LedgerOutput, _ reason: MakingReason?) -> OutputOrder? {
    // What this run has written down of its own intentions tells nothing of the file.
    let isClaimed = row.claim.map { $0 != ledger.run } ?? false
    guard let status = status(of: path) else {
      if row.state == .leftOut, reason == nil { return OutputOrder() }
      return OutputOrder(reason: reason ?? .outputMissing)
    }
    if row.state == .leftOut, FileStamp(status) == row.stamp {
      // Made before it was left out.
      return OutputOrder(reason: reason, mayReplace: true)
    }
    if row.state == .leftOut || row.state == .begun {
      if isClaimed { return OutputOrder(reason: .unfinished, mayReplace: true) }
      if row.state == .leftOut, reason == nil { return OutputOrder() }
      return force ? OutputOrder(reason: .forced, mayReplace: true) : nil
    }
    if force { return OutputOrder(reason: .forced, mayReplace: true) }
    let isDoubtful = ledger.brokenRuns[row.run] == true
    if FileStamp(status) == row.stamp, !isDoubtful || row.state == .altered {
      if row.state == .altered { return OutputOrder(isLeft: true) }
      return OutputOrder(reason: reason, mayReplace: true)
    }
    // Given its name by a run that has not come to write that down.
    if isClaimed { return OutputOrder(reason: reason ?? .unfinished, mayReplace: true) }
    let look = OutputOrder.Look(
      known: [row.digest, row.previous].compactMap { $0 },
      isDoubtful: ledger.brokenRuns[row.run] != nil,
      mayBeOurs: ledger.brokenRuns.keys.contains { $0 > row.run }
    )
    return OutputOrder(reason: reason, look: look, mayReplace: true)
  }

  /// Of what stands under an output's name; nil where nothing does.
  func stamp(of path: Path) -> FileStamp? { status(of: path).map(FileStamp.init) }

  /// Of what stands under an output's name, a link as such; nil where nothing does.
  private func status(of path: Path) -> stat? {
    var status = stat()
    return root.appending(path).withCString { lstat($0, &status) } == 0 ? status : nil
  }
}
