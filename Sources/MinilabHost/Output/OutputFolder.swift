import CSystem
import Glibc
import MinilabKit

/// Why an output root cannot be used: nothing has been started.
struct OutputFolderError: Error, Equatable {
  let path: Path
  let expected: String
  let received: String

  var text: String { "\(path.shown): expected \(expected), found \(received)" }
}

/// The output root as the coordinator holds it: checked, made where it was missing, and locked
/// against other runs.
///
/// In it `.minilab` has the lock and the files that are being written.
final class OutputFolder {
  static let ownName = Path(".minilab")
  static let temporariesName = Path("tmp")
  static let lockName = Path("lock")

  let path: Path
  private let root: Descriptor
  private let own: Descriptor
  private let temporaries: Descriptor
  private let lock: Descriptor
  private let wasMade: Bool
  private let ownWasMade: Bool

  /// Held by this process and by each worker that inherits it.
  var lockDescriptor: Int32 { lock.number }

  /// Finds what would keep a run from writing below a path.
  ///
  /// Changes nothing.
  ///
  /// - Returns: true where the folder is there, false where its parent is and can take it.
  @discardableResult
  static func check(_ path: Path) throws(OutputFolderError) -> Bool {
    let exists = try checkPlace(path)
    try checkAccess(exists ? path : parent(of: path))
    return exists
  }

  /// Finds what would keep a path from being a folder of results, for somebody who writes nothing there: whether it
  /// can be written is not asked.
  ///
  /// - Returns: true where the folder is there, false where its parent is.
  @discardableResult
  static func checkPlace(_ path: Path) throws(OutputFolderError) -> Bool {
    let exists = try refusing(path, "a folder") { () throws(SystemError) in
      // A link that the user names as output root is meant to be followed.
      try System.kind(of: path.appending("."))
    }
    guard exists == .nothing else { return true }
    let name = try refusing(path, "a folder") { () throws(SystemError) in
      try System.kind(of: path.withoutTrailingSlashes)
    }
    guard name == .nothing else {
      throw OutputFolderError(
        path: path,
        expected: "a folder",
        received: "a link that leads nowhere"
      )
    }
    let shown = parent(of: path)
    let above = try refusing(shown, "a folder") { () throws(SystemError) in
      try System.kind(of: shown.appending("."))
    }
    guard above != .nothing else {
      throw OutputFolderError(
        path: path,
        expected: "a folder, or a new name in a folder that is there",
        received: "that \(shown.shown) is not there"
      )
    }
    return false
  }

  private static func parent(of path: Path) -> Path {
    let parent = path.withoutTrailingSlashes.folder
    return parent.isEmpty ? Path(".") : parent
  }

  /// Makes the folder ready for a run: nobody else writes to it, and no temporary file is left.
  ///
  /// - Parameters:
  ///   - path: where it is, or is to be.
  ///   - patience: how long the workers of a run that was killed may take to be gone.
  ///   - waiting: told who holds it, where that is waited for however long it takes; nil not to.
  /// - Throws: the one thing that keeps it from being used.
  init(
    preparing path: Path,
    patience: Duration = .seconds(3),
    waiting: ((String) -> Void)? = nil
  ) throws(OutputFolderError) {
    self.path = path
    let exists = try Self.check(path)
    wasMade = !exists
    let expected = "a folder that can be written"
    if !exists {
      try refusing(path, expected) { () throws(SystemError) in
        do throws(SystemError) {
          try System.makeFolder(path.withoutTrailingSlashes)
        } catch  where error.number == EEXIST {
          // Another run was faster; the lock decides.
        }
      }
    }
    root = try refusing(path, expected) { () throws(SystemError) in
      try Descriptor(opening: path, O_RDONLY | Int32(O_DIRECTORY))
    }
    let rootNumber = root.number
    let rootKind = try refusing(path, expected) { () throws(SystemError) in
      try System.kind(of: Self.ownName, in: rootNumber)
    }
    ownWasMade = rootKind == .nothing
    own = try refusing(path.appending(Self.ownName), expected) { () throws(SystemError) in
      try System.openFolder(Self.ownName, in: rootNumber, making: true)
    }
    let ownNumber = own.number
    lock = try OutputLock.take(in: ownNumber, of: path, patience, waiting)
    temporaries = try refusing(path.appending(Self.ownName), expected) { () throws(SystemError) in
      try System.openFolder(Self.temporariesName, in: ownNumber, making: true)
    }
    emptyTemporaries()
  }

