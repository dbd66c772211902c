import PictureMetadata

/// A block of metadata that ImageMagick has put into a PNG as text: a name, a length, and hexadecimal
/// digits.
struct RawProfile {
  private let kind: String
  private let bytes: [UInt8]

  private static let keyPrefix = "raw profile type "

  /// Nil for any other text.
  init?(key: String, text: String) {
    guard key.lowercased().hasPrefix(Self.keyPrefix) else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count > 2, let count = Int(words[1]) else { return nil }
    var bytes: [UInt8] = []
    for word in words[2...] {
      let digits = Array(word.utf8)
      guard digits.count % 2 == 0 else { return nil }
      for start in stride(from: 0, to: digits.count, by: 2) {
        let pair = String(decoding: digits[start..<(start + 2)], as: UTF8.self)
        guard let byte = UInt8(pair, radix: 16) else { return nil }
        bytes.append(byte)
      }
    }
    guard bytes.count == count else { return nil }
    kind = String(key.dropFirst(Self.keyPrefix.count)).lowercased()
    self.bytes = bytes
  }

  /// What stands in a chunk of its own comes first.
  func add(to blocks: inout MetadataBlocks) {
    let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    switch kind {
    case "exif", "app1":
      if bytes.starts(with: xmp) {
        blocks.xmp = blocks.xmp ?? Array(bytes.dropFirst(xmp.count))
      } else {
        blocks.exif = blocks.exif ?? bytes
      }
    case "xmp": blocks.xmp = blocks.xmp ?? bytes
    case "iptc", "8bim": blocks.iptc = blocks.iptc ?? bytes
    default: break
    }
  }
}
