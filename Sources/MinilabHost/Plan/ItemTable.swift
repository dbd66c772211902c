import MinilabKit

/// The items of a plan, small: ten million of them fit into memory.
///
/// Names stand in one block, a folder's path is the chain of its parents, an item takes 24 bytes
/// and its name.
struct ItemTable: Sendable {
  /// What a person gave as input, or the folder of a file that was given.
  struct Root: Sendable {
    /// In front of a path that is opened; empty for the working folder.
    let path: Path
    /// What `{root}` stands for.
    let name: [UInt8]
  }

  private struct Folder {
    /// Negative for a root.
    var parent: Int32
    var root: Int32
    var start: Int
    var length: Int32
  }

  struct Item: Sendable {
    /// Seconds since 1970: of the file until the plan turns them into a clock's.
    var seconds: Int64
    /// Where the name begins; no two items share it.
    fileprivate(set) var start: Int
    fileprivate(set) var folder: UInt32
    fileprivate(set) var length: UInt16
    /// Nil for what fails before it is opened.
    fileprivate(set) var format: PictureFormat?
  }

  private(set) var roots: [Root] = []
  private var folders: [Folder] = []
  private(set) var items: [Item] = []
  private var names: [UInt8] = []
  private var failures: [Int: ItemError] = [:]

  /// Some path leads through a link, so that it is not the only name of its file.
  var mayHoldLinks = false

  var count: Int { items.count }

  /// Items that have failed before anything was opened.
  var failedCount: Int { failures.count }

  // MARK: Filling

  mutating func addRoot(_ root: Root) -> UInt32 {
    roots.append(root)
    folders.append(Folder(parent: -1, root: Int32(roots.count - 1), start: 0, length: 0))
    return UInt32(folders.count - 1)
  }

  mutating func addFolder(_ name: some Collection<UInt8>, in parent: UInt32) -> UInt32 {
    let root = folders[Int(parent)].root
    folders.append(
      Folder(
        parent: Int32(parent),
        root: root,
        start: names.count,
        length: Int32(name.count)
      )
    )
    names += name
    return UInt32(folders.count - 1)
  }

  mutating func add(
    _ name: some Collection<UInt8>,
    in folder: UInt32,
    _ format: PictureFormat,
    seconds: Int64
  ) {
    append(name, folder, format, seconds)
  }

  mutating func add(
    _ name: some Collection<UInt8>,
    in folder: UInt32,
    failed error: ItemError
  ) {
    failures[names.count] = error
    append(name, folder, nil, 0)
  }

  private mutating func append(
    _ name: some Collection<UInt8>,
    _ folder: UInt32,
    _ format: PictureFormat?,
    _ seconds: Int64
  ) {
    items.append(
      Item(
        seconds: seconds,
        start: names.count,
        folder: folder,
        length: UInt16(name.count),
        format: format
      )
    )
    names += name
  }

  mutating func fail(at index: Int, _ error: ItemError) {
    failures[items[index].start] = error
  }

  mutating func setSeconds(at index: Int, _ seconds: Int64) {
    items[index].seconds = seconds
  }

  /// Puts the items into the order of the bytes of their paths.
  mutating func sort() {
    // The comparison reads the table while the items are out of it.
    var sorted = items
    items = []
    sorted.sort { left, right in
      if left.folder == right.folder {
        return nameSlice(left).lexicographicallyPrecedes(nameSlice(right))
      }
      return path(left).lexicographicallyPrecedes(path(right))
    }
    items = sorted
  }

  /// Gives back the room that growing left.
  mutating func shrink() {
    items = exactly(items)
    names = exactly(names)
    folders = exactly(folders)
  }

  // MARK: Asking

  func failure(at index: Int) -> ItemError? {
    failures[items[index].start]
  }

  func name(at index: Int) -> [UInt8] { Array(nameSlice(items[index])) }

  func root(at index: Int) -> Root {
    roots[Int(folders[Int(items[index].folder)].root)]
  }

  /// The place of an item's root among the roots.
  func rootNumber(at index: Int) -> Int { Int(folders[Int(items[index].folder)].root) }

  /// The folder below the root, without slashes at its ends; empty for the root.
  func folderPath(at index: Int) -> [UInt8] { folderPath(items[index].folder) }

  func folderPath(_ folder: UInt32) -> [UInt8] {
    var chain: [UInt32] = []
    var at = folder
    while folders[Int(at)].parent >= 0 {
      chain.append(at)
      at = UInt32(folders[Int(at)].parent)
    }
    var path: [UInt8] = []
    for folder in chain.reversed() {
      if !path.isEmpty { path.append(slash) }
      path += folderName(folder)
    }
    return path
  }

  func folderName(_ folder: UInt32) -> ArraySlice<UInt8> {
    let entry = folders[Int(folder)]
    return names[entry.start..<entry.start + Int(entry.length)]
  }

  func root(of folder: UInt32) -> Root { roots[Int(folders[Int(folder)].root)] }

  /// The item's path below its root.
  func relativePath(at index: Int) -> Path {
    let folder = folderPath(at: index)
    return Path(bytes: folder.isEmpty ? name(at: index) : folder + [slash] + name(at: index))
  }

  /// The item's path as it is opened.
  func path(at index: Int) -> Path {
    root(at: index).path.appending(relativePath(at: index))
  }

  /// What the table takes of memory, in bytes.
  var bytes: Int {
    names.capacity + items.capacity * MemoryLayout<Item>.stride
      + folders.capacity * MemoryLayout<Folder>.stride
  }

  private func nameSlice(_ item: Item) -> ArraySlice<UInt8> {
    names[item.start..<item.start + Int(item.length)]
  }

  private func path(_ item: Item) -> [UInt8] {
    let below = folderPath(item.folder)
    let prefix = root(of: item.folder).path.appending(Path(bytes: below)).bytes
    return prefix + (prefix.isEmpty || prefix.last == slash ? [] : [slash]) + nameSlice(item)
  }
}

private func exactly<Element>(_ array: [Element]) -> [Element] {
  Array(unsafeUninitializedCapacity: array.count) { buffer, count in
    count = buffer.initialize(fromContentsOf: array)
  }
}

private let slash = UInt8(ascii: "/")
