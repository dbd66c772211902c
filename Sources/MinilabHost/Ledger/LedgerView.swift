import MinilabKit

/// The ledger of an output root for somebody who only looks, and leaves no file behind.
struct LedgerView {
  let root: Path
  private let look: LedgerLook

  var ledger: Ledger { look.ledger }

  /// - Throws: `LedgerFault` where there is none, or it cannot be read.
  init(of root: Path) throws(LedgerFault) {
    self.root = root
    look = try LedgerLook(at: root)
  }

  /// Each output, in the order of the paths' bytes.
  func eachOutput(_ body: (Path, LedgerOutput) throws -> Void) throws {
    try ledger.eachOutput(body)
  }
}

extension LedgerFault {
  /// What becomes of a ledger that is of no use.
  static let wayOut = """
    the next run sets it aside, and compares what is in the folder with what it would make
    """

  /// What a person is told who only looks.
  static func ofLook(_ error: any Error, _ path: Path) -> LedgerFault {
    let fault = of(error, path)
    guard let error = error as? DatabaseError, error.isDamage else { return fault }
    return LedgerFault("\(path.shown): is damaged (\(Path(error.text).shown)); \(wayOut)")
  }

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
