import Glibc
import MinilabKit
import Testing

/// A folder of its own for one test, gone after it.
///
/// Names are bytes.
final class TemporaryFolder {
  let path: Path

  init() throws {
    var template = Array("/tmp/minilab-plan-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    path = Path(try #require(made))
    try check(path.withCString { chmod($0, 0o755) })
  }

  deinit {
    if let text = path.text { system("chmod -R u+rwx \(text) && rm -rf \(text)") }
  }

  func at(_ relative: String) -> Path { path.appending(relative) }

  /// Writes a file, making the folders above it.
  @discardableResult
  func write(_ bytes: [UInt8], to relative: Path) throws -> Path {
    try makeFolder(relative.folder)
    let file = path.appending(relative)
    let descriptor = file.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    try check(descriptor)
    defer { close(descriptor) }
    #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    return file
  }

  @discardableResult
  func write(_ bytes: [UInt8], to relative: String) throws -> Path {
    try write(bytes, to: Path(relative))
  }

  func makeFolder(_ relative: Path) throws {
    if relative.isEmpty { return }
    let folder = path.appending(relative)
    if folder.withCString({ mkdir($0, 0o755) }) == 0 || errno == EEXIST { return }
    try makeFolder(relative.folder)
    try check(folder.withCString { mkdir($0, 0o755) })
  }

  func makeFolder(_ relative: String) throws { try makeFolder(Path(relative)) }

  func link(_ relative: String, to target: String) throws {
    try makeFolder(Path(relative).folder)
    try check(at(relative).withCString { name in symlink(target, name) })
  }

  func setMode(_ relative: String, _ mode: mode_t) throws {
    try check(at(relative).withCString { chmod($0, mode) })
  }
}

struct SystemCallFailed: Error {
  let number = errno
}

func check(_ result: Int32) throws {
  if result < 0 { throw SystemCallFailed() }
}

/// Runs `body` as a user whom file modes bind, on this thread alone: modes do not bind root.
func asOrdinaryUser<Result>(_ body: () throws -> Result) throws -> Result {
  if geteuid() != 0 { return try body() }
  typealias SetUser = @convention(c) (uid_t) -> Int32
  let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "setfsuid"))
  let setUser = unsafeBitCast(symbol, to: SetUser.self)
  _ = setUser(65_534)
  defer { _ = setUser(0) }
  return try body()
}
