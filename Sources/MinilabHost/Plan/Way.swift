import Glibc

/// Where a walk is: the folders from its root down to the current one, with what is still to be
/// seen in each.
///
/// Only the last of them are kept open, so a deep tree exhausts no descriptors; one that was closed
/// is opened again from above, and must then still be the same folder.
struct Way {
  private struct Step {
    let folder: UInt32
    let name: [UInt8]
    let identity: FileIdentity
    var open: OpenFolder?
    let entries: FolderEntries
    var seen = 0
    /// The length of the path above this folder.
    let above: Int
  }

  /// Folders that are open at a time, besides the root.
  static let mostOpen = 64

  private var steps: [Step]
  /// The current folder's path below the root.
  private(set) var path: [UInt8]

  init(_ folder: UInt32, _ open: OpenFolder, _ entries: FolderEntries, path: [UInt8]) {
    steps = [
      Step(
        folder: folder,
        name: [],
        identity: open.identity,
        open: open,
        entries: entries,
        above: path.count
      )
    ]
    self.path = path
  }

  /// The current folder, as the table knows it.
  var folder: UInt32 { steps[steps.count - 1].folder }

  /// What comes next, going up where a folder is done; nil at the end.
  mutating func next() -> (folder: UInt32, name: ArraySlice<UInt8>, kind: FileKind)? {
    while let step = steps.last {
      if step.seen < step.entries.count {
        steps[steps.count - 1].seen += 1
        let entry = step.entries[step.seen]
        return (step.folder, entry.name, entry.kind)
      }
      path.removeLast(path.count - step.above)
      steps.removeLast()
    }
    return nil
  }

  mutating func descend(
    _ folder: UInt32,
    _ name: ArraySlice<UInt8>,
    _ open: OpenFolder,
    _ entries: FolderEntries
  ) {
    let above = path.count
    if !path.isEmpty { path.append(UInt8(ascii: "/")) }
    path += name
    steps.append(
      Step(
        folder: folder,
        name: Array(name),
        identity: open.identity,
        open: open,
        entries: entries,
        above: above
      )
    )
    closeFarAbove(steps.count - 1)
  }

  /// The current folder, opened again where it was closed.
  mutating func open() throws(SystemError) -> OpenFolder {
    let last = steps.count - 1
    if let open = steps[last].open { return open }
    // The root is never closed.
    var above = steps[..<last].lastIndex { $0.open != nil } ?? 0
    while above < last {
      guard let parent = steps[above].open else { throw SystemError(call: .open, number: ESTALE) }
      let open = try OpenFolder(steps[above + 1].name[...], in: parent)
      guard open.identity == steps[above + 1].identity else {
        throw SystemError(call: .open, number: ESTALE)
      }
      above += 1
      steps[above].open = open
      closeFarAbove(above)
    }
    guard let open = steps[last].open else { throw SystemError(call: .open, number: ESTALE) }
    return open
  }

  private mutating func closeFarAbove(_ depth: Int) {
    if depth > Self.mostOpen { steps[depth - Self.mostOpen].open = nil }
  }
}