  /// Removes what workers have left, all of it or that of one worker that is dead.
  func emptyTemporaries(of process: Int32? = nil) {
    let prefix = process.map { Array("\($0)-".utf8) } ?? []
    for name in (try? System.names(in: temporaries.number)) ?? []
    where name.bytes.starts(with: prefix) {
      // What cannot be removed costs room only: no two workers use one name.
      try? System.remove(name, in: temporaries.number)
    }
  }

  /// True where the folder is no longer what is under its path: removed, or unmounted.
  var isLost: Bool {
    guard let held = try? System.status(of: root.number),
      let own = try? System.status(of: temporaries.number), own.st_nlink > 0
    else { return true }
    guard let now = try? Descriptor(opening: path, O_RDONLY | Int32(O_DIRECTORY)),
      let there = try? System.status(of: now.number)
    else { return true }
    return held.st_nlink == 0 || held.st_dev != there.st_dev || held.st_ino != there.st_ino
      || path.withCString { faccessat(AT_FDCWD, $0, W_OK, AT_EACCESS) } != 0 || !canWrite
  }

  /// A file can be written here and read again: a device that fails says so of no file in particular.
  private var canWrite: Bool {
    let name = Path("\(getpid())-try")
    do throws(SystemError) {
      defer { try? System.remove(name, in: temporaries.number) }
      let file = try Descriptor(opening: name, in: temporaries.number, O_RDWR | Int32(O_CREAT))
      try System.writeAll(file.number, at: 0, [1])
      try System.flush(file.number)
      return try System.read(file.number, at: 0, count: 1) == [1]
    } catch {
      // A full disk is told of by whoever needs its room.
      return error.isDiskFull
    }
  }

  /// Of the file system that results are written to.
  var room: FileSystemRoom? { FileSystemRoom(of: temporaries.number) }

  /// Puts a file of our own into the root's own folder, in one move.
  ///
  /// - Parameters:
  ///   - name: of the file.
  ///   - content: is handed what adds bytes to it.
  /// - Throws: why it could not be written.
  func putOwnFile(
    _ name: Path,
    _ content: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let temporary = Path(bytes: name.bytes + Array(".new".utf8))
    let file = try Descriptor(
      opening: temporary,
      in: own.number,
      O_WRONLY | Int32(O_CREAT) | Int32(O_TRUNC) | Int32(O_NOFOLLOW)
    )
    let number = file.number
    do {
      try content { try System.writeAll(number, $0) }
      try System.flush(number)
      try System.rename(temporary, in: own.number, to: name, in: own.number)
    } catch {
      try? System.remove(temporary, in: own.number)
      throw error
    }
  }

  /// Takes back what preparing has made, for a run that has nothing to do.
  ///
  /// A folder named by mistake, such as one of inputs, is as it was.
  func discard() {
    guard ownWasMade else { return }
    removeEmptyCaptures()
    try? System.remove(Self.temporariesName, in: own.number, isFolder: true)
    // Nothing stands in it that could not be asked anew.
    for ending in ["", "-wal", "-journal"] {
      try? System.remove(Path(bytes: Ledger.name.bytes + Array(ending.utf8)), in: own.number)
    }
    try? System.remove(Self.lockName, in: own.number)
    try? System.remove(Self.ownName, in: root.number, isFolder: true)
    guard wasMade else { return }
    try? System.remove(path.withoutTrailingSlashes, in: AT_FDCWD, isFolder: true)
  }

  /// Removes the folder of captured pictures, unless some are kept there.
  func removeEmptyCaptures() {
    try? System.remove(CapturedFiles.name, in: own.number, isFolder: true)
  }

  private static func checkAccess(_ path: Path) throws(OutputFolderError) {
    try refusing(path, "a folder that can be written") { () throws(SystemError) in
      _ = try path.withCString { (path) throws(SystemError) in
        try System.attempt(.access) { _ in faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) }
      }
    }
  }
}

/// Turns the kernel's reason into what a person is told.
private func refusing<Value: ~Copyable>(
  _ path: Path,
  _ expected: String,
  _ body: () throws(SystemError) -> Value
) throws(OutputFolderError) -> Value {
  do {
    return try body()
  } catch {
    let received =
      error.number == ENOTDIR && expected == "a folder" ? "a file" : error.reason
    throw OutputFolderError(path: path, expected: expected, received: received)
  }
}

extension Path {
  /// `out/` means `out`.
  fileprivate var withoutTrailingSlashes: Path {
    var bytes = self.bytes
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return Path(bytes: bytes)
  }
}
