import Glibc
import MinilabKit
import Synchronization

/// A worker's hand on the output root: files are written under temporary names, and those of a unit
/// get their final names together.
final class OutputWriter {
  private let root: Descriptor
  private let temporaries: SharedDescriptor
  private let fileSystem: System.FileSystem
  private let process = getpid()
  /// Files are made on one thread and committed, which can make more, on another.
  private let count = Atomic(0)

  /// Opens a root that the coordinator has prepared.
  init(root path: Path) throws(SystemError) {
    root = try Descriptor(opening: path, O_RDONLY | Int32(O_DIRECTORY))
    let own = try System.openFolder(OutputFolder.ownName, in: root.number, making: false)
    temporaries = SharedDescriptor(
      try System.openFolder(OutputFolder.temporariesName, in: own.number, making: false)
    )
    fileSystem = try System.fileSystem(of: temporaries.number)
  }

  /// An empty file, open for reading and writing, that will be `path` below the root.
  func temporary(for path: Path) throws(ItemError) -> TemporaryFile {
    try naming(path) { () throws(SystemError) in
      try makeFile(for: path, in: temporaries, prefix: "")
    }
  }

  /// Puts files on the disk and then gives them their final names: all of them, or none.
  ///
  /// Folders are made where they are missing. A link is never followed: neither in place of a
  /// folder, nor under the final name, where it is replaced.
  ///
  /// - Throws: `ItemError`; `exists` where a file may not replace what stands under its name.
  func commit(_ files: [TemporaryFile]) throws(ItemError) {
    for file in files {
      try naming(file.path) { () throws(SystemError) in
        try file.kept.apply(to: file.descriptor)
        try System.flush(file.descriptor)
      }
    }
    var prepared: [Prepared] = []
    for file in files { prepared.append(try prepare(file)) }
    var placed: [Placement] = []
    for item in prepared {
      do {
        placed.append(
          try item.file.place(
            as: item.file.path.lastComponent,
            in: item.folder,
            replacing: item.replaces
          )
        )
      } catch {
        var isTakenBack = true
        for placement in placed.reversed() {
          do { try placement.takeBack() } catch { isTakenBack = false }
        }
        // A new file keeps its name, and the ledger must not take it for somebody else's.
        if !isTakenBack { throw .outputLost(item.file.path, error) }
        // It has come since we looked.
        if error.number == EEXIST { throw .exists(item.file.path) }
        throw Self.failure(error, writing: item.file.path)
      }
    }
    for (file, item) in zip(files, prepared) {
      // A name that was given changes the file's record: it is asked for after that.
      file.stamp = (try? System.status(of: item.file.descriptor)).map(FileStamp.init)
    }
  }

  /// A file that can have its final name, as far as one can see before.
  private struct Prepared {
    let file: TemporaryFile
    let folder: SharedDescriptor
    let replaces: Bool
  }

  /// What keeps a file from being written, if the system can be asked to say.
  ///
  /// Pictures are saved through libraries that do not tell why they fail: a full disk, a quota, a
  /// limit of file sizes. So this tries to write more.
  static func problem(writing file: TemporaryFile) -> ItemError? {
    // More than a file system gives away in one piece, and not so little that a last block has it.
    let more = [UInt8](repeating: 0, count: 1 << 18)
    var written = 0
    do throws(SystemError) {
      let end = try System.status(of: file.descriptor).st_size
      while written < more.count {
        let offset = end + off_t(written)
        written += try System.attempt(.write) {
          pwrite(file.descriptor, more, min($0, more.count - written), offset)
        }
      }
      try System.flush(file.descriptor)
    } catch {
      return failure(error, writing: file.path)
    }
    return nil
  }

  /// The error of an item whose output could not be written.
  static func failure(_ error: SystemError, writing path: Path) -> ItemError {
    if error.isDiskFull {
      return ItemError(.diskFull, expected: "room to write \(path.shown)", received: error.reason)
    }
    if error.isOfDevice { return .outputLost(path, error) }
    return ItemError(.writeFailed, expected: "to write \(path.shown)", received: error.reason)
  }

