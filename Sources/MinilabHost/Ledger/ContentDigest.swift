import Glibc
import MinilabKit

/// What tells contents apart: 128 bits of BLAKE2b.
///
/// Two contents with one digest cannot be made up by trying; and it reads a picture several times as
/// fast as the digests of GLib, so that remembering a picture costs little beside making it.
struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
  static let length = 16

  let bytes: [UInt8]

  /// - Returns: nil for what is none, as in a ledger that somebody has edited.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Of all that `feed` puts in.
  init(_ feed: (inout BLAKE2b) throws -> Void) rethrows {
    var state = BLAKE2b(length: Self.length)
    try feed(&state)
    bytes = state.finish()
  }

  /// Of a file's bytes.
  ///
  /// `isGivenUp`: asked now and then; where it is true, the digest is not that of all of the file.
  init(
    ofFile descriptor: Int32,
    isGivenUp: () -> Bool = { false }
  ) throws(SystemError) {
    var state = BLAKE2b(length: Self.length)
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
    bytes = state.finish()
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

/// BLAKE2b without a key, as RFC 7693 has it; the names are the RFC's.
struct BLAKE2b {
  private static let blockLength = 128
  /// The fractions of the square roots of the first eight primes.
  private static let start: [UInt64] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
  ]
  /// The order of a block's words in each round.
  private static let sigma: [UInt8] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
    11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
    7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
    9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
    2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
    12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
    13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
    6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
    10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
  ]

  private let length: Int
  private var h = BLAKE2b.start
  /// What is not yet a block, or the last block: which is not known before more comes.
  private var pending: [UInt8] = []
  private var count: UInt64 = 0

  /// `length`: of the digest, in bytes, from 1 to 64.
  init(length: Int) {
    self.length = length
    h[0] ^= 0x0101_0000 ^ UInt64(length)
    pending.reserveCapacity(2 * Self.blockLength)
  }

  /// Adds a text and its length, so that no two rows of texts are one.
  mutating func add(_ text: String) { add(Array(text.utf8)) }

  /// Adds bytes and their count.
  mutating func add(_ bytes: [UInt8]) {
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { update($0) }
    bytes.withUnsafeBytes { update($0) }
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    if !pending.isEmpty {
      let missing = min(Self.blockLength - pending.count, rest.count)
      pending += rest[..<missing]
      rest = UnsafeRawBufferPointer(rebasing: rest[missing...])
      if rest.isEmpty { return }
      count += UInt64(Self.blockLength)
      pending.withUnsafeBytes { Self.compress(&h, $0, blocks: 1, endingAt: count) }
      pending.removeAll(keepingCapacity: true)
    }
    let blocks = max(0, rest.count - 1) / Self.blockLength
    if blocks > 0 {
      let whole = blocks * Self.blockLength
      Self.compress(&h, rest, blocks: blocks, endingAt: count + UInt64(Self.blockLength))
      count += UInt64(whole)
      rest = UnsafeRawBufferPointer(rebasing: rest[whole...])
    }
    pending += rest
  }

  mutating func finish() -> [UInt8] {
    count += UInt64(pending.count)
    pending += [UInt8](repeating: 0, count: Self.blockLength - pending.count)
    pending.withUnsafeBytes { Self.compress(&h, $0, blocks: 1, endingAt: count, isLast: true) }
    let digest = h.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
    return Array(digest.prefix(length))
  }

  /// Mixes blocks into the state.
  ///
  /// `endingAt`: how many bytes there are up to the first block's end.
  private static func compress(
    _ h: inout [UInt64],
    _ bytes: UnsafeRawBufferPointer,
    blocks: Int,
    endingAt end: UInt64,
    isLast: Bool = false
  ) {
    guard let base = bytes.baseAddress else { return }
    start.withUnsafeBufferPointer { start in
      sigma.withUnsafeBufferPointer { sigma in
        h.withUnsafeMutableBufferPointer { h in
          for block in 0..<blocks {
            compress(
              h,
              base + block * blockLength,
              end + UInt64(block * blockLength),
              isLast,
              start,
              sigma
            )
          }
        }
      }
    }
  }

  private static func compress(
    _ h: UnsafeMutableBufferPointer<UInt64>,
    _ m: UnsafeRawPointer,
    _ end: UInt64,
    _ isLast: Bool,
    _ iv: UnsafeBufferPointer<UInt64>,
    _ sigma: UnsafeBufferPointer<UInt8>
  ) {
    var (v0, v1, v2, v3, v4, v5, v6, v7) = (h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7])
    var (v8, v9, v10, v11) = (iv[0], iv[1], iv[2], iv[3])
    var (v12, v13, v14, v15) = (iv[4] ^ end, iv[5], isLast ? ~iv[6] : iv[6], iv[7])
    for round in 0..<12 {
      let s = (round % 10) * 16
      func word(_ place: Int) -> UInt64 {
        let offset = Int(sigma[s + place]) * 8
        return UInt64(littleEndian: m.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      mix(&v0, &v4, &v8, &v12, word(0), word(1))
      mix(&v1, &v5, &v9, &v13, word(2), word(3))
      mix(&v2, &v6, &v10, &v14, word(4), word(5))
      mix(&v3, &v7, &v11, &v15, word(6), word(7))
      mix(&v0, &v5, &v10, &v15, word(8), word(9))
      mix(&v1, &v6, &v11, &v12, word(10), word(11))
      mix(&v2, &v7, &v8, &v13, word(12), word(13))
      mix(&v3, &v4, &v9, &v14, word(14), word(15))
    }
    h[0] ^= v0 ^ v8
    h[1] ^= v1 ^ v9
    h[2] ^= v2 ^ v10
    h[3] ^= v3 ^ v11
    h[4] ^= v4 ^ v12
    h[5] ^= v5 ^ v13
    h[6] ^= v6 ^ v14
    h[7] ^= v7 ^ v15
  }

  /// The RFC's function G.
  @inline(__always)
  private static func mix(
    _ a: inout UInt64,
    _ b: inout UInt64,
    _ c: inout UInt64,
    _ d: inout UInt64,
    _ x: UInt64,
    _ y: UInt64
  ) {
    a = a &+ b &+ x
    d = rotated(d ^ a, 32)
    c = c &+ d
    b = rotated(b ^ c, 24)
    a = a &+ b &+ y
    d = rotated(d ^ a, 16)
    c = c &+ d
    b = rotated(b ^ c, 63)
  }

  @inline(__always)
  private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
    word &>> count | word &<< (64 - count)
  }
}
