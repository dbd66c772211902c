public import Glibc
public import MinilabKit

/// A new, empty folder that is removed with everything in it when the last reference goes.
public final class ScratchFolder: Sendable {
  public let path: Path

  /// Profiles of tests name files of other scratch folders, and of the corpus.
  private static let opened: Void = { _ = setenv("MINILAB_FILES", "/", 1) }()

  public init() throws {
    Self.opened
    var template = Array("/tmp/minilab-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp") }
    path = Path(bytes: template.dropLast().map(UInt8.init(bitPattern:)))
  }

  deinit { Self.removeTree(path) }

  private static func removeTree(_ path: Path) {
    // Takes a file, a link, or an empty folder.
    if path.withCString({ remove($0) }) == 0 { return }
    guard let folder = path.withCString({ opendir($0) }) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { Path(bytes: $0.prefix { $0 != 0 }) }
      if name != Path("."), name != Path("..") { removeTree(path.appending(name)) }
    }
    closedir(folder)
    _ = path.withCString { rmdir($0) }
  }

  /// The text of the path: the name is ours, so it has one.
  public var text: String { path.shown }

  /// Writes a file; the folders above it are made.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> Path {
    try write(Array(text.utf8), to: name)
  }

  /// Writes a file; the folders above it are made.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> Path {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder = folder.appending(String(part))
      _ = folder.withCString { mkdir($0, 0o777) }
    }
    let file = path.appending(name)
    let descriptor = file.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
    guard descriptor >= 0 else { throw SystemFailure("open \(file.shown)") }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw SystemFailure("write \(file.shown)") }
      rest = rest.dropFirst(count)
    }
    return file
  }
}

/// A system call of a test went wrong.
public struct SystemFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ call: String, code: Int32 = errno) {
    description = "\(call): \(String(cString: strerror(code)))"
  }
}

/// The bytes of a file.
public func contents(of file: Path) throws -> [UInt8] {
  let descriptor = file.withCString { open($0, O_RDONLY | O_CLOEXEC) }
  guard descriptor >= 0 else { throw SystemFailure("open \(file.shown)") }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    guard count >= 0 else { throw SystemFailure("read \(file.shown)") }
    if count == 0 { return bytes }
    bytes += chunk.prefix(count)
  }
}
