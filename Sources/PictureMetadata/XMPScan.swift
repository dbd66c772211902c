/// Looks at XML before a parser that recurses is given it.
enum XMPScan {
  private static let mostBytes = 1 << 24
  /// Elements inside each other; real packets have about ten.
  private static let mostDepth = 100

  /// The packet is of a size and a depth that a parser's stack holds, defines no entities, and is
  /// UTF-8 or nearly so: a zero byte is of UTF-16.
  static func isFitToRead(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty, bytes.count <= mostBytes, !bytes.contains(0) else { return false }
    var depth = 0
    var rest = bytes[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[start...]
      if rest.starts(with: Array("<!--".utf8)) {
        rest = behind("-->", in: rest)
      } else if rest.starts(with: Array("<![CDATA[".utf8)) {
        rest = behind("]]>", in: rest)
      } else if rest.starts(with: Array("<!".utf8)) {
        return false
      } else if rest.starts(with: Array("<?".utf8)) {
        rest = behind("?>", in: rest)
      } else {
        let isClosing = rest.dropFirst().first == UInt8(ascii: "/")
        let end = tagEnd(rest)
        let isEmpty = end > start + 1 && rest[end - 1] == UInt8(ascii: "/")
        if isClosing { depth -= 1 } else if !isEmpty { depth += 1 }
        guard depth <= mostDepth else { return false }
        rest = rest[min(end + 1, rest.endIndex)...]
      }
    }
    return true
  }

  /// Where the tag ends that begins here: the first `>` outside of quotes.
  private static func tagEnd(_ rest: ArraySlice<UInt8>) -> Int {
    var quote: UInt8?
    for index in rest.indices {
      let byte = rest[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return index
      }
    }
    return rest.endIndex
  }

  private static func behind(_ mark: String, in rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let mark = Array(mark.utf8)
    var index = rest.startIndex
    while let found = rest[index...].firstIndex(of: mark[0]) {
      if rest[found...].starts(with: mark) { return rest[(found + mark.count)...] }
      index = found + 1
    }
    return []
  }
}
