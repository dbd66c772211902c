import Glibc
import MinilabKit

/// Finds the items below the inputs: reads folders and the first bytes of files, and nothing else.
///
/// Paths are bytes throughout. Whatever is found depends on what is there, never on the order in
/// which a file system lists it.
struct Walk {
  private let policy: InputPolicy
  private let selection: FileSelection
  private let output: OutputRoot?
  private var inspector: Inspector

  private var table = ItemTable()
  private var leftOut = LeftOut()
  /// Folders that were walked, each once: bind mounts and links can show one in many places.
  private var walked: [FileIdentity: UInt32] = [:]
  /// Files that were named, or reached through a link; whoever comes to them later passes over.
  private var taken = TakenFiles()
  private var links: [Link] = []
  /// Files and folders that stand elsewhere than below a root, or may do so.
  private var reached: [Path] = []
  private var needsSort = false

  private struct Link {
    let folder: UInt32
    let name: [UInt8]
    /// As it is opened.
    let path: Path
  }

  /// The output root, where it exists already.
  private struct OutputRoot {
    let identity: FileIdentity
    /// Without links on the way.
    let path: [UInt8]
  }

  struct Result {
    var items: ItemTable
    var leftOut: LeftOut
    /// Items are found in these, and below these: folders and files.
    var places: [Path] = []
  }

  /// Walks the inputs.
  ///
  /// - Parameters:
  ///   - inputs: Files and folders as a person gave them.
  ///   - policy: Which files are items.
  ///   - output: The output root, which is left out; it need not exist.
  /// - Returns: The items in the order of their paths' bytes, and what was left out.
  /// - Throws: `PlanError` where an input is not there, or is the output root.
  static func run(
    _ inputs: [Path],
    _ policy: InputPolicy,
    output: Path?
  ) throws(PlanError) -> Result {
    var walk = Walk(policy, output: output)
    try walk.take(inputs)
    if inputs.count > 1 || walk.needsSort { walk.table.sort() }
    walk.table.shrink()
    let roots = walk.table.roots.map { $0.path.isEmpty ? Path(".") : $0.path }
    return Result(items: walk.table, leftOut: walk.leftOut, places: roots + walk.reached)
  }

  private init(_ policy: InputPolicy, output: Path?) {
    self.policy = policy
    selection = FileSelection(policy)
    inspector = Inspector(policy.formats.formats)
    self.output = output.flatMap { output in
      guard let status = try? fileStatus(of: output), let path = try? realPath(output) else {
        return nil
      }
      return OutputRoot(identity: FileIdentity(status), path: path)
    }
  }

  private mutating func take(_ inputs: [Path]) throws(PlanError) {
    var folders: [Path] = []
    var fileRoots: [Path: UInt32] = [:]
    for input in inputs {
      switch try kind(of: input) {
      case .folder: folders.append(input)
      // A file that is named keeps its own folder as root, even where that is walked too.
      case .file: takeFile(input, &fileRoots)
      case .link, .other:
        let root = fileRoot(of: input, &fileRoots)
        table.add(
          input.lastComponent.bytes,
          in: root,
          failed: ItemError(
            .notAPicture,
            expected: "a file or a folder",
            received: "a FIFO, device or socket, which is never opened"
          )
        )
      }
    }
    for folder in folders { try takeFolder(folder) }
    followLinks()
  }

  private func kind(of input: Path) throws(PlanError) -> FileKind {
    if input.isEmpty { throw .input(input, reason: "an empty name") }
    do {
      return FileKind(mode: try fileStatus(of: input).st_mode)
    } catch {
      throw .input(input, reason: error.reason)
    }
  }

  private mutating func fileRoot(of file: Path, _ roots: inout [Path: UInt32]) -> UInt32 {
    let folder = file.folder
    if let root = roots[folder] { return root }
    let root = table.addRoot(ItemTable.Root(path: folder, name: rootName(of: folder)))
    roots[folder] = root
    return root
  }

  private mutating func takeFile(_ file: Path, _ roots: inout [Path: UInt32]) {
    if let entry = FolderEntry(of: file), !taken.take(entry) { return }
    let root = fileRoot(of: file, &roots)
    table.mayHoldLinks = true
    reached.append(file)
    let found = inspector.inspect(file.bytes[...], in: AT_FDCWD, follow: true, named: true)
    add(found, file.lastComponent.bytes[...], in: root)
  }

  private mutating func takeFolder(_ folder: Path) throws(PlanError) {
    func reading<Value>(_ body: () throws(SystemError) -> Value) throws(PlanError) -> Value {
      do { return try body() } catch { throw .input(folder, reason: error.reason) }
    }
    let open = try reading { () throws(SystemError) in try OpenFolder(folder.bytes) }
    if open.identity == output?.identity { throw .outputIsInput(folder) }
    if walked[open.identity] != nil { return }
    let entries = try reading { () throws(SystemError) in try open.entries() }
    let root = table.addRoot(ItemTable.Root(path: folder, name: rootName(of: folder)))
    walk(open, entries, as: root)
  }

