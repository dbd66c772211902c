import Glibc
public import MinilabKit

/// Hundreds of picture files from many sources, with a table of what other programs make of them.
///
/// It is no part of the project. Tests that look at it skip where it is missing.
public enum Corpus {
  /// `$MINILAB_CORPUS`, or beside the package.
  public static let path: Path = {
    if let named = getenv("MINILAB_CORPUS") { return Path(String(cString: named)) }
    return packageRoot.folder.appending("shared/corpus")
  }()

  public static let table = path.appending("MANIFEST.tsv")
  public static let isThere = table.isReadableFile
}
