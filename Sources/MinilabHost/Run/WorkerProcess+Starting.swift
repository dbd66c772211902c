import CSystem
import Glibc
import MinilabKit

// How the process of a worker comes to be.

extension WorkerProcess {
  static func spawn(
    _ launch: Launch,
    requests: Int32,
    replies: Int32
  )
    throws(SystemError) -> pid_t
  {
    let name = launch.executable.shown
    var added = launch.environment
    added[WorkerLoop.coordinatorVariable] = "\(getpid())"
    // A crash is reported by the coordinator; a backtrace would take seconds and go nowhere.
    added["SWIFT_BACKTRACE"] = "enable=no"
    let keepsStandardError =
      getenv("MINILAB_WORKER_STDERR").map { String(cString: $0) } == "inherit"

    let arguments = CStrings([name] + launch.arguments)
    let environment = CStrings(inherited: csystem_environment(), adding: added)
    var process: pid_t = 0
    try launch.executable.withCString { (path) throws(SystemError) in
      var worker = csystem_worker(
        path: path,
        arguments: arguments.pointers,
        environment: environment.pointers,
        requests: requests,
        replies: replies,
        lock: launch.lock ?? -1,
        keeps_standard_error: keepsStandardError
      )
      let number = csystem_spawn(&worker, &process)
      if number != 0 { throw SystemError(call: .spawn, number: number) }
    }
    return process
  }

  /// The file that this process runs.
  static var ownExecutable: Path {
    let own = "/proc/self/exe"
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(own, &buffer, buffer.count)
    guard count > 0 else { return Path(own) }
    let path = Path(bytes: buffer[..<count].map { UInt8(bitPattern: $0) })
    // Replaced by an update while it runs, it is another one that has the name now.
    var named = stat()
    var running = stat()
    let isSame =
      path.withCString { stat($0, &named) } == 0 && stat(own, &running) == 0
      && named.st_dev == running.st_dev && named.st_ino == running.st_ino
    return isSame ? path : Path(own)
  }
}

/// An array of C strings that ends with NULL.
private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      (pointers + index).initialize(to: strdup(string))
    }
    (pointers + count).initialize(to: nil)
  }

  /// An environment with some variables set.
  convenience init(
    inherited: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    adding added: [String: String]
  ) {
    var strings: [String] = []
    var index = 0
    while let entry = inherited[index] {
      let text = String(cString: entry)
      let name = String(text.prefix { $0 != "=" })
      if added[name] == nil, WorkerEnvironment.keeps(name) { strings.append(text) }
      index += 1
    }
    self.init(strings + added.map { "\($0)=\($1)" })
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }
}
