import Glibc
import MinilabKit

/// Removes one output, if it still is what was made.
struct Pruning {
  enum Outcome: Equatable {
    case removed
    case gone
    /// Somebody has changed it since it was made, and it stays.
    case altered(FileStamp)
    /// It could not be removed.
    case failed(String)
  }

  private let root: Path

  init(_ root: Path) {
    self.root = root
  }

  /// `isDry`: only tells what would become of it.
  func remove(_ path: Path, _ output: LedgerOutput, isDry: Bool = false) -> Outcome {
    // Anybody who can write to the root can write to its ledger: nothing outside is touched.
    do { try checkOutputPath(path.bytes) } catch {
      return .failed("it does not lie in the folder of the results")
    }
    do {
      guard let folder = try folder(of: path) else { return .gone }
      var status = stat()
      let name = path.lastComponent
      guard name.withCString({ fstatat(folder.number, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0
      else {
        return .gone
      }
      let isSame = output.state != .altered && FileStamp(status) == output.stamp
      guard isSame || isSound(path, output) else { return .altered(FileStamp(status)) }
      if isDry { return .removed }
      try System.remove(name, in: folder.number)
    } catch {
      return .failed(error.reason)
    }
    removeEmptyFolders(above: path)
    return .removed
  }

  /// The folder that a path lies in, by no link; nil where it is gone.
  private func folder(of path: Path) throws(SystemError) -> SharedDescriptor? {
    var folder = SharedDescriptor(try Descriptor(opening: root, O_RDONLY | Int32(O_DIRECTORY)))
    for name in path.folder.bytes.split(separator: UInt8(ascii: "/")) {
      do throws(SystemError) {
        folder = SharedDescriptor(
          try System.openFolder(Path(bytes: name), in: folder.number, making: false)
        )
      } catch {
        if error.number == ENOENT { return nil }
        throw error
      }
    }
    return folder
  }

  private func isSound(_ path: Path, _ output: LedgerOutput) -> Bool {
    guard let digest = output.digest else { return false }
    return OutputLook(root, path).file?.digest == digest
  }

  private func removeEmptyFolders(above path: Path) {
    var emptied = path.folder
    while !emptied.isEmpty, let above = try? folder(of: emptied),
      (try? System.remove(emptied.lastComponent, in: above.number, isFolder: true)) != nil
    {
      emptied = emptied.folder
    }
  }
}
