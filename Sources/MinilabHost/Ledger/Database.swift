import CSQLite
import Glibc
import MinilabKit

/// An SQLite database that one thread uses.
///
/// Statements are prepared once and live as long as it does.
final class Database {
  fileprivate let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  private var isClosed = false

  /// How a file is opened.
  enum Access {
    /// It must be there.
    case reading
    /// Likewise, and nobody changes it: nothing is locked, and no journal looked for.
    case frozen
    /// It is made where it is missing.
    case writing
  }

  init(_ path: Path, _ access: Access) throws(DatabaseError) {
    var opened: OpaquePointer?
    let flags =
      switch access {
      case .reading: SQLITE_OPEN_READONLY
      case .frozen: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    let name = access == .frozen ? Self.frozen(path) : path
    let code = name.withCString {
      sqlite3_open_v2($0, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    }
    guard code == SQLITE_OK, let opened else {
      let error = Self.error(code, opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    // A damaged file may not run code, nor make a query walk for ever.
    csqlite_defend(opened)
  }

  /// The address of a file that does not change.
  private static func frozen(_ path: Path) -> Path {
    let bytes = path.bytes.flatMap { byte -> [UInt8] in
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
      if isPlain || byte == UInt8(ascii: "/") { return [byte] }
      let digits = Array("0123456789ABCDEF".utf8)
      return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return Path(bytes: Array("file:".utf8) + bytes + Array("?immutable=1".utf8))
  }

  deinit { close() }

  /// Ends its use, before its file is given another name: closing removes journals by their names.
  func close() {
    if isClosed { return }
    isClosed = true
    for statement in statements.values { statement.finalize() }
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Carries out statements that give no rows.
  func execute(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw Self.error(code, handle) }
  }

  /// A statement ready for new values.
  ///
  /// The same text is prepared once: what is asked for again, while it still gives rows, begins anew.
  func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = statements[sql] {
      known.reset()
      return known
    }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle,
      sql,
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &prepared,
      nil
    )
    guard code == SQLITE_OK, let prepared else { throw Self.error(code, handle) }
    let statement = Statement(prepared, of: handle)
    statements[sql] = statement
    return statement
  }

  /// Carries out one statement with values in the order of its question marks.
  func run(_ sql: String, _ values: any DatabaseValue...) throws(DatabaseError) {
    let statement = try statement(sql)
    try statement.bind(values)
    while try statement.next() {}
  }

  /// The rows of a statement, one by one.
  func each(
    _ sql: String,
    _ values: [any DatabaseValue] = [],
    _ body: (borrowing Row) throws -> Void
  ) throws {
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    while try statement.next() { try body(Row(statement)) }
  }

  /// The first row of a statement; nil where it gives none.
  func first<Value>(
    _ sql: String,
    _ values: any DatabaseValue...,
    as value: (borrowing Row) -> Value
  ) throws(DatabaseError) -> Value? {
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.next() ? value(Row(statement)) : nil
  }

  /// The number of the row that was inserted last.
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// How many rows the last statement has changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  fileprivate static func error(_ code: Int32, _ handle: OpaquePointer?) -> DatabaseError {
    // Before anything else is called.
    let last = errno
    return DatabaseError(code, handle, last)
  }
}

/// A prepared statement of a database.
final class Statement {
  fileprivate let handle: OpaquePointer
  private let database: OpaquePointer

  fileprivate init(_ handle: OpaquePointer, of database: OpaquePointer) {
    self.handle = handle
    self.database = database
  }

  fileprivate func finalize() { sqlite3_finalize(handle) }

  fileprivate func reset() {
    // Its result is that of the step before, which has been told.
    _ = sqlite3_reset(handle)
    _ = sqlite3_clear_bindings(handle)
  }

  func bind(_ values: [any DatabaseValue]) throws(DatabaseError) {
    for (index, value) in values.enumerated() {
      let code = value.bind(to: handle, at: Int32(index + 1))
      if code != SQLITE_OK { throw Database.error(code, database) }
    }
  }

  /// Goes to the next row; false where there is none.
  func next() throws(DatabaseError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    case let code:
      let error = Database.error(code, database)
      reset()
      throw error
    }
  }
}

/// A row of an answer, as long as its statement stands on it.
struct Row: ~Copyable {
  private let handle: OpaquePointer

  init(_ statement: Statement) {
    handle = statement.handle
  }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func bytes(_ column: Int32) -> [UInt8] {
    // The pointer first: asking for it may convert the value, which changes its length.
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    )
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}

/// What a column holds.
protocol DatabaseValue {
  /// - Returns: SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int: DatabaseValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, Int64(self))
  }
}

extension Double: DatabaseValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_double(statement, index, self)
  }
}

extension String: DatabaseValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    var copy = self
    return copy.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) {
        // An empty text has no address.
        $0.baseAddress.map { csqlite_bind_text(statement, index, $0, Int32(text.count)) }
          ?? csqlite_bind_text(statement, index, "", 0)
      }
    }
  }
}

extension [UInt8]: DatabaseValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    withUnsafeBytes { csqlite_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
  }
}

extension Path: DatabaseValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    bytes.bind(to: statement, at: index)
  }
}

extension Optional: DatabaseValue where Wrapped: DatabaseValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
  }
}
