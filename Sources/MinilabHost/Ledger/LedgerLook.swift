import CSQLite
import Glibc
import MinilabKit

/// A ledger for somebody who changes nothing in its folder: neither its file, nor a journal beside it.
///
/// An ended run leaves one file, which is read as it is. What a killed run has left in journals only
/// SQLite can put together, and it does so in a copy.
final class LedgerLook {
  let ledger: Ledger
  /// Of the copy; gone with its owner.
  private let folder: Path?

  private static let endings = ["", "-wal", "-journal"]

  /// Looks at the ledger of an output root.
  ///
  /// `mayBeMissing`: where there is none, an empty one is looked at.
  ///
  /// - Throws: where there is none, it cannot be read, or a run is using it.
  init(at root: Path, mayBeMissing: Bool = false) throws(LedgerFault) {
    let file = LedgerFile(of: root)
    guard mayBeMissing || file.isThere else {
      throw LedgerFault("\(root.shown): no ledger is there, so nothing is known of it")
    }
    if let holder = OutputLock.holder(of: root) {
      throw LedgerFault("\(root.shown): the ledger is in use by \(holder)")
    }
    var copy: Path?
    do {
      guard file.isThere else {
        ledger = try Self.empty()
        folder = nil
        return
      }
      let hasJournal = Self.endings.dropFirst().contains { Self.size(file.path, $0) > 0 }
      if hasJournal { copy = try Self.copied(file.path) }
      let path = copy?.appending(Ledger.name)
      let database = try path.map { try Database($0, .writing) } ?? Database(file.path, .frozen)
      guard try database.pragma("application_id") == LedgerSchema.application,
        try database.pragma("user_version") == LedgerSchema.version
      else {
        throw LedgerFault("is no ledger of this version of Minilab; \(LedgerFault.wayOut)")
      }
      ledger = try Ledger(database)
      folder = copy
    } catch {
      copy.map(Self.remove)
      throw .ofLook(error, file.path)
    }
  }

  deinit {
    ledger.database.close()
    folder.map(Self.remove)
  }

  private static func empty() throws -> Ledger {
    let database = try Database(Path(":memory:"), .writing)
    try database.execute(LedgerSchema.tables)
    return try Ledger(database)
  }

  // MARK: The copy

  /// A folder with a copy of the ledger and its journals.
  private static func copied(_ ledger: Path) throws(LedgerFault) -> Path {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let temporaries = Path(base.isEmpty ? "/tmp" : base)
    var folder: Path?
    do throws(SystemError) {
      let made = try makeFolder(in: temporaries)
      folder = made
      try copy(ledger, to: made)
      return made
    } catch {
      folder.map(remove)
      throw LedgerFault(
        "a run that was killed has left a journal, which is put together in a copy, and none can be made in "
          + "\(temporaries.shown) (TMPDIR): \(error.reason)"
      )
    }
  }

  private static func makeFolder(in base: Path) throws(SystemError) -> Path {
    let pattern = base.appending("minilab-XXXXXX")
    var bytes = pattern.bytes.map { CChar(bitPattern: $0) } + [0]
    guard mkdtemp(&bytes) != nil else { throw SystemError(call: .mkdir, number: errno) }
    return Path(bytes: bytes.dropLast().map(UInt8.init(bitPattern:)))
  }

  private static func copy(_ ledger: Path, to folder: Path) throws(SystemError) {
    for ending in endings where size(ledger, ending) > 0 {
      let from = try Descriptor(
        opening: Path(bytes: ledger.bytes + Array(ending.utf8)),
        O_RDONLY | Int32(O_NOFOLLOW)
      )
      let name = Path(bytes: Ledger.name.bytes + Array(ending.utf8))
      let to = try Descriptor(opening: folder.appending(name), O_WRONLY | Int32(O_CREAT))
      try System.copy(from.number, to: to.number)
    }
  }

  private static func size(_ ledger: Path, _ ending: String) -> Int {
    let path = Path(bytes: ledger.bytes + Array(ending.utf8))
    return (try? fileStatus(of: path)).map { Int($0.st_size) } ?? 0
  }

  private static func remove(_ folder: Path) {
    guard let open = try? Descriptor(opening: folder, O_RDONLY | Int32(O_DIRECTORY)) else { return }
    for name in (try? System.names(in: open.number)) ?? [] {
      try? System.remove(name, in: open.number)
    }
    try? System.remove(folder, in: AT_FDCWD, isFolder: true)
  }
}
