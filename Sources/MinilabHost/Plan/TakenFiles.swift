import MinilabKit

/// A name in a folder: a file itself, where folders are walked once.
///
/// An inode is not: hard links are files of their own.
struct FolderEntry: Hashable {
  let folder: FileIdentity
  let name: [UInt8]
}

extension FolderEntry {
  /// The file behind a path, by the folder that holds it and its name there; nil where nothing is.
  init?(of file: Path) {
    guard let path = (try? realPath(file)).map(Path.init(bytes:)),
      let status = try? fileStatus(of: path.folder)
    else { return nil }
    self.init(folder: FileIdentity(status), name: path.lastComponent.bytes)
  }
}

/// Files that are items already, though the folders they are in may still be walked.
struct TakenFiles {
  private var entries: Set<FolderEntry> = []
  /// Most folders hold none of them, and their names need not be looked up.
  private var folders: Set<FileIdentity> = []

  /// False for a file that was taken before.
  @discardableResult
  mutating func take(_ entry: FolderEntry) -> Bool {
    folders.insert(entry.folder)
    return entries.insert(entry).inserted
  }

  func contains(_ entry: FolderEntry) -> Bool { entries.contains(entry) }

  /// The same for a name in a folder that is being walked.
  func contains(_ name: ArraySlice<UInt8>, in folder: FileIdentity) -> Bool {
    folders.contains(folder) && entries.contains(FolderEntry(folder: folder, name: Array(name)))
  }
}
