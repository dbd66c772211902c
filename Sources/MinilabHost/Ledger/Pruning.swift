import Glibc
import MinilabKit

/// Removes one output, if it still is what was made.
struct Pruning {
  enum Outcome: Equatable {
    case removed
    case gone
    case kept(String)
  }

  private let root: Path

  init(_ root: Path) {
    self.root = root
  }

  func remove(_ path: Path, _ output: LedgerOutput) -> Outcome {
    let full = root.appending(path)
    var status = stat()
    guard full.withCString({ lstat($0, &status) }) == 0 else { return .gone }
    let isSame = output.state != .altered && FileStamp(status) == output.stamp
    guard isSame || isSound(path, output) else {
      return .kept("somebody has changed it since it was made")
    }
    guard full.withCString({ unlink($0) }) == 0 else {
      return .kept(SystemError(call: .unlink, number: errno).reason)
    }
    removeEmptyFolders(above: path)
    return .removed
  }

  private func isSound(_ path: Path, _ output: LedgerOutput) -> Bool {
    guard let digest = output.digest else { return false }
    return OutputLook(root, path).file?.digest == digest
  }

  private func removeEmptyFolders(above path: Path) {
    var folder = path.folder
    while !folder.isEmpty, root.appending(folder).withCString({ rmdir($0) }) == 0 {
      folder = folder.folder
    }
  }
}
