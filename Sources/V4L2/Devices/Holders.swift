import Glibc

/// Who has a device open.
enum Holders {
  /// The other processes that have a file open, as far as this user may see.
  ///
  /// `proc`: where the kernel shows the processes.
  static func find(of path: String, proc: String = "/proc") -> [VideoError.Holder] {
    guard let target = realPath(path) else { return [] }
    let own = getpid()
    var holders: [VideoError.Holder] = []
    for name in names(in: proc) {
      guard let process = Int32(name), process != own else { continue }
      let folder = "\(proc)/\(name)/fd"
      guard names(in: folder).contains(where: { link("\(folder)/\($0)") == target }) else {
        continue
      }
      holders.append(.init(process: process, name: command("\(proc)/\(name)/comm")))
    }
    return holders.sorted { $0.process < $1.process }
  }

  private static func command(_ path: String) -> String {
    guard let file = fopen(path, "re") else { return "a program" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }
    return line.isEmpty ? "a program" : String(decoding: line, as: UTF8.self)
  }
}

/// The names in a folder, sorted; none where it cannot be read.
func names(in folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = text(entry.pointee.d_name)
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// A path past all links; nil where nothing is there.
func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// What a link points to; nil of anything else.
private func link(_ path: String) -> String? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = readlink(path, &bytes, bytes.count)
  guard count >= 0 else { return nil }
  return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
}
