import CSQLite
import Glibc

/// Why SQLite did not do what it was asked.
struct DatabaseError: Error, Equatable {
  /// SQLite's primary result code.
  let code: Int32
  /// SQLite's own words, or the kernel's where it is to blame, for people.
  let text: String
  /// `errno` of the kernel's call that failed; 0 where none did.
  var systemNumber: Int32 = 0

  /// The file is no database, or its pages contradict each other or what is asked of them.
  var isDamage: Bool {
    switch code {
    // Statements are always the same: one that is wrong meets tables that are not ours any more.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH,
      SQLITE_CONSTRAINT, SQLITE_FORMAT, SQLITE_INTERNAL:
      true
    default: false
    }
  }
  /// Somebody else has it open.
  var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  /// It can be read and not written, or not even opened; the device is not to blame.
  var isDenied: Bool {
    switch code {
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: true
    case SQLITE_CANTOPEN: [EACCES, EPERM, EISDIR, ELOOP].contains(systemNumber)
    default: false
    }
  }
  var isDiskFull: Bool {
    code == SQLITE_FULL || SystemError(call: .write, number: systemNumber).isDiskFull
  }
}

extension DatabaseError {
  /// - Parameters:
  ///   - extended: SQLite's extended result code.
  ///   - handle: of the database; nil where there is none.
  ///   - last: `errno` as SQLite has left it.
  init(_ extended: Int32, _ handle: OpaquePointer?, _ last: Int32) {
    let code = extended & 0xff
    if let number = Self.systemNumber(extended, handle, last) {
      let call: SystemCall = code == SQLITE_CANTOPEN ? .open : .write
      let reason = SystemError(call: call, number: number).reason
      self.init(code: code, text: reason, systemNumber: number)
    } else {
      let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(extended)
      self.init(code: code, text: text.map { String(cString: $0) } ?? "error \(extended)")
    }
  }

  /// `errno` of the kernel's call that an error is about; nil where none is known.
  ///
  /// SQLite knows of a full disk by one of its names only, and says "disk I/O error" of all else.
  private static func systemNumber(
    _ extended: Int32,
    _ handle: OpaquePointer?,
    _ last: Int32
  ) -> Int32? {
    guard let handle, [SQLITE_IOERR, SQLITE_CANTOPEN].contains(extended & 0xff) else { return nil }
    let kept = sqlite3_system_errno(handle)
    if kept != 0 { return kept }
    // Of what fails while a transaction is brought to its end, SQLite keeps no number.
    return last != 0 && failedCalls.contains(extended) ? last : nil
  }

  /// The extended result codes of calls that have failed: of reading, writing, flushing a file or its folder,
  /// cutting a file off, and asking for its size.
  private static let failedCalls = [1, 3, 4, 5, 6, 7].map { SQLITE_IOERR | $0 << 8 }
}
