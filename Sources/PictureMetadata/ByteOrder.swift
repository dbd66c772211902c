/// How numbers are stored.
public enum ByteOrder: Sendable {
  /// "II": the low byte first.
  case little
  /// "MM": the high byte first.
  case big

  /// From the mark at the start of a TIFF structure.
  init?(mark: some Collection<UInt8>) {
    if mark.elementsEqual([0x49, 0x49]) {
      self = .little
    } else if mark.elementsEqual([0x4d, 0x4d]) {
      self = .big
    } else {
      return nil
    }
  }

  var mark: [UInt8] { self == .little ? [0x49, 0x49] : [0x4d, 0x4d] }

  /// A number of at most eight bytes without a sign; nil where it is larger than an `Int` holds.
  func number(_ bytes: some Collection<UInt8>) -> Int? {
    var value: UInt64 = 0
    for byte in self == .big ? Array(bytes) : Array(bytes.reversed()) {
      value = value << 8 | UInt64(byte)
    }
    return Int(exactly: value)
  }

  /// The bytes of a number.
  func bytes(_ number: Int, count: Int) -> [UInt8] {
    let low = (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    return self == .little ? low : low.reversed()
  }
}

extension [UInt8] {
  /// The bytes from an offset on; nil where not all of them are there.
  func slice(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, count >= 0, count <= self.count, offset <= self.count - count else {
      return nil
    }
    return self[offset..<(offset + count)]
  }

  func number(at offset: Int, count: Int, _ order: ByteOrder) -> Int? {
    slice(at: offset, count: count).flatMap { order.number($0) }
  }
}
