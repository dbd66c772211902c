import Glibc

/// Where files may lie that a profile names: below its own folder, and where a machine keeps what all
/// may use.
///
/// A profile may be somebody else's, and what it names is read, and may show in a result.
enum FileRoots {
  /// Folders, separated by colons, with more such files.
  static let variable = "MINILAB_FILES"

  /// In words, of a profile in that folder.
  static func expected(below folder: Path) -> String {
    let own = folder.isEmpty ? "the profile's folder" : folder.shown
    return "a file below \(own), /usr/share, or a folder that $\(variable) names"
  }

  /// Whether a file, behind all links, lies where one may that a profile in that folder names.
  static func hold(_ file: Path, below folder: Path) -> Bool {
    guard let file = resolved(file) else { return false }
    return roots(below: folder).contains { root in
      resolved(root).map { file.starts(with: $0 + (Array($0) == slash ? [] : slash)) } ?? false
    }
  }

  private static let slash = Array("/".utf8)

  private static func roots(below folder: Path) -> [Path] {
    var roots = [folder.isEmpty ? Path(".") : folder, Path("/usr/share"), Path("/usr/local/share")]
    if let home = value(of: "HOME") { roots.append(Path(home).appending(".local/share")) }
    roots += (value(of: variable) ?? "").split(separator: ":").map { Path(String($0)) }
    return roots
  }

  private static func value(of name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Without links and dots; nil where nothing is there.
  private static func resolved(_ path: Path) -> [UInt8]? {
    path.withCString { path in
      guard let found = realpath(path, nil) else { return nil }
      defer { free(found) }
      return Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
    }
  }
}
