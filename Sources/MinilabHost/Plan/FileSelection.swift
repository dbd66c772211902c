/// Which files below a root a profile takes: `include` and `exclude` of its input policy.
struct FileSelection {
  private let include: [Glob]
  private let exclude: [Glob]
  private let takesEverything: Bool

  init(_ policy: InputPolicy) {
    include = policy.include.map(Glob.init)
    exclude = policy.exclude.map(Glob.init)
    takesEverything = include.contains(where: \.isEverything) && exclude.isEmpty
  }

  /// Whether a file is taken.
  ///
  /// `folder`: the path of its folder below the root, empty for the root itself.
  func takes(_ name: some Collection<UInt8>, in folder: [UInt8]) -> Bool {
    if takesEverything { return true }
    let path = path(of: name, in: folder)
    return include.contains { $0.matches(path) } && !exclude.contains { $0.matches(path) }
  }

  /// Nothing in a folder is taken, nor below it: it need not be read.
  func leavesOutAll(below name: some Collection<UInt8>, in folder: [UInt8]) -> Bool {
    if exclude.isEmpty { return false }
    let path = path(of: name, in: folder)
    return exclude.contains { $0.matchesAll(below: path) }
  }

  private func path(of name: some Collection<UInt8>, in folder: [UInt8]) -> [UInt8] {
    folder.isEmpty ? Array(name) : folder + [UInt8(ascii: "/")] + name
  }
}