  private mutating func add(
    _ found: Inspection,
    _ name: ArraySlice<UInt8>,
    in folder: UInt32
  ) {
    switch found {
    case .picture(let format, let seconds): table.add(name, in: folder, format, seconds: seconds)
    case .failed(let error): table.add(name, in: folder, failed: error)
    case .leftOut(let kind): leftOut[keyPath: kind] += 1
    case .off(let format):
      let path = Path(bytes: table.folderPath(folder)).appending(Path(bytes: name))
      leftOut.add(LeftOut.Off(path: path, format: format))
    case .gone: break
    }
  }

  // MARK: Folders

  /// Depth first, in the order of the paths' bytes.
  ///
  /// The way down is a stack of our own, and only its last folders are open.
  private mutating func walk(_ open: OpenFolder, _ entries: FolderEntries, as root: UInt32) {
    walked[open.identity] = root
    var way = Way(root, open, entries, path: table.folderPath(root))
    while let (folder, name, kind) = way.next() {
      if name.first == UInt8(ascii: ".") {
        leftOut.hidden += 1
        continue
      }
      switch kind {
      case .folder: descend(to: name, &way)
      case .other: if selection.takes(name, in: way.path) { leftOut.notAPicture += 1 }
      case .link: if selection.takes(name, in: way.path) { meet(name, in: folder, root: root) }
      case .file:
        guard selection.takes(name, in: way.path) else { continue }
        do {
          let open = try way.open()
          if taken.contains(name, in: open.identity) { continue }
          add(inspector.inspect(name, in: open.descriptor, follow: false), name, in: folder)
        } catch {
          table.add(name, in: folder, failed: .unreadable("a file that can be read", error))
        }
      }
    }
  }

  private mutating func descend(to name: ArraySlice<UInt8>, _ way: inout Way) {
    if selection.leavesOutAll(below: name, in: way.path) { return }
    do {
      let open = try OpenFolder(name, in: way.open())
      if open.identity == output?.identity || walked[open.identity] != nil { return }
      let entries = try open.entries()
      let folder = table.addFolder(name, in: way.folder)
      walked[open.identity] = folder
      way.descend(folder, name, open, entries)
    } catch {
      if error.number == ENOENT { return }
      table.add(
        name,
        in: way.folder,
        failed: .unreadable("a folder that can be read", error)
      )
      // A folder stands elsewhere in the order than a file of its name.
      needsSort = true
    }
  }

  // MARK: Links

  private mutating func meet(_ name: ArraySlice<UInt8>, in folder: UInt32, root: UInt32) {
    guard policy.links == .follow else {
      leftOut.link += 1
      return
    }
    let below = Path(bytes: table.folderPath(folder)).appending(Path(bytes: name))
    let path = table.root(of: folder).path.appending(below)
    links.append(Link(folder: folder, name: Array(name), path: path))
  }

  /// Links come after everything that is there without them, in the order of their paths, so a
  /// target that is itself below an input is taken by its own name.
  private mutating func followLinks() {
    while !links.isEmpty {
      needsSort = true
      table.mayHoldLinks = true
      let round = links.sorted { $0.path < $1.path }
      links = []
      for link in round { follow(link) }
    }
  }

  private mutating func follow(_ link: Link) {
    let status: stat
    let target: [UInt8]
    do {
      status = try fileStatus(of: link.path)
      target = try realPath(link.path)
    } catch {
      if inspector.promisesPicture(link.name) {
        table.add(
          link.name,
          in: link.folder,
          failed: .unreadable("a link to what can be read", error)
        )
      } else {
        leftOut.link += 1
      }
      return
    }
    if let output, target == output.path || target.starts(with: output.path + [slash]) {
      leftOut.link += 1
      return
    }
    switch FileKind(mode: status.st_mode) {
    case .folder: followFolder(link)
    case .file: followFile(link)
    case .link, .other: leftOut.notAPicture += 1
    }
  }

  private mutating func followFolder(_ link: Link) {
    do {
      let open = try OpenFolder(link.path.bytes)
      if walked[open.identity] != nil {
        leftOut.link += 1
        return
      }
      let entries = try open.entries()
      reached.append(link.path)
      walk(open, entries, as: table.addFolder(link.name, in: link.folder))
    } catch {
      table.add(
        link.name,
        in: link.folder,
        failed: .unreadable("a folder that can be read", error)
      )
    }
  }

  private mutating func followFile(_ link: Link) {
    guard let entry = FolderEntry(of: link.path), !isTaken(entry) else {
      leftOut.link += 1
      return
    }
    taken.take(entry)
    reached.append(link.path)
    let found = inspector.inspect(link.path.bytes[...], in: AT_FDCWD, follow: true)
    add(found, link.name[...], in: link.folder)
  }

  /// True for a file that was an item, or left out, by a name of its own.
  private func isTaken(_ entry: FolderEntry) -> Bool {
    if taken.contains(entry) { return true }
    guard let folder = walked[entry.folder], entry.name.first != UInt8(ascii: ".") else {
      return false
    }
    return selection.takes(entry.name, in: table.folderPath(folder))
  }
}

/// What `{root}` stands for: the folder's name as given, or its own where a dot was given.
private func rootName(of folder: Path) -> [UInt8] {
  var bytes = folder.bytes
  while bytes.last == slash { bytes.removeLast() }
  let name = Path(bytes: bytes).lastComponent
  if !name.isEmpty, name != Path("."), name != Path("..") { return name.bytes }
  return (try? realPath(folder)).map { Path(bytes: $0).lastComponent.bytes } ?? []
}

private let slash = UInt8(ascii: "/")
