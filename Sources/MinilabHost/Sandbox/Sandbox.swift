import CSandbox
import Glibc
import MinilabKit

/// Takes from this process what a worker has no need of, for the rest of its life: Landlock rules what
/// files it reaches, a filter of system calls keeps it from the network, from starting programs and from
/// other processes, and limits bound its memory.
///
/// A decoder that is taken over by a picture can then do no more than spoil outputs of its own run.
enum Sandbox {
  /// What the kernel cannot do of it, as a sentence goes on after "this kernel"; nil where it can all.
  static var lack: String? {
    if version == 0 { return "has no Landlock" }
    // The first cannot move a file from one folder to another.
    if version == 1 { return "has only the first version of Landlock" }
    return csandbox_has_filters() ? nil : "has no filters of system calls"
  }

  /// Of Landlock.
  private static var version: Int { Int(csandbox_landlock_version()) }

  /// Locks this process in.
  ///
  /// - Throws: where the kernel refuses, or other threads run, which would stay free.
  static func enter(_ confinement: Confinement) throws {
    guard threadCount == 1 else { throw NotAlone() }
    try limitMemory(confinement.memory)
    try System.attempt(.capabilities) { _ in csandbox_drop_capabilities() }
    if lack == nil { try enterRules(confinement) }
    if csandbox_has_filters() {
      try System.attempt(.seccomp) { _ in
        csandbox_enter_filter(confinement.changesAttributes)
      }
    }
  }

  private struct NotAlone: Error {}

  private static var threadCount: Int {
    // `.` and `..` are in it.
    guard let folder = opendir("/proc/self/task") else { return 1 }
    defer { closedir(folder) }
    var count = -2
    while readdir(folder) != nil { count += 1 }
    return count
  }

  private static func limitMemory(_ bytes: Int?) throws(SystemError) {
    guard let bytes else { return }
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    try System.attempt(.setrlimit) { _ in
      setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }
  }

  // MARK: Files

  private static func enterRules(_ confinement: Confinement) throws(SystemError) {
    let version = Int32(clamping: version)
    let rules = Descriptor(
      adopting: try System.attempt(.landlock) { _ in csandbox_open_rules(version) }
    )
    func allow(_ paths: [Path], _ right: csandbox_right) throws(SystemError) {
      for path in paths {
        // What is not there cannot be reached anyway.
        guard let file = try? Descriptor(opening: path, openPathOnly) else { continue }
        try System.attempt(.landlock) { _ in
          csandbox_allow(rules.number, version, file.number, right)
        }
      }
    }
    try allow(confinement.readable + SystemFolders.readable, CSANDBOX_READ)
    try allow(SystemFolders.devices, CSANDBOX_DEVICE)
    try allow(confinement.writable, CSANDBOX_CHANGE)
    try System.attempt(.landlock) { _ in csandbox_enter_rules(rules.number) }
  }

  /// O_PATH of <fcntl.h>, which Swift cannot import: the file itself is not opened.
  private static let openPathOnly: Int32 = 0o10000000
}
