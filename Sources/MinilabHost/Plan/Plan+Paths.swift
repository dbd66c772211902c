import MinilabKit

extension Plan {
  /// Where an output goes if nothing else goes there.
  func path(at index: Int, _ output: Int, page: Int = 0) throws(ItemError) -> Path {
    try path(at: index, output, page: page, folder: items.folderPath(at: firstItem(of: index)))
  }

  /// The same for many units, whose folder's path was made once.
  func path(
    at index: Int,
    _ output: Int,
    page: Int = 0,
    folder: [UInt8]
  ) throws(ItemError) -> Path {
    let recipe = recipes[output]
    let first = firstItem(of: index)
    let lead = lead(of: index)
    guard let format = recipe.format ?? items.items[lead].format else { return Path("") }
    let path = try recipe.path.fill(
      PathValues(
        folder: folder,
        name: items.name(at: first),
        format: format,
        output: recipe.name,
        index: index + 1,
        root: items.root(at: first).name,
        size: pages.size(of: index, output, page: page),
        clock: WallClock(seconds: items.items[lead].seconds),
        group: recipe.path.needsGroup ? groupName(of: index) : [],
        page: page + 1
      )
    )
    // Pages that a path does not tell apart are numbered.
    guard pages.count(of: index) > 1, !recipe.path.namesPage else { return path }
    let own = numbered(path, page + 1)
    try checkOutputPath(own.bytes)
    return own
  }

  /// What `{group}` stands for.
  private func groupName(of index: Int) -> [UInt8] {
    let first = firstItem(of: index)
    switch gather?.by {
    case nil: return []
    case .all?, .count?: return Array(String(index + 1).utf8)
    case .folder?:
      let name = items.folderName(items.items[first].folder)
      return name.isEmpty ? items.root(at: first).name : Array(name)
    case .pattern(let pattern)?:
      // It was captured once, when the group was made.
      let text = try? pattern.bytes.capture(in: items.relativePath(at: first).bytes)
      return text ?? []
    }
  }
}

/// The path with a number behind the name, before its extension.
func numbered(_ path: Path, _ number: Int) -> Path {
  let ending = path.fileExtension
  let name = path.stem.bytes + Array("-\(number)".utf8)
  let whole = Path(bytes: ending.isEmpty ? name : name + Array(".".utf8) + ending.bytes)
  return path.folder.appending(whole)
}
