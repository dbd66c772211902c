public import MinilabKit

/// From a name on the command line to a profile: found, read, merged, changed by `--set`, and
/// understood.
public enum ProfileLoader {
  /// - Parameters:
  ///   - given: a path, or a name that is looked for in the folders of profiles.
  ///   - assignments: the arguments of `--set`.
  ///   - operations: what `op =` may name.
  /// - Returns: the profile, with nothing left to resolve.
  /// - Throws: every problem there is, sorted by place; after a syntax error only that one.
  public static func load(
    _ given: Path,
    set assignments: [String] = [],
    operations: [OperationEntry]
  ) throws(Problems) -> Profile {
    try load(
      given,
      settings: assignments.map { .key($0) },
      operations: operations,
      finder: .standard()
    )
  }

  static func load(
    _ given: Path,
    settings: [ProfileSetting] = [],
    operations: [OperationEntry],
    finder: ProfileFinder
  ) throws(Problems) -> Profile {
    let chain: [ProfileFile]
    do {
      chain = try Self.chain(from: given, finder: finder)
    } catch {
      throw Problems([error])
    }
    return try resolved(chain, settings, operations: operations)
  }

  /// Merges and understands what was read: a profile and then what it extends.
  static func resolved(
    _ chain: [ProfileFile],
    _ settings: [ProfileSetting],
    operations: [OperationEntry]
  ) throws(Problems) -> Profile {
    let long = chain.compactMap(\.lengthProblem)
    if !long.isEmpty { throw Problems(long) }
    var problems = chain.compactMap(\.versionProblem)
    var root = chain[0].node
    for parent in chain.dropFirst() { root = ProfileMerge.merged(root, onto: parent.node) }
    var targets = AssignmentTargets(root.withoutExtends.withOutput)
    for setting in settings {
      do {
        targets.carryOut(try setting.assignment(), &problems)
      } catch {
        problems.append(error)
      }
    }
    let profile = ProfileDecoder(operations: operations).profile(targets.root, &problems)
    guard let profile, problems.isEmpty else { throw Problems(sorted(problems, along: chain)) }
    return profile
  }

  private static let longestChain = 64

  /// The profile and what it extends, child before parent; at least one.
  private static func chain(
    from given: Path,
    finder: ProfileFinder
  ) throws(Problem) -> [ProfileFile] {
    let asker = Place(argument: given.shown)
    var path = given
    if !ProfileFinder.isPath(given) { path = try finder.find(given, asker: asker) }
    var chain = [try ProfileFile(path, asker: asker)]
    while let file = chain.last, let base = file.node["extends"] {
      guard let name = base.text, !name.isEmpty else {
        throw Problem(
          .wrongType,
          at: base.place,
          key: "extends",
          expected: "the name or path of a profile",
          received: base.shown
        )
      }
      var path = file.path.folder.appending(name)
      if !ProfileFinder.isPath(Path(name)) {
        path = try finder.find(Path(name), nearby: file.path.folder, asker: base.place)
      }
      let parent = try ProfileFile(path, asker: base.place)
      if let start = chain.firstIndex(where: { $0.identity == parent.identity }) {
        let circle = (chain[start...].map(\.path) + [path]).map(\.shown)
        throw Problem(
          .cycle,
          at: base.place,
          key: "extends",
          expected: "a profile that does not lead back here",
          received: circle.joined(separator: " → ")
        )
      }
      guard chain.count < longestChain else {
        throw Problem(
          .outOfRange,
          at: base.place,
          key: "extends",
          expected: "at most \(longestChain) profiles, each of which extends the next",
          received: "one more"
        )
      }
      chain.append(parent)
    }
    return chain
  }

  /// The profile before what it extends, and the command line last.
  private static func sorted(_ problems: [Problem], along chain: [ProfileFile]) -> [Problem] {
    func rank(_ place: Place) -> (Int, Int, Int) {
      let file = place.isArgument ? nil : chain.firstIndex { $0.path == place.file }
      return (file ?? chain.count, place.line, place.column)
    }
    return problems.enumerated().sorted {
      let (left, right) = (rank($0.element.place), rank($1.element.place))
      return left == right ? $0.offset < $1.offset : left < right
    }.map(\.element)
  }
}

extension Node {
  /// Has been followed, and is no key of the merged profile.
  fileprivate var withoutExtends: Node {
    guard let entries else { return self }
    return Node(.table(entries.filter { $0.key != "extends" }), at: place)
  }

  /// A profile without an output has one with every default.
  fileprivate var withOutput: Node {
    guard let entries, self["output"].map({ $0.items?.isEmpty == true }) ?? true else {
      return self
    }
    let output = Node(.array([Node(.table([]), at: place)]), at: place)
    return Node(
      .table(
        entries.filter { $0.key != "output" } + [
          Entry(key: "output", keyPlace: place, node: output)
        ]
      ),
      at: place
    )
  }
}
