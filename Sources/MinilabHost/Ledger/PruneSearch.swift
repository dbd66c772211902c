import Glibc
import MinilabKit

/// Finds the outputs that no run would make any more: what `prune` removes, and `status` counts.
struct PruneSearch {
  enum Reason {
    case inputGone
    case entryGone(String)
    /// The profile gives its input another path.
    case moved
    /// A captured picture has failed when some of its outputs were there.
    case unfinished

    var shown: String {
      switch self {
      case .inputGone: "its input is gone"
      case .entryGone(let name): "the profile has no output \"\(name)\" any more"
      case .moved: "the profile gives another path now"
      case .unfinished: "its captured picture was not finished"
      }
    }

    /// As programs read it.
    var code: String {
      switch self {
      case .inputGone: "input-gone"
      case .entryGone: "output-gone"
      case .moved: "path-changed"
      case .unfinished: "unfinished"
      }
    }
  }

  struct Found {
    let path: Path
    let output: LedgerOutput
    let reason: Reason
  }

  /// What a person should know.
  private(set) var words: [String] = []

  private let ledger: Ledger
  private let operations: [OperationEntry]
  private let takesEmptyRoots: Bool
  /// Whether something is left of an input root.
  private var roots: [Path: Bool] = [:]
  /// The names of the outputs that profiles have; nil where that cannot be told.
  private var names: [Path: Set<String>?] = [:]

  init(_ ledger: Ledger, _ operations: [OperationEntry], takesEmptyRoots: Bool) {
    self.ledger = ledger
    self.operations = operations
    self.takesEmptyRoots = takesEmptyRoots
  }

  mutating func outputs() throws -> [Found] {
    var found: [Found] = []
    var rows: [(Path, LedgerOutput)] = []
    // A list of ten million would be long; those that are gone are few.
    var after = Path("")
    repeat {
      rows = try ledger.outputs(after: after, atMost: 1000)
      for (path, output) in rows {
        if let reason = try reason(path, output) {
          found.append(Found(path: path, output: output, reason: reason))
        }
      }
      after = rows.last?.0 ?? after
    } while !rows.isEmpty
    return found
  }

  /// Why no run would make an output any more; nil for one that is made or may be.
  mutating func reason(_ path: Path, _ output: LedgerOutput) throws -> Reason? {
    if output.state == .begun {
      return try ledger.isOrphan(path, output.recipe) ? .unfinished : nil
    }
    if let unit = try ledger.unit(output.unit), try isGone(unit) { return .inputGone }
    let moved = try ledger.isOrphan(path, output.recipe) ? Reason.moved : nil
    guard let (profile, name) = try ledger.maker(output.recipe) else { return moved }
    // Of a file that has another name now the run has told that went by its new name.
    if moved != nil, (try? System.kind(of: profile)) == .nothing { return moved }
    guard let names = outputNames(profile) else { return moved }
    return names.contains(name) ? moved : .entryGone(name)
  }

  private mutating func isGone(_ unit: LedgerUnit) throws -> Bool {
    // What came from no file, as from a camera, has nothing that could be gone.
    guard !unit.inputs.isEmpty, unit.inputs.allSatisfy({ !$0.root.isEmpty }) else { return false }
    for input in unit.inputs {
      do throws(SystemError) {
        let status = try fileStatus(of: input.root.appending(input.path))
        // A folder of that name is another thing.
        guard FileKind(mode: status.st_mode) != .file else { return false }
      } catch {
        // Anything else says that it cannot be seen, not that it is not there.
        guard error.number == ENOENT || error.number == ENOTDIR else { return false }
        guard hasContent(input.root) || takesEmptyRoots else { return false }
      }
    }
    return true
  }

  /// A folder of which nothing is left may be one that is not mounted.
  private mutating func hasContent(_ root: Path) -> Bool {
    if let known = roots[root] { return known }
    let folder = try? OpenFolder(root.bytes)
    let hasContent = (try? folder?.entries().count).map { $0 > 0 } ?? false
    roots[root] = hasContent
    if !hasContent, !takesEmptyRoots {
      words.append(
        "\(root.shown) is empty or not there: what was made from it is kept, as it may only not be "
          + "mounted (--empty-roots removes it, too)"
      )
    }
    return hasContent
  }

  private mutating func outputNames(_ profile: Path) -> Set<String>? {
    if let known = names[profile] { return known }
    let loaded = try? ProfileLoader.load(profile, operations: operations)
    let found = loaded.map { Set($0.outputs.map(\.name)) }
    names[profile] = .some(found)
    if found == nil {
      words.append("\(profile.shown) cannot be loaded: what was made by it is kept")
    }
    return found
  }
}
