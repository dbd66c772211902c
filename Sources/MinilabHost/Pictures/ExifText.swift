/// An EXIF value as libvips puts it into words: `1/60 (1/60 sec., Rational, 1 components, 8 bytes)`,
/// which is the value, what it means to a reader, its type, and two counts.
struct ExifText {
  /// For a reader; nil where it is empty.
  let value: String?

  init(_ field: String) {
    let parts = field.split(separator: ", ", omittingEmptySubsequences: false)
    guard parts.count >= 4 else {
      value = nil
      return
    }
    let type = parts[parts.count - 3]
    let texts = parts.dropLast(3).joined(separator: ", ")
    let (written, read) = Self.halves(of: texts)
    let text = (type == "ASCII" ? written : read).drop { $0.isWhitespace }
    let end = text.lastIndex { !$0.isWhitespace }
    value = end.map { String(text[...$0]) }
  }

  /// The value and its reading: the same text twice, as a rule.
  private static func halves(of texts: String) -> (Substring, Substring) {
    let bytes = Array(texts.utf8)
    let half = (bytes.count - 2) / 2
    if bytes.count >= 2, bytes.count % 2 == 0,
      bytes[..<half].elementsEqual(bytes[(half + 2)...])
    {
      let text = Substring(decoding: bytes[..<half], as: UTF8.self)
      return (text, text)
    }
    let opening = [UInt8](" (".utf8)
    for start in bytes.indices.dropLast() where Array(bytes[start..<(start + 2)]) == opening {
      return (
        Substring(decoding: bytes[..<start], as: UTF8.self),
        Substring(decoding: bytes[(start + 2)...], as: UTF8.self)
      )
    }
    return (texts[...], texts[...])
  }
}
