/// The bits of a scan, without the zeros that keep its bytes 0xFF apart from markers.
struct JPEGBits {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  /// Bits that are read but not used, at the lower end.
  private var pool: UInt64 = 0
  private var count = 0
  /// Zeros that were handed out in place of bits that are not there.
  private var borrowed = 0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// More was used than there was up to the next marker.
  var isExhausted: Bool { borrowed > count }

  /// The next sixteen bits, which stay.
  var next16: UInt32 {
    mutating get {
      if count < 16 { fill() }
      return UInt32(truncatingIfNeeded: pool >> UInt64(count - 16)) & 0xFFFF
    }
  }

  mutating func pass(_ bits: Int) { count -= bits }

  /// Up to sixteen bits as a number.
  mutating func take(_ bits: Int) -> Int {
    if count < 16 { fill() }
    count -= bits
    return Int(truncatingIfNeeded: pool >> UInt64(count)) & (1 << bits - 1)
  }

  /// Moves behind the next restart marker, if that is what comes next.
  mutating func passRestart() -> Bool {
    while position < bytes.endIndex, bytes[position] == 0xFF, position + 1 < bytes.endIndex {
      if JPEGSegments.Marker.restarts.contains(bytes[position + 1]) {
        position += 2
        (pool, count, borrowed) = (0, 0, 0)
        return true
      }
      guard bytes[position + 1] == 0xFF else { return false }
      position += 1
    }
    return false
  }

  private mutating func fill() {
    while count <= 48 {
      var byte: UInt8 = 0
      if position < bytes.endIndex, bytes[position] != 0xFF {
        byte = bytes[position]
        position += 1
      } else if position + 1 < bytes.endIndex, bytes[position + 1] == 0 {
        byte = 0xFF
        position += 2
      } else {
        // At a marker, or the end.
        borrowed += 8
      }
      pool = pool << 8 | UInt64(byte)
      count += 8
    }
  }
}
