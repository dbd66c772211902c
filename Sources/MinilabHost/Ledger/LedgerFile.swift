import CSQLite
import CSystem
import Glibc
import MinilabKit

/// The ledger's file in an output root: found, made, or set aside and made anew.
struct LedgerFile {
  /// `.minilab` of an output root, as it is opened.
  let folder: Path
  /// Kept without memory that processes share, which no network carries.
  let isOnNetwork: Bool

  /// What an open ledger begins with.
  struct Opened {
    let ledger: Ledger
    /// What a person is told.
    var word: String?
  }

  init(of root: Path) {
    // SQLite takes some names without a folder for addresses.
    let below = root.appending(OutputFolder.ownName)
    folder = below.isAbsolute ? below : Path(".").appending(below)
    isOnNetwork = root.withCString { csystem_is_on_network($0) } == 1
  }

  init(in folder: Path, isOnNetwork: Bool) {
    self.folder = folder
    self.isOnNetwork = isOnNetwork
  }

  var path: Path { folder.appending(Ledger.name) }

  var isThere: Bool { (try? System.kind(of: path)) == .file }

  /// Opens the ledger for the run that holds the root's lock.
  ///
  /// What is no ledger of this version, or is damaged, is set aside, and a new one is made: then nothing
  /// that is in the root counts as made before it was compared.
  ///
  /// - Throws: where there can be none.
  func open() throws(LedgerFault) -> Opened {
    if (try? System.kind(of: mark)) == .file {
      return try replace(because: "was being set aside when a run was ended")
    }
    let reason: String
    do {
      return Opened(ledger: try ledger(), word: nil)
    } catch let fault as LedgerFault {
      reason = fault.text
    } catch let error as DatabaseError where error.isBusy {
      throw LedgerFault("\(path.shown) is in use by another program")
    } catch let error as DatabaseError where error.isDiskFull {
      throw LedgerFault("\(path.shown): the disk is full")
    } catch let error as DatabaseError where error.isDenied {
      // A network refuses now and then what it grants a moment later; a good ledger is not given up for that.
      if let ledger = try? ledger() { return Opened(ledger: ledger, word: nil) }
      reason = "cannot be opened for writing"
    } catch let error as DatabaseError where error.isDamage {
      return try recover(from: error)
    } catch let error as DatabaseError where error.isOfOpening {
      // Of a file that cannot be made SQLite says that it is not there.
      throw .of((reasonNotToMake as (any Error)?) ?? error, path)
    } catch {
      // Where the device fails, what it holds may be good.
      throw .of(error, path)
    }
    return try replace(because: reason)
  }

  /// Goes on after damage was found in the file, which nobody has open any more.
  ///
  /// SQLite also takes for damage what a device cannot read. A ledger that is whole at a second look is
  /// used again; another is set aside.
  ///
  /// - Throws: where the device fails, or there can be none.
  func recover(from error: DatabaseError) throws(LedgerFault) -> Opened {
    for ending in ["", "-wal"] {
      do { try Self.readWhole(Path(bytes: path.bytes + Array(ending.utf8))) } catch {
        throw .of(error, path)
      }
    }
    if error.isOfPages {
      do {
        let ledger = try ledger()
        try ledger.database.checkAll()
        return Opened(ledger: ledger, word: nil)
      } catch let second as DatabaseError where !second.isDamage {
        // The disk is full, say: that tells nothing of the file.
        throw .of(second, path)
      } catch {
        // It is.
      }
    }
    return try replace(because: "is damaged (\(Path(error.text).shown))")
  }

  private static func readWhole(_ path: Path) throws(SystemError) {
    if try System.kind(of: path) == .nothing { return }
    let file = try Descriptor(opening: path, O_RDONLY | Int32(O_NOFOLLOW))
    var offset = 0
    while true {
      let count = try System.read(file.number, at: offset, count: 1 << 20).count
      if count == 0 { return }
      offset += count
    }
  }

  /// What keeps a new file from being made beside the ledger.
  private var reasonNotToMake: SystemError? {
    let name = folder.appending("ledger.try")
    do throws(SystemError) {
      _ = try Descriptor(opening: name, O_WRONLY | Int32(O_CREAT) | Int32(O_EXCL))
      try System.remove(name, in: AT_FDCWD)
      return nil
    } catch {
      return error.number == EEXIST ? nil : error
    }
  }

