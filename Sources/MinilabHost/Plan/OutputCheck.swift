import MinilabKit

/// Holds the output paths of a plan against each other and against the inputs.
///
/// Only hashes are kept; the few paths whose hashes meet are made again and compared in full.
struct OutputCheck {
  private let hash: PathHash
  private let plan: Plan
  /// Of every output path, sorted.
  private var files: [UInt64] = []
  /// Of every folder that output paths lie in.
  private var folders: Set<UInt64> = []
  /// Units that no output path can be made for.
  private(set) var impossible: [Int: ItemError] = [:]
  /// The inputs below the output root, by their folded path there.
  private var inputs: [[UInt8]: Int] = [:]
  /// Files of the profile below the output root, likewise.
  private var profileFiles: [[UInt8]: Path] = [:]

  private struct Claim {
    let slot: Int
    let index: Int
    let output: Int
    let path: Path
  }

  /// Hashes every path of the plan.
  ///
  /// `output`: nil where its place does not matter.
  /// `profileFiles`: what is not replaced either.
  init(of plan: Plan, below output: Path?, files profileFiles: [Path] = [], _ hash: PathHash) {
    self.hash = hash
    self.plan = plan
    var hashes: [UInt64] = []
    var parents: Set<UInt64> = []
    var errors: [Int: ItemError] = [:]
    hashes.reserveCapacity(plan.count * plan.recipes.count)
    func keep(_ claim: Claim, _ folded: [UInt8]) {
      hashes.append(hash.hash(folded))
      hash.folders(folded) { parents.insert($1) }
    }
    eachPath(failing: { errors[$0] = $1 }, keep)
    hashes.sort()
    files = hashes
    folders = parents
    impossible = errors
    guard let output, let root = try? realPath(output) else { return }
    inputs = inputs(below: root)
    self.profileFiles = Self.named(profileFiles, below: root)
  }

  /// The numbers that keep outputs of different inputs apart, by slot; none where all differ.
  ///
  /// - Throws: `PlanError` where no numbers help, or are not wanted.
  func numbers(_ policy: ClashPolicy) throws(PlanError) -> [Int: Int] {
    try refuseFolderClashes()
    try refuseInputs()
    try refuseProfileFiles()
    return try numbersOfShared(policy)
  }

  // MARK: Folders

  /// A file `a/b` and a file `a/b/c` cannot both be.
  private func refuseFolderClashes() throws(PlanError) {
    let met = folders.filter(isFile)
    if met.isEmpty { return }
    var claims: [[UInt8]: Claim] = [:]
    eachPath { claim, folded in
      if met.contains(hash.hash(folded)), claims[folded] == nil { claims[folded] = claim }
    }
    var clashes: [OutputClash] = []
    eachPath { claim, folded in
      hash.folders(folded) { length, value in
        guard met.contains(value), let file = claims[Array(folded[..<length])] else { return }
        clashes.append(clash(.folder, file, claim))
      }
    }
    if let first = clashes.first { throw .clash(first, more: clashes.count - 1) }
  }

  // MARK: Inputs

  /// An output never takes the place of an input, where the inputs lie below the output root.
  private func refuseInputs() throws(PlanError) {
    let met = Set(inputs.keys.lazy.map { hash.hash($0) }.filter(isFile))
    if met.isEmpty { return }
    var found: PlanError?
    eachPath { claim, folded in
      guard found == nil, met.contains(hash.hash(folded)), let index = inputs[folded] else {
        return
      }
      found = .overwritesInput(
        output: claim.path,
        of: plan.input(at: claim.index),
        input: plan.items.path(at: index)
      )
    }
    if let found { throw found }
  }

  /// Nor that of a file which the profile names, such as a watermark, or of the profile itself.
  private func refuseProfileFiles() throws(PlanError) {
    let met = Set(profileFiles.keys.lazy.map { hash.hash($0) }.filter(isFile))
    if met.isEmpty { return }
    var found: PlanError?
    eachPath { claim, folded in
      guard found == nil, met.contains(hash.hash(folded)), let file = profileFiles[folded] else {
        return
      }
      found = .overwritesProfileFile(
        output: claim.path,
        of: plan.input(at: claim.index),
        file: file
      )
    }
    if let found { throw found }
  }

  /// By their own names, and by where links lead.
  private static func named(_ files: [Path], below root: [UInt8]) -> [[UInt8]: Path] {
    let root = root.last == slash ? root : root + [slash]
    var named: [[UInt8]: Path] = [:]
    for file in files {
      let folder = try? realPath(file.folder.isEmpty ? Path(".") : file.folder)
      let own = folder.map {
        ($0.last == slash ? $0 : $0 + [slash]) + file.lastComponent.bytes
      }
      for path in [own, try? realPath(file)] {
        guard let path, path.starts(with: root) else { continue }
        named[caseFolded(Array(path.dropFirst(root.count)))] = file
      }
    }
    return named
  }

