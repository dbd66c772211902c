import MinilabKit

/// The ledger of an output root for somebody who only looks.
struct LedgerView {
  let ledger: Ledger
  let root: Path

  /// - Throws: `LedgerFault` where there is none, or it cannot be read.
  init(of root: Path) throws(LedgerFault) {
    self.root = root
    let file = LedgerFile(of: root)
    guard file.isThere else { throw LedgerFault("\(root.shown): no ledger is there") }
    if let holder = OutputLock.holder(of: root) {
      throw LedgerFault("\(root.shown): the ledger is in use by \(holder)")
    }
    do {
      let database = try Database(file.path, .reading)
      guard try database.pragma("application_id") == LedgerSchema.application,
        try database.pragma("user_version") == LedgerSchema.version
      else { throw LedgerFault("\(file.path.shown) is no ledger of this version of Minilab") }
      ledger = try Ledger(database)
    } catch let fault as LedgerFault {
      throw fault
    } catch {
      throw .of(error, file.path)
    }
  }

  /// Each output, in the order of the paths' bytes.
  func eachOutput(_ body: (Path, LedgerOutput) throws -> Void) throws {
    try ledger.eachOutput(body)
  }
}

extension LedgerFault {
  /// What a person is told of a ledger that could not be asked.
  ///
  /// `prefix`: what it was to be asked for.
  static func of(_ error: any Error, _ path: Path, _ prefix: String = "") -> LedgerFault {
    let reason: String
    switch error {
    case let error as DatabaseError: reason = Path(error.text).shown
    case let error as SystemError: reason = error.reason
    case let fault as LedgerFault: reason = fault.text
    default: reason = "\(error)"
    }
    return LedgerFault("\(path.shown): \(prefix)\(reason)")
  }
}