  /// There while a file is being set aside: a new ledger that knows nothing of what it replaces would
  /// take all that is in the root for somebody else's.
  private var mark: Path { folder.appending("ledger-set-aside.mark") }

  /// Sets the file aside and begins a new one.
  private func replace(because reason: String) throws(LedgerFault) -> Opened {
    let aside = folder.appending("ledger-set-aside.sqlite")
    do throws(SystemError) {
      _ = try Descriptor(opening: mark, O_WRONLY | Int32(O_CREAT) | Int32(O_NOFOLLOW))
      // The newest journal belongs to the file that was set aside last, or to none.
      for ending in ["", "-wal", "-shm", "-journal"] {
        let from = Path(bytes: path.bytes + Array(ending.utf8))
        let to = Path(bytes: aside.bytes + Array(ending.utf8))
        if try System.kind(of: from) == .nothing { continue }
        if try System.kind(of: to) != .nothing { try System.remove(to, in: AT_FDCWD) }
        try System.rename(from, in: AT_FDCWD, to: to, in: AT_FDCWD)
      }
    } catch {
      throw LedgerFault("\(path.shown) \(reason) and cannot be set aside: \(error.reason)")
    }
    do {
      let ledger = try ledger()
      try ledger.setRebuilding(true)
      try ledger.flush()
      try System.remove(mark, in: AT_FDCWD)
      let word =
        "\(path.shown) \(reason); it was set aside as \(aside.lastComponent.shown), and what is in "
        + "the folder is compared with what would be made"
      return Opened(ledger: ledger, word: word)
    } catch {
      throw .of(error, path, "no ledger can be made: ")
    }
  }

  private func ledger() throws -> Ledger {
    switch try System.kind(of: path) {
    case .nothing, .file: break
    case .folder, .link, .other: throw LedgerFault("is no file")
    }
    let database = try Database(path, .writing)
    // One process writes, and it has the root's lock. So there is no memory to share, either.
    try database.execute("PRAGMA locking_mode = EXCLUSIVE")
    let application = try database.pragma("application_id")
    let version = try database.pragma("user_version")
    let isNew = try database.first("SELECT 1 FROM sqlite_schema LIMIT 1") { _ in true } == nil
    if !isNew {
      guard application == LedgerSchema.application else {
        throw LedgerFault("is no ledger of Minilab")
      }
      guard version == LedgerSchema.version else {
        throw LedgerFault(
          "is of \(version > LedgerSchema.version ? "a newer" : "an older") version of Minilab"
        )
      }
    }
    // Readers that come meanwhile find it locked, whatever the journal.
    try database.execute("PRAGMA journal_mode = \(isOnNetwork ? "TRUNCATE" : "WAL")")
    try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON")
    try database.execute("PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY")
    if isNew {
      try database.execute(
        """
        BEGIN; \(LedgerSchema.tables) PRAGMA application_id = \(LedgerSchema.application);
        PRAGMA user_version = \(LedgerSchema.version); COMMIT
        """
      )
    }
    let ledger = try Ledger(database)
    if ledger.brokenRuns.values.contains(true) { try database.checkPages() }
    return ledger
  }
}

/// Why there is no ledger.
struct LedgerFault: Error, Equatable {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

extension Database {
  func pragma(_ name: String) throws(DatabaseError) -> Int {
    try first("PRAGMA \(name)") { $0.int(0) } ?? 0
  }

  /// Reads all of it, after the machine itself has failed.
  func checkPages() throws(DatabaseError) {
    let found = try first("PRAGMA quick_check(1)") { $0.text(0) } ?? "nothing"
    if found != "ok" { throw DatabaseError.damaged(found) }
  }

  /// Reads all of it, and holds its parts against each other.
  func checkAll() throws(DatabaseError) {
    let found = try first("PRAGMA integrity_check(1)") { $0.text(0) } ?? "nothing"
    if found != "ok" { throw DatabaseError.damaged(found) }
  }
}

extension DatabaseError {
  /// Found by us, in what SQLite could read.
  static func damaged(_ text: String) -> DatabaseError {
    DatabaseError(code: SQLITE_FORMAT, text: text)
  }

  /// What was written since the last commit is gone, for a reason that was told before.
  static let takenBack = DatabaseError(code: SQLITE_ABORT, text: "what was written was taken back")

  /// A file could not be opened or made.
  var isOfOpening: Bool { code == SQLITE_CANTOPEN }

  /// SQLite has found damage in pages, or could not read them.
  var isOfPages: Bool { code == SQLITE_CORRUPT }
}
