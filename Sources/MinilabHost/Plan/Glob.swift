/// A pattern of paths, over bytes: `*` and `?` stay within a name, `[abc]` `[a-z]` `[!a]` match one
/// byte of a name, `**` as a whole name matches any number of folders, none too.
///
/// What it is compared with is never read as a pattern.
struct Glob {
  private enum Token: Equatable {
    case byte(UInt8)
    /// `?`
    case any
    /// `*`
    case run
    case set(members: [ClosedRange<UInt8>], negated: Bool)
  }

  private enum Name: Equatable {
    case tokens([Token])
    /// `**`
    case folders
  }

  private let names: [Name]

  init(_ pattern: String) {
    names = Array(pattern.utf8).split(separator: slash).map { name in
      name.elementsEqual("**".utf8) ? .folders : .tokens(Self.tokens(of: name))
    }
  }

  /// Matches everything, so nothing need be compared.
  var isEverything: Bool { names == [.folders] }

  /// True where the pattern matches the whole path, relative to its root.
  func matches(_ path: [UInt8]) -> Bool {
    matches(path.split(separator: slash), names)
  }

  /// True where everything below a folder matches: `cache/**` or `cache` for the folder `cache`.
  func matchesAll(below folder: [UInt8]) -> Bool {
    let components = folder.split(separator: slash)
    if matches(components, names) { return true }
    return names.last == .folders && matches(components, Array(names.dropLast()))
  }

  // Greedy, with one point to go back to: linear in the path for each `**`, so no pattern blows up.
  private func matches(_ path: [ArraySlice<UInt8>], _ names: [Name]) -> Bool {
    var at = 0
    var name = 0
    var retry: (at: Int, name: Int)?
    while at < path.count {
      if name < names.count, names[name] == .folders {
        name += 1
        retry = (at, name)
        continue
      }
      if name < names.count, case .tokens(let tokens) = names[name], matches(path[at], tokens) {
        at += 1
        name += 1
        continue
      }
      guard let again = retry else { return false }
      retry = (again.at + 1, again.name)
      at = again.at + 1
      name = again.name
    }
    return names[name...].allSatisfy { $0 == .folders }
  }

  private func matches(_ text: ArraySlice<UInt8>, _ tokens: [Token]) -> Bool {
    var at = text.startIndex
    var token = 0
    var retry: (at: Int, token: Int)?
    while at < text.endIndex {
      if token < tokens.count {
        switch tokens[token] {
        case .run:
          token += 1
          retry = (at, token)
          continue
        case .any:
          at += 1
          token += 1
          continue
        case .byte(let byte) where byte == text[at]:
          at += 1
          token += 1
          continue
        case .set(let members, let negated)
        where members.contains(where: { $0.contains(text[at]) }) != negated:
          at += 1
          token += 1
          continue
        default: break
        }
      }
      guard let again = retry else { return false }
      retry = (again.at + 1, again.token)
      at = again.at + 1
      token = again.token
    }
    return tokens[token...].allSatisfy { $0 == .run }
  }

  /// A bracket without its end is a bracket.
  ///
  /// A backslash takes the next byte as it is.
  private static func tokens(of name: ArraySlice<UInt8>) -> [Token] {
    var tokens: [Token] = []
    var rest = name
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "*"): if tokens.last != .run { tokens.append(.run) }
      case UInt8(ascii: "?"): tokens.append(.any)
      case UInt8(ascii: "\\"): tokens.append(.byte(rest.popFirst() ?? byte))
      case UInt8(ascii: "["): tokens.append(Self.set(&rest) ?? .byte(byte))
      default: tokens.append(.byte(byte))
      }
    }
    return tokens
  }

  /// Reads what stands behind `[`; nil, and nothing read, where it is no set.
  private static func set(_ rest: inout ArraySlice<UInt8>) -> Token? {
    var body = rest
    let negated = body.first == UInt8(ascii: "!") || body.first == UInt8(ascii: "^")
    if negated { body = body.dropFirst() }
    var members: [ClosedRange<UInt8>] = []
    while let low = body.popFirst() {
      // A bracket that comes first is a member.
      if low == UInt8(ascii: "]"), !members.isEmpty {
        rest = body
        return .set(members: members, negated: negated)
      }
      let high = body.dropFirst().first
      if body.first == UInt8(ascii: "-"), let high, high != UInt8(ascii: "]") {
        if low <= high { members.append(low...high) }
        body = body.dropFirst(2)
      } else {
        members.append(low...low)
      }
    }
    return nil
  }
}

private let slash = UInt8(ascii: "/")
