import Glibc
import MinilabKit

/// What tells contents apart: the first 128 bits of SHA-256.
///
/// So many are enough that no content is ever taken for another by chance, and that none can be made up for
/// a digest that is given (`docs/decisions/0028-sha-256.md`).
struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
  /// In bytes.
  static let length = 16

  let bytes: [UInt8]

  /// - Returns: nil for what is none, as in a ledger that somebody has edited.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Of all that `feed` puts in.
  init(_ feed: (inout SHA256) throws -> Void) rethrows {
    var state = SHA256()
    try feed(&state)
    self.init(state)
  }

  private init(_ state: consuming SHA256) {
    bytes = Array(state.finish().prefix(Self.length))
  }

  /// Of a file's bytes.
  ///
  /// `isGivenUp`: asked now and then; where it is true, the digest is not that of all of the file.
  init(
    ofFile descriptor: Int32,
    isGivenUp: () -> Bool = { false }
  ) throws(SystemError) {
    var state = SHA256()
    let capacity = 1 << 18
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = try System.attempt(.read) {
        pread(descriptor, buffer.baseAddress, min($0, capacity), off_t(offset))
      }
      if count == 0 || isGivenUp() { break }
      state.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
    self.init(state)
  }

  /// Nil where it cannot be read.
  static func ofFile(at path: Path) -> ContentDigest? {
    do {
      let file = try openFile(path.bytes[...])
      return try ContentDigest(ofFile: file.number)
    } catch {
      return nil
    }
  }

  var description: String { bytes.map { hexadecimal($0) }.joined() }
}

private func hexadecimal(_ byte: UInt8) -> String {
  let text = String(byte, radix: 16)
  return byte < 16 ? "0" + text : text
}

extension ContentDigest: Codable {
  init(from decoder: any Decoder) throws {
    let text = Array(try decoder.singleValueContainer().decode(String.self).utf8)
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: text.count - 1, by: 2) {
      let digits = String(decoding: text[start..<(start + 2)], as: UTF8.self)
      if let byte = UInt8(digits, radix: 16) { bytes.append(byte) }
    }
    guard let digest = ContentDigest(bytes: bytes), text.count == 2 * Self.length else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no digest")
      )
    }
    self = digest
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
