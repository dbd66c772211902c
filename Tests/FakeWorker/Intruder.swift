#if DEBUG
import CIntruder
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
        received: successes(frame).joined(separator: " ")
      )
    }
  }

  private func successes(_ frame: Frame) -> [String] {
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
      ("make-device", { cintruder_makes_device("\(output)/device") }),
      ("link-in", { symlink("\(folder)/secret", "\(output)/planted") == 0 }),
      ("write-input", { writes(frame.origin.path.shown) }),
      ("remove-input", { !gentle && unlink(frame.origin.path.shown) == 0 }),
      ("flags", { cintruder_changes_flags(frame.origin.path.shown) }),
      ("attribute", { cintruder_sets_attribute("\(output)/own") }),
      ("handle", { cintruder_opens_by_handle("\(folder)/secret") }),
      ("watch", { cintruder_listens_to_names(folder) }),
      ("socket", { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
      ("unix-socket", { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
      ("socket-pair", { cintruder_makes_socket_pair() }),
      ("connect-tcp", { cintruder_connects_tcp() }),
      ("connect-udp", { cintruder_connects_udp() }),
      ("connect-abstract", { cintruder_connects_abstract("minilab-intruder") }),
      ("connect-path", { cintruder_connects_path("/dev/log") }),
      ("spawn", { spawns() }),
      ("fork", { cintruder_forks() }),
      ("vfork", { cintruder_vforks() }),
      ("clone", { cintruder_clones() }),
      ("clone3", { cintruder_clones3() }),
      ("exec-memory", { cintruder_executes_memory() }),
      ("exec", { !gentle && executes() }),
      ("secret-variable", { getenv("SOMEBODYS_PASSWORD") != nil }),
      ("signal-parent", { kill(getppid(), 0) == 0 }),
      ("signal-group", { kill(0, 0) == 0 }),
      ("signal-all", { kill(-1, 0) == 0 }),
      ("signal-first", { kill(1, 0) == 0 }),
      ("signal-thread", { cintruder_signals_thread(getppid()) }),
      ("queue-signal", { cintruder_queues_signal(getppid()) }),
      ("open-parent", { cintruder_opens_process(getppid()) }),
      ("trace-parent", { cintruder_traces(getppid()) }),
      ("trace", { cintruder_is_traced() }),
      ("read-memory", { cintruder_reads_memory(getppid(), "\(folder)") }),
      ("limit-parent", { cintruder_limits_other(getppid()) }),
      ("outlive-parent", { cintruder_outlives() }),
      ("raise-limit", { cintruder_raises_limit() }),
      ("ring", { cintruder_sets_up_ring() }),
      ("faults", { cintruder_handles_faults() }),
      ("bpf", { cintruder_loads_program() }),
      ("mount", { cintruder_mounts(output) }),
      ("unshare", { cintruder_unshares() }),
      ("chroot", { cintruder_changes_root(output) }),
      ("key", { cintruder_adds_key() }),
      ("events", { cintruder_counts_events() }),
      ("kernel-log", { cintruder_reads_kernel_log() }),
      ("shared-memory", { cintruder_shares_memory() }),
      ("x32", { cintruder_uses_32_bits() }),
      (
        "slow-parent",
        { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getppid()), 5) == 0 }
      ),
    ]
    let free = tries.filter { $0.1() }.map(\.0)
    // What a worker must be able to do.
    let needed: [(String, () -> Bool)] = [
      ("write-output", { writes("\(output)/own") }),
      ("replace-output", { rename("\(output)/own", "\(output)/own-2") == 0 }),
      ("read-input", { reads(frame.origin.path.shown) }),
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

  private func spawns() -> Bool {
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
