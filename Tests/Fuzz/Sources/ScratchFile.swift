import Glibc

/// A file in memory that holds one input after another.
final class ScratchFile {
  nonisolated(unsafe) static let shared = ScratchFile()
  /// For what needs two.
  nonisolated(unsafe) static let other = ScratchFile()

  let descriptor: Int32

  private init() {
    var name = Array("/dev/shm/minilab-fuzz-XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    if descriptor < 0 { fatalError("no file in memory") }
    unlink(name)
  }

  /// Also puts the position at its start.
  var bytes: [UInt8] {
    get {
      var status = stat()
      fstat(descriptor, &status)
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
      let count = pread(descriptor, &bytes, bytes.count, 0)
      return Array(bytes.prefix(max(0, count)))
    }
    set {
      ftruncate(descriptor, 0)
      if pwrite(descriptor, newValue, newValue.count, 0) != newValue.count {
        fatalError("the file in memory cannot be written")
      }
      lseek(descriptor, 0, SEEK_SET)
    }
  }
}
