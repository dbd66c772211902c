import Glibc
import MinilabKit

/// An output root of our own in the folder of temporary files, gone with its owner.
final class ScratchRoot {
  let folder: OutputFolder
  private let parent: Path

  init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let template = (base.isEmpty ? "/tmp" : base) + "/minilab-XXXXXX"
    var bytes = Array(template.utf8CString)
    guard mkdtemp(&bytes) != nil else { throw SystemError(call: .mkdir, number: errno) }
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
