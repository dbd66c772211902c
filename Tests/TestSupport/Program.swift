import Glibc
public import MinilabKit

/// Runs programs as a shell would, and takes what they print.
public struct Program: Sendable {
  public struct Result: Sendable, Equatable {
    /// The exit status, or minus the signal that ended it.
    public var status: Int32
    public var output: [UInt8]
    public var errors: [UInt8]

    public var outputText: String { String(decoding: output, as: UTF8.self) }
    public var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  public let path: Path

  public init(_ path: Path) {
    self.path = path
  }

  /// `minilab` as this build made it.
  public static var minilab: Program {
    get throws { try built("minilab") }
  }

  /// A program of this package as this build made it: next to the test program.
  public static func built(_ name: String) throws -> Program {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let tests = Path(bytes: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)))
    let beside = tests.folder.appending(name)
    let program = beside.isReadableFile ? beside : packageRoot.appending(".build/debug/\(name)")
    guard program.isReadableFile else { throw SystemFailure("no \(name) at \(program.shown)") }
    return Program(program)
  }

  /// Runs to the end.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - folder: where it runs.
  ///   - environment: added to this process's own.
  /// - Returns: how it ended and all it printed.
  /// - Throws: where it could not be started.
  public func run(
    _ arguments: [Path],
    in folder: Path? = nil,
    environment: [String: String] = [:]
  ) throws -> Result {
    // Files, not pipes: no reader has to keep up with the program.
    let scratch = try ScratchFolder()
    let output = try scratch.write("", to: "output")
    let errors = try scratch.write("", to: "errors")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    _ = output.withCString { posix_spawn_file_actions_addopen(&actions, 1, $0, O_WRONLY, 0) }
    _ = errors.withCString { posix_spawn_file_actions_addopen(&actions, 2, $0, O_WRONLY, 0) }
    // A shell changes the folder: `posix_spawn` itself can only do so as an extension.
    let changing = [Path("/bin/sh"), Path("-c"), Path("cd -- \"$0\" && exec \"$@\"")]
    let words = (folder.map { changing + [$0] } ?? []) + [path] + arguments
    let vector = CStrings(words)
    let variables = CStrings(Self.merged(environment))
    var process: pid_t = 0
    let code = words[0].withCString {
      posix_spawn(&process, $0, &actions, nil, vector.pointers, variables.pointers)
    }
    guard code == 0 else { throw SystemFailure("posix_spawn \(path.shown)", code: code) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw SystemFailure("waitpid") }
    }
    let signal = status & 0x7f
    return Result(
      status: signal == 0 ? status >> 8 & 0xff : -signal,
      output: try contents(of: output),
      errors: try contents(of: errors)
    )
  }

  /// Runs to the end, with arguments as text.
  public func run(
    _ arguments: String...,
    in folder: Path? = nil,
    environment: [String: String] = [:]
  ) throws -> Result {
    try run(arguments.map { Path($0) }, in: folder, environment: environment)
  }

  private static func merged(_ added: [String: String]) -> [Path] {
    var variables: [Path] = []
    var index = 0
    while let variable = environ[index] {
      let bytes = Path(bytes: UnsafeRawBufferPointer(start: variable, count: strlen(variable)))
      let name = bytes.bytes.prefix { $0 != UInt8(ascii: "=") }
      if added[String(decoding: name, as: UTF8.self)] == nil { variables.append(bytes) }
      index += 1
    }
    return variables + added.map { Path("\($0)=\($1)") }
  }
}

/// The folder of `Package.swift`.
public let packageRoot = Path(#filePath).folder.folder.folder

/// A vector of C strings ended by NULL.
private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ paths: [Path]) {
    count = paths.count
    pointers = .allocate(capacity: count + 1)
    pointers.initialize(repeating: nil, count: count + 1)
    for (index, path) in paths.enumerated() { pointers[index] = path.withCString { strdup($0) } }
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }
}
