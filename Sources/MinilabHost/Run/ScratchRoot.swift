import Glibc
import MinilabKit

/// An output root of our own in the folder of temporary files, gone with its owner.
final class ScratchRoot {
  let folder: OutputFolder
  private let parent: Path

  init() throws(OutputFolderError) {
    let named = getenv("TMPDIR").map {
      Path(bytes: UnsafeRawBufferPointer(start: $0, count: strlen($0)))
    }
    let base = named.flatMap { $0.isEmpty ? nil : $0 } ?? Path("/tmp")
    var bytes = base.appending("minilab-XXXXXX").bytes.map { CChar(bitPattern: $0) } + [0]
    guard mkdtemp(&bytes) != nil else {
      throw OutputFolderError(
        path: base,
        expected: "a folder for temporary files (TMPDIR)",
        received: SystemError(call: .mkdir, number: errno).reason
      )
    }
    parent = Path(bytes: bytes.dropLast().map(UInt8.init(bitPattern:)))
    folder = try OutputFolder(preparing: parent.appending("out"))
  }

  /// Where a file of this name lies.
  func path(of name: Path) -> Path { folder.path.appending(name) }

  deinit {
    if let root = try? Descriptor(opening: folder.path, O_RDONLY | Int32(O_DIRECTORY)),
      let names = try? System.names(in: root.number)
    {
      for name in names where name != OutputFolder.ownName {
        try? System.remove(name, in: root.number)
      }
    }
    folder.emptyTemporaries()
    folder.discard()
    try? System.remove(parent, in: AT_FDCWD, isFolder: true)
  }
}
