#if DEBUG
import Glibc
import MinilabKit

/// Does in a worker what a picture could make a broken decoder do, and tells in its error what it
/// could: a name for each thing that was not kept from it.
struct Intruder: ImageOperation {
  static let name = "intruder"
  static let version = 1
  static let summary = "Try what a worker must not do."
  static let parameters: [Parameter<Self>] = [
    Parameter("folder", \.folder, help: "A folder that is no input, with a file `secret`."),
    Parameter("output", \.output, help: "The output root."),
    Parameter("gentle", \.gentle, help: "Leave out what would end the try."),
  ]
  static let examples: [Example] = []

  var folder = ""
  var output = ""
  var gentle = false

  init() {}

  func apply(to frame: Frame, in context: Context) throws -> Frame {
    frame.pixels(size: .unchanged, access: .sequential) { _ in
      throw ItemError(
        .operationFailed,
        expected: "nothing",
        received: successes().joined(separator: " ")
      )
    }
  }

  private func successes() -> [String] {
    let tries: [(String, () -> Bool)] = [
      ("read-shadow", { reads("/etc/shadow") }),
      ("read-passwd", { reads("/etc/passwd") }),
      ("read-folder", { reads("\(folder)/secret") }),
      ("list-folder", { opendir(folder) != nil }),
      ("read-by-link", { readsByLink() }),
      ("read-parent-memory", { reads("/proc/\(getppid())/mem") }),
      ("write-folder", { writes("\(folder)/made") }),
      ("append-folder", { open("\(folder)/secret", O_WRONLY | O_APPEND) >= 0 }),
      ("truncate-folder", { !gentle && truncate("\(folder)/secret", 0) == 0 }),
      ("remove-folder", { !gentle && unlink("\(folder)/secret") == 0 }),
      ("rename-out", { renames() }),
      ("link-out", { link("\(output)/own", "\(folder)/linked") == 0 }),
      ("chmod", { chmod("\(folder)/secret", 0o777) == 0 }),
      ("touch", { utimes("\(folder)/secret", nil) == 0 }),
      ("make-fifo", { mkfifo("\(output)/fifo", 0o666) == 0 }),
      ("socket", { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
      ("unix-socket", { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
      ("fork", { forks() }),
      ("exec", { !gentle && executes() }),
      ("secret-variable", { getenv("SOMEBODYS_PASSWORD") != nil }),
      ("signal-parent", { kill(getppid(), 0) == 0 }),
      ("signal-first", { kill(1, 0) == 0 }),
      (
        "slow-parent",
        { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getppid()), 5) == 0 }
      ),
    ]
    let free = tries.filter { $0.1() }.map(\.0)
    // What a worker must be able to do.
    let needed: [(String, () -> Bool)] = [
      ("write-output", { writes("\(output)/own") }),
      ("signal-self", { kill(getpid(), 0) == 0 }),
      ("thread", { startsThread() }),
    ]
    return free + needed.filter { !$0.1() }.map { "no-\($0.0)" }
  }

  private func reads(_ path: String) -> Bool {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return false }
    defer { close(file) }
    var byte: UInt8 = 0
    return read(file, &byte, 1) == 1
  }

  private func readsByLink() -> Bool {
    let link = "\(output)/link"
    symlink("\(folder)/secret", link)
    return reads(link)
  }

  private func writes(_ path: String) -> Bool { open(path, O_WRONLY | O_CREAT, 0o644) >= 0 }

  private func renames() -> Bool {
    let own = "\(output)/moved"
    return writes(own) && rename(own, "\(folder)/moved") == 0
  }

  private func forks() -> Bool {
    var process: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
    return posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil) == 0
  }

  private func executes() -> Bool {
    // Only a failure returns.
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
    execv("/bin/true", &arguments)
    return false
  }

  private func startsThread() -> Bool {
    var thread = pthread_t()
    guard pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { return false }
    return pthread_join(thread, nil) == 0
  }
}
#endif
