import MinilabKit

/// What a command line says of one key of a profile.
enum ProfileSetting: Equatable {
  /// The argument of `--set`.
  case key(String)
  /// The argument of `--limit`.
  case limit(String)

  func assignment() throws(Problem) -> Assignment {
    switch self {
    case .key(let argument): try Assignment(argument)
    case .limit(let argument): try Assignment(limit: argument)
    }
  }

  /// As it is given.
  var words: [Path] {
    switch self {
    case .key(let argument): [Path("--set"), Path(argument)]
    case .limit(let argument): [Path("--limit"), Path(argument)]
    }
  }
}
