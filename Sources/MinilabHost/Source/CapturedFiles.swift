import Glibc
import MinilabKit

/// The folder of an output root in which captured pictures lie until their units are done.
///
/// A run empties the folder of temporary files, and never this one: what lies here exists nowhere
/// else.
final class CapturedFiles {
  static let name = Path("captured")

  /// Below the output root.
  static let place = OutputFolder.ownName.appending(name)

  private let folder: Descriptor
  private let temporaries: Descriptor
  private let process = getpid()
  private var count = 0

  /// Opens the folder of a root that the coordinator has prepared, and makes it where it is missing.
  init(root path: Path) throws(SystemError) {
    let own = try Descriptor(
      opening: path.appending(OutputFolder.ownName),
      O_RDONLY | Int32(O_DIRECTORY)
    )
    folder = try System.openFolder(Self.name, in: own.number, making: true)
    temporaries = try System.openFolder(OutputFolder.temporariesName, in: own.number, making: true)
  }

  /// What is there.
  var names: [Path] { ((try? System.names(in: folder.number)) ?? []).sorted() }

  /// Writes a file that is there whole or not at all.
  ///
  /// - Returns: its name, which is another one where that is taken.
  func add(_ bytes: [UInt8], as name: Path) throws(SystemError) -> Path {
    count += 1
    let temporary = Path("\(process)-\(count)")
    do throws(SystemError) {
      let file = try Descriptor(
        opening: temporary,
        in: temporaries.number,
        O_WRONLY | Int32(O_CREAT) | Int32(O_TRUNC)
      )
      try System.writeAll(file.number, bytes)
      // Nobody else writes here: the output root is locked.
      var free = name
      var number = 2
      while try System.kind(of: free, in: folder.number) != .nothing {
        free = numbered(name, number)
        number += 1
      }
      try System.rename(temporary, in: temporaries.number, to: free, in: folder.number)
      return free
    } catch {
      try? System.remove(temporary, in: temporaries.number)
      throw error
    }
  }

  func remove(_ name: Path) {
    try? System.remove(name, in: folder.number)
  }

  /// Puts a file on the disk that is to stay.
  func keep(_ name: Path) {
    guard let file = try? Descriptor(opening: name, in: folder.number, O_RDONLY) else { return }
    try? System.flush(file.number)
  }
}
