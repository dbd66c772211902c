import Glibc
import MinilabKit

/// Cameras without hardware, which the kernel shows as files: `FakeCamera` answers for them.
///
/// They are there until the last reference goes, which is that of `withCameras`. A test target that uses them depends on the program
/// `FakeCamera`; `Tests/FakeCamera/camera.h` says how a camera is described.
public final class FakeCameras: Sendable {
  /// The folder with the device files, for `VideoDevices.list` and MINILAB_VIDEO_DEVICES.
  public let folder: String
  private let scratch: ScratchFolder
  private let process: pid_t
  /// The program ends when this is closed, also by the end of this process.
  private let input: Int32

  /// False where the kernel has no FUSE: tests say so and are skipped.
  public static let arePossible = access("/dev/fuse", F_OK) == 0
  public static let reason = "needs /dev/fuse, which this kernel does not have"

  /// Has cameras as long as a test runs.
  ///
  /// - Parameters:
  ///   - descriptions: by the name of the device file, such as `video0`.
  ///   - body: the test.
  /// - Returns: what the test does.
  /// - Throws: what the test does, or why there are no cameras.
  public static func withCameras<Value>(
    _ descriptions: [String: String],
    _ body: (FakeCameras) throws -> Value
  ) throws -> Value {
    let cameras = try FakeCameras(descriptions)
    // Else they would go with their last use, and a device that is open with them.
    return try withExtendedLifetime(cameras) { try body(cameras) }
  }

  /// - Parameter descriptions: by the name of the device file.
  /// - Throws: where `FakeCamera` cannot be started.
  public init(_ descriptions: [String: String]) throws {
    scratch = try ScratchFolder()
    for (name, text) in descriptions { try scratch.write(text, to: "descriptions/\(name)") }
    let devices = scratch.path.appending("dev")
    _ = devices.withCString { mkdir($0, 0o777) }
    folder = devices.shown
    let toProgram = try Self.pipe()
    let fromProgram = try Self.pipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toProgram.read, 0)
    posix_spawn_file_actions_adddup2(&actions, fromProgram.write, 1)
    let program = try Program.built("FakeCamera").path
    let words = [program, scratch.path.appending("descriptions"), devices]
    var arguments = words.map { word in word.withCString { strdup($0) } } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = program.withCString {
      posix_spawn(&process, $0, &actions, nil, &arguments, environ)
    }
    close(toProgram.read)
    close(fromProgram.write)
    defer { close(fromProgram.read) }
    guard code == 0 else {
      close(toProgram.write)
      throw SystemFailure("posix_spawn \(program.shown)", code: code)
    }
    self.process = process
    input = toProgram.write
    var byte: UInt8 = 0
    guard read(fromProgram.read, &byte, 1) == 1 else {
      // What is wrong it has said on standard error.
      throw SystemFailure("FakeCamera does not start", code: EIO)
    }
  }

  deinit {
    close(input)
    kill(process, SIGTERM)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    // It has done so itself, unless it was killed.
    _ = folder.withCString { umount2($0, Int32(MNT_DETACH)) }
  }

  /// The path of a device file.
  public func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Writes frames to a file, for `frames=` in a description.
  ///
  /// - Returns: its path.
  public static func record(_ frames: [[UInt8]], in scratch: ScratchFolder) throws -> String {
    var bytes: [UInt8] = []
    for frame in frames {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: frame.count >> (8 * $0)) }
      bytes += frame
    }
    return try scratch.write(bytes, to: "frames").shown
  }

  /// Both ends stay here when other programs are started.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw SystemFailure("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