  private func naming<Value: ~Copyable>(
    _ path: Path,
    _ body: () throws(SystemError) -> Value
  ) throws(ItemError) -> Value {
    do { return try body() } catch { throw Self.failure(error, writing: path) }
  }

  private func makeFile(
    for path: Path,
    in folder: SharedDescriptor,
    prefix: String
  )
    throws(SystemError) -> TemporaryFile
  {
    while true {
      let number = count.add(1, ordering: .relaxed).newValue
      do {
        return try TemporaryFile(
          path: path,
          name: Path("\(prefix)\(process)-\(number)"),
          folder: folder
        )
      } catch  where error.number == EEXIST {
        // Left by a dead worker that had our process ID.
      }
    }
  }

  /// Opens the folder of the final name and sees that the file can go there.
  private func prepare(_ file: TemporaryFile) throws(ItemError) -> Prepared {
    let name = file.path.lastComponent
    let folder = SharedDescriptor(try openParent(of: file.path))
    let kind = try naming(file.path) { () throws(SystemError) in
      try System.kind(of: name, in: folder.number)
    }
    if kind == .folder {
      throw ItemError(
        .writeFailed,
        expected: "to write \(file.path.shown)",
        received: "a folder of that name"
      )
    }
    if kind != .nothing, !file.mayReplace { throw .exists(file.path) }
    return try naming(file.path) { () throws(SystemError) in
      let isBeside = try System.fileSystem(of: folder.number) == fileSystem
      return Prepared(
        file: isBeside ? file : try copy(file, into: folder),
        folder: folder,
        replaces: kind != .nothing
      )
    }
  }

  /// Where the final folder is on another file system than the root: a dot file in it.
  private func copy(
    _ file: TemporaryFile,
    into folder: SharedDescriptor
  ) throws(SystemError)
    -> TemporaryFile
  {
    let copy = try makeFile(for: file.path, in: folder, prefix: ".minilab-")
    copy.mayReplace = file.mayReplace
    try System.copy(file.descriptor, to: copy.descriptor)
    try file.kept.apply(to: copy.descriptor)
    try System.flush(copy.descriptor)
    return copy
  }

  /// Folders made here stay even where the item fails: another worker may be about to use them.
  private func openParent(of path: Path) throws(ItemError) -> Descriptor {
    let names = path.folder.bytes.split(separator: UInt8(ascii: "/")).map { Path(bytes: $0) }
    var folder = try naming(path) { () throws(SystemError) in
      try Descriptor(opening: Path("."), in: root.number, O_RDONLY | Int32(O_DIRECTORY))
    }
    var walked = Path("")
    for name in names {
      walked = walked.appending(name)
      precondition(name != Path(".."), "output paths are checked where they are made")
      do {
        folder = try System.openFolder(name, in: folder.number, making: true)
      } catch {
        let kind = try? System.kind(of: name, in: folder.number)
        guard kind == .link || kind == .file || kind == .other else {
          throw Self.failure(error, writing: path)
        }
        throw ItemError(
          .writeFailed,
          expected: "a folder \(walked.shown) for \(path.lastComponent.shown)",
          received: kind == .link ? "a symbolic link" : "a file"
        )
      }
    }
    return folder
  }
}

extension ItemError {
  /// Nothing more can be written, nor perhaps taken back.
  fileprivate static func outputLost(_ path: Path, _ error: SystemError) -> ItemError {
    ItemError(.outputLost, expected: "to write \(path.shown)", received: error.reason)
  }

  /// Something stands under an output's name that is nobody's to replace.
  static func exists(_ path: Path) -> ItemError {
    ItemError(
      .exists,
      expected: "no file at \(path.shown), or one that was made here (--force replaces it)",
      received: "one that the ledger does not know"
    )
  }
}
