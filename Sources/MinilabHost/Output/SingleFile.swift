import Glibc
import MinilabKit

/// One file under a name that a person has given, which holds the old file or the complete new one.
struct SingleFile {
  private let path: Path
  private let folder: SharedDescriptor

  /// Finds what would keep the file from being written; changes nothing.
  ///
  /// - Throws: where the folder is not there, or a folder has that name.
  init(_ path: Path) throws(OutputFolderError) {
    self.path = path
    let parent = path.folder.isEmpty ? Path(".") : path.folder
    do {
      folder = SharedDescriptor(try Descriptor(opening: parent, O_RDONLY | Int32(O_DIRECTORY)))
    } catch {
      throw OutputFolderError(
        path: path,
        expected: "a name in a folder that is there",
        received: error.number == ENOENT
          ? "that \(parent.shown) is not there" : "\(parent.shown): \(error.reason)"
      )
    }
    let number = folder.number
    do {
      try System.attempt(.access) { _ in faccessat(number, ".", W_OK | X_OK, AT_EACCESS) }
      if try System.kind(of: path.appending(".")) == .folder {
        throw OutputFolderError(path: path, expected: "a name for a file", received: "a folder")
      }
    } catch let error as SystemError {
      // No folder: what `name/.` must be.
      if error.number == ENOTDIR {
        try refuseDevice()
        return
      }
      throw OutputFolderError(
        path: path,
        expected: "a name in a folder that can be written",
        received: error.reason
      )
    } catch let error as OutputFolderError {
      throw error
    } catch {
      throw OutputFolderError(path: path, expected: "a name for a file", received: "\(error)")
    }
  }

  /// A pipe or a device would be gone, and a file in its place.
  private func refuseDevice() throws(OutputFolderError) {
    var own = stat()
    let isThere = path.withCString { stat($0, &own) } == 0
    if !isThere || own.st_mode & S_IFMT == S_IFREG { return }
    throw OutputFolderError(
      path: path,
      expected: "a name for a file",
      received: "a pipe, a socket or a device"
    )
  }

  /// The file has one of these names already, whatever links lead to it.
  func isOne(of inputs: some Sequence<Path>) -> Path? {
    var own = stat()
    guard path.withCString({ stat($0, &own) }) == 0 else { return nil }
    return inputs.first { input in
      var other = stat()
      return input.withCString { stat($0, &other) } == 0
        && other.st_dev == own.st_dev && other.st_ino == own.st_ino
    }
  }

  /// Puts a copy of a file under the name, in one move.
  func put(_ source: Path) throws(SystemError) {
    let from = try Descriptor(opening: source, O_RDONLY)
    let file = try TemporaryFile(path: path, name: Path(".minilab-\(getpid())"), folder: folder)
    try System.copy(from.number, to: file.descriptor)
    try System.flush(file.descriptor)
    let isThere = try System.kind(of: path.lastComponent, in: folder.number) != .nothing
    _ = try file.place(as: path.lastComponent, in: folder, replacing: isThere)
  }
}
