/// The first bytes of a file.
///
/// Whatever is asked beyond their end is not there.
struct Head {
  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  func byte(_ offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[bytes.startIndex + offset] : nil
  }

  func little16(at offset: Int) -> Int? {
    guard let low = byte(offset), let high = byte(offset + 1) else { return nil }
    return Int(low) | Int(high) << 8
  }

  func little32(at offset: Int) -> Int? {
    guard let low = little16(at: offset), let high = little16(at: offset + 2) else { return nil }
    return low | high << 16
  }

  func big16(at offset: Int) -> Int? {
    little16(at: offset).map { Int(UInt16(truncatingIfNeeded: $0).byteSwapped) }
  }

  func big32(at offset: Int) -> Int? {
    little32(at: offset).map { Int(UInt32(truncatingIfNeeded: $0).byteSwapped) }
  }

  func has(_ expected: [UInt8], at offset: Int) -> Bool {
    bytes.dropFirst(offset).starts(with: expected)
  }

  func has(_ expected: StaticString, at offset: Int) -> Bool {
    expected.withUTF8Buffer { bytes.dropFirst(offset).starts(with: $0) }
  }

  func begins(_ expected: [UInt8]) -> Bool { has(expected, at: 0) }
  func begins(_ expected: StaticString) -> Bool { has(expected, at: 0) }

  func isDigit(_ offset: Int) -> Bool {
    byte(offset).map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  func isSpace(_ offset: Int) -> Bool {
    byte(offset).map { $0 == 0x20 || (0x09...0x0d).contains($0) } ?? false
  }

  /// Where `expected` stands at or behind `offset`.
  func find(_ expected: StaticString, from offset: Int) -> Int? {
    (offset..<max(offset, bytes.count)).first { has(expected, at: $0) }
  }
}
