import MinilabKit
import MinilabOperations

@testable import MinilabHost

/// Profiles as anybody may write them.
let profileTargets = [
  Target("toml", [readTOML, readAssignment]),
  Target("profile", needsVips: true) { bytes in
    let parts = parts(bytes, 3)
    guard let child = file(parts[0], "child"), let parent = file(parts[1], "parent") else { return }
    let assignments = parts[2].split(separator: 0x0a).prefix(8).map { text(Array($0)) }
    let chain = parts[1].isEmpty ? [child] : [child, parent]
    do throws(Problems) {
      let profile = try ProfileLoader.resolved(
        chain,
        assignments.map { .key($0) } + assignments.map { .limit($0) },
        operations: .builtin
      )
      _ = OutputKeys.keys(of: profile)
    } catch {
      require(!error.all.isEmpty, "refused without a reason")
      for problem in error.all {
        require(!problem.description.isEmpty, "no words for a problem")
        require(problem.description.utf8.count < 100_000, "a message without an end")
      }
    }
  },
]

@Sendable
private func readTOML(_ bytes: [UInt8]) {
  guard let node = try? TOMLReader.read(bytes, from: Path("p.toml")) else { return }
  checkPlaces(node)
  // As a worker is told of it.
  do {
    let line = try Line.encode(node)
    let again = try Line.encode(Line.decode(Node.self, from: line.dropLast()))
    // The keys of an object have no order.
    require(line.sorted() == again.sorted(), "a profile changes on its way to a worker")
  } catch {
    fatalError("a profile does not get to a worker: \(error)")
  }
}

@Sendable
private func readAssignment(_ bytes: [UInt8]) {
  guard let assignment = try? Assignment(text(bytes)) else { return }
  require(!assignment.address.isEmpty, "an address of nothing")
  // What is shown can be given again.
  let again = try? Assignment("\(assignment.shown)=1")
  require(
    again?.address == assignment.address,
    "\(assignment.address) is not \(assignment.shown)"
  )
}

/// Every place is one that an editor can go to.
private func checkPlaces(_ node: Node) {
  require(node.place.line >= 1 && node.place.column >= 1, "a node without a place")
  for entry in node.entries ?? [] {
    require(entry.keyPlace.line >= 1 && entry.keyPlace.column >= 1, "a key without a place")
    checkPlaces(entry.node)
  }
  for item in node.items ?? [] { checkPlaces(item) }
}

private func file(_ bytes: [UInt8], _ name: String) -> ProfileFile? {
  let path = Path("\(name).toml")
  guard let node = try? TOMLReader.read(bytes, from: path) else { return nil }
  return ProfileFile(path, node)
}