  /// Inputs count by the name they are opened by, and by where a link leads.
  private func inputs(below output: [UInt8]) -> [[UInt8]: Int] {
    let output = output.last == slash ? output : output + [slash]
    var inputs: [[UInt8]: Int] = [:]
    var places: [Path: [UInt8]] = [:]
    func add(_ path: [UInt8]?, _ index: Int) {
      guard let path, path.starts(with: output) else { return }
      inputs[caseFolded(Array(path.dropFirst(output.count)))] = index
    }
    for root in plan.items.roots {
      places[root.path] = (try? realPath(root.path)).map { $0.last == slash ? $0 : $0 + [slash] }
    }
    let items = plan.items
    for index in 0..<items.count where items.items[index].format != nil {
      add(
        places[items.root(at: index).path].map { $0 + items.relativePath(at: index).bytes },
        index
      )
      if items.mayHoldLinks { add(try? realPath(items.path(at: index)), index) }
    }
    return inputs
  }

  // MARK: Clashes

  private func numbersOfShared(_ policy: ClashPolicy) throws(PlanError) -> [Int: Int] {
    let groups = sharedPaths()
    if groups.isEmpty { return [:] }
    let refused = policy == .error ? groups : groups.filter(isWithinOneItem)
    if let group = refused.first {
      throw .clash(
        clash(group[0].path == group[1].path ? .same : .letterCase, group[0], group[1]),
        more: refused.count - 1
      )
    }
    var numbers: [Int: Int] = [:]
    var given: Set<[UInt8]> = []
    for group in groups {
      var number = 2
      // The first keeps its name.
      for claim in group.dropFirst() {
        while true {
          let folded = caseFolded(numbered(claim.path, number).bytes)
          let value = hash.hash(folded)
          // A hash that is taken by another path costs a number and nothing else.
          if !isFile(value), !folders.contains(value), inputs[folded] == nil,
            profileFiles[folded] == nil,
            given.insert(folded).inserted
          {
            break
          }
          number += 1
        }
        numbers[claim.slot] = number
        number += 1
      }
    }
    return numbers
  }

  /// Outputs that share a path, in the order of the plan.
  private func sharedPaths() -> [[Claim]] {
    let met = Set(zip(files, files.dropFirst()).lazy.filter { $0 == $1 }.map(\.0))
    if met.isEmpty { return [] }
    var claims: [[UInt8]: [Claim]] = [:]
    eachPath { claim, folded in
      if met.contains(hash.hash(folded)) { claims[folded, default: []].append(claim) }
    }
    return claims.values.filter { $0.count > 1 }.sorted { $0[0].slot < $1[0].slot }
  }

  private func isWithinOneItem(_ group: [Claim]) -> Bool {
    Set(group.map(\.index)).count < group.count
  }

  // MARK: Paths

  private func isFile(_ value: UInt64) -> Bool {
    var low = 0
    var high = files.count
    while low < high {
      let middle = (low + high) / 2
      if files[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < files.count && files[low] == value
  }

  /// Every output path of every unit that has them all.
  private func eachPath(
    failing: (Int, ItemError) -> Void = { _, _ in },
    _ body: (Claim, _ folded: [UInt8]) -> Void
  ) {
    // Neighbors mostly share their folder.
    var folder: (id: UInt32, path: [UInt8])?
    for index in 0..<plan.count where plan.fate(at: index) == nil {
      let id = plan.items.items[plan.firstItem(of: index)].folder
      let path = folder?.id == id ? folder?.path : nil
      let here = path ?? plan.items.folderPath(id)
      folder = (id, here)
      do {
        let outputs = plan.recipes.count
        let places = 0..<(plan.pages.count(of: index) * outputs)
        let paths = try places.map { place throws(ItemError) in
          try plan.path(at: index, place % outputs, page: place / outputs, folder: here)
        }
        for (place, path) in zip(places, paths) {
          body(
            Claim(
              slot: plan.pages.slot(index, 0) + place,
              index: index,
              output: place % outputs,
              path: path
            ),
            caseFolded(path.bytes)
          )
        }
      } catch {
        failing(index, error)
      }
    }
  }

  private func clash(_ kind: OutputClash.Kind, _ first: Claim, _ second: Claim) -> OutputClash {
    // Pictures of different folders may have one name below them: then the whole paths are told.
    let alike = plan.input(at: first.index) == plan.input(at: second.index)
    let whole = alike && first.index != second.index
    func input(_ index: Int) -> Path {
      whole ? plan.items.path(at: plan.firstItem(of: index)) : plan.input(at: index)
    }
    return OutputClash(
      kind: kind,
      first: (input(first.index), first.path),
      second: (input(second.index), second.path)
    )
  }
}

private let slash = UInt8(ascii: "/")
