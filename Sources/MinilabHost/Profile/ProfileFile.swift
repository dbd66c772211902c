import Glibc
import MinilabKit

/// A profile as it lies on the disk: where it is, and its table.
struct ProfileFile {
  let path: Path
  let node: Node
  /// The same for one file under all its names.
  let identity: Identity

  struct Identity: Equatable {
    var device: dev_t
    var inode: ino_t
  }

  /// Reads and parses, and understands nothing yet but `profile =`.
  ///
  /// - Parameters:
  ///   - path: as it is opened, and as messages name it.
  ///   - asker: where the file was asked for, for a file that cannot be read.
  /// - Throws: what keeps it from being read, or its first syntax error.
  init(_ path: Path, asker: Place) throws(Problem) {
    self.path = path
    let (bytes, identity) = try Self.contents(of: path, asker: asker)
    self.identity = identity
    node = try TOMLReader.read(bytes, from: path)
  }

  /// What was read already, and lies nowhere.
  init(_ path: Path, _ node: Node) {
    self.path = path
    self.node = node
    identity = Identity(device: 0, inode: 0)
  }

  /// What is wrong with the format version: written in each file, for each file is read by itself.
  var versionProblem: Problem? {
    let expected = "profile = 1, the version of the format"
    guard let version = node["profile"] else {
      return Problem(.missing, at: node.place, key: "", expected: expected, received: "none")
    }
    if case .integer(1) = version.value { return nil }
    return Problem(
      .outOfRange,
      at: version.place,
      key: "profile",
      expected: "1, the version of the format",
      received: version.shown
    )
  }

  /// What no person writes, and would take long to be told of: thousands of steps or outputs.
  var lengthProblem: Problem? { Self.lengthProblem(node, key: "") }

  private static let mostTables = 1000

  private static func lengthProblem(_ node: Node, key: String) -> Problem? {
    if let items = node.items, items.count > mostTables, items[mostTables].entries != nil {
      return Problem(
        .outOfRange,
        at: items[mostTables].place,
        key: key,
        expected: "at most \(mostTables) tables under [[\(key)]]",
        received: "\(items.count)"
      )
    }
    let path = key.isEmpty ? "" : key + "."
    for entry in node.entries ?? [] {
      if let problem = lengthProblem(entry.node, key: path + entry.key) { return problem }
    }
    for item in node.items ?? [] {
      if let problem = lengthProblem(item, key: key) { return problem }
    }
    return nil
  }

  /// Milliseconds that a program which writes a profile into a pipe may take.
  private static let patience: Int32 = 10_000

  /// Waits for a pipe's other end, as in `minilab run <(program)`; false where nothing comes.
  private static func hasMore(_ descriptor: Int32) -> Bool {
    var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    try? System.poll(&waiting, milliseconds: patience)
    return waiting[0].revents != 0
  }

  private static func contents(
    of path: Path,
    asker: Place
  ) throws(Problem) -> ([UInt8], Identity) {
    // O_NONBLOCK: a FIFO of that name must not hold the program up.
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else {
      throw Problem(
        .noSuchFile,
        at: asker,
        key: "",
        expected: "a profile that can be read",
        received: "\(path.shown): \(String(cString: strerror(errno)))"
      )
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw Problem(
        .noSuchFile,
        at: asker,
        key: "",
        expected: "a profile",
        received: "the folder \(path.shown)"
      )
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    // One byte past the longest text is enough to refuse it.
    while bytes.count <= TOMLReader.longestText {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN, hasMore(descriptor) { continue }
        throw Problem(
          .noSuchFile,
          at: asker,
          key: "",
          expected: "a profile that can be read",
          received: "\(path.shown): \(String(cString: strerror(errno)))"
        )
      }
      if count == 0 { break }
      bytes += chunk.prefix(count)
    }
    return (bytes, Identity(device: status.st_dev, inode: status.st_ino))
  }
}
