import Glibc
import MinilabKit

/// Finds profiles by name.
struct ProfileFinder {
  /// Where a name is looked for, in this order.
  let folders: [Path]

  /// The folders of this process: the one shipped with the program, `$MINILAB_PROFILES` (several are
  /// parted by colons), `./profiles`, and the user's own.
  static func standard() -> ProfileFinder {
    var folders: [Path] = []
    if let program = programPath {
      folders.append(program.folder.folder.appending("share/minilab/profiles"))
    }
    if let listed = variable("MINILAB_PROFILES") {
      let parts = listed.bytes.split(separator: UInt8(ascii: ":"))
      folders += parts.map { Path(bytes: $0) }
    }
    folders.append(Path("profiles"))
    if let config = variable("XDG_CONFIG_HOME"), config.isAbsolute {
      folders.append(config.appending("minilab/profiles"))
    } else if let home = variable("HOME") {
      folders.append(home.appending(".config/minilab/profiles"))
    }
    return ProfileFinder(folders: folders)
  }

  /// A word with a slash or with `.toml` behind it is a path; anything else is a name.
  static func isPath(_ given: Path) -> Bool {
    given.bytes.contains(UInt8(ascii: "/")) || given.fileExtension == Path("toml")
  }

  /// The file of that name.
  ///
  /// - Parameters:
  ///   - name: without `.toml`.
  ///   - nearby: a folder to look in first: that of the profile which names this one.
  ///   - asker: where the name is written.
  /// - Returns: the path, as the folder and the name make it.
  /// - Throws: a problem that names the folders, and the nearest name.
  func find(_ name: Path, nearby: Path? = nil, asker: Place) throws(Problem) -> Path {
    let places = (nearby.map { [$0] } ?? []) + folders
    for folder in places {
      let file = folder.appending(Path(bytes: name.bytes + Array(".toml".utf8)))
      if file.isReadableFile { return file }
    }
    let names = Set(places.flatMap(Self.names(in:))).sorted()
    let hint = nearestName(to: name.shown, among: names).map { " (did you mean \"\($0)\"?)" } ?? ""
    throw Problem(
      .noSuchFile,
      at: asker,
      key: "",
      expected: "a profile\(hint)",
      received: "none of that name in \(places.map(Self.shown).joined(separator: ", "))"
    )
  }

  private static func shown(_ folder: Path) -> String { folder.isEmpty ? "." : folder.shown }

  /// The names that could have been meant.
  private static func names(in folder: Path) -> [String] {
    let path = folder.isEmpty ? Path(".") : folder
    guard let directory = path.withCString({ opendir($0) }) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { Path(bytes: $0.prefix { $0 != 0 }) }
      if name.fileExtension == Path("toml"), let stem = name.stem.text { names.append(stem) }
    }
    return names
  }

  private static func variable(_ name: String) -> Path? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return Path(bytes: UnsafeRawBufferPointer(start: value, count: strlen(value)))
  }

  /// The running program, links resolved.
  private static var programPath: Path? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return count > 0 ? Path(bytes: buffer.prefix(count).map(UInt8.init(bitPattern:))) : nil
  }
}
