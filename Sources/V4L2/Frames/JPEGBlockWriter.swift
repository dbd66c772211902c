/// Codes blocks with the Huffman tables of the standard (ITU-T T.81, F.1.2).
struct JPEGBlockWriter {
  private struct Code {
    var bits = 0
    var length = 0
  }

  private var bytes: [UInt8] = []
  private var pool: UInt64 = 0
  private var count = 0
  private var last = [0, 0, 0]

  /// Codes by symbol; DC and AC of luma, then those of color.
  private static let codes: [[Code]] = HuffmanTable.standardPlaces.map { place in
    var codes = [Code](repeating: Code(), count: 256)
    guard let table = HuffmanTable.standard[place] else { return codes }
    var code = 0
    var index = 0
    for length in 1...16 {
      for _ in 0..<table.counts[length - 1] {
        codes[Int(table.values[index])] = Code(bits: code, length: length)
        code += 1
        index += 1
      }
      code <<= 1
    }
    return codes
  }

  /// `block`: 64 quantized coefficients in zigzag order.
  mutating func write(_ block: [Int], component: Int) {
    let tables = component == 0 ? 0 : 2
    let difference = block[0] - last[component]
    last[component] = block[0]
    let length = Self.length(of: difference)
    put(Self.codes[tables][length])
    put(difference, length)
    var run = 0
    for coefficient in block.dropFirst() {
      if coefficient == 0 {
        run += 1
        continue
      }
      while run > 15 {
        put(Self.codes[tables + 1][0xF0])
        run -= 16
      }
      let length = Self.length(of: coefficient)
      put(Self.codes[tables + 1][run << 4 | length])
      put(coefficient, length)
      run = 0
    }
    if run > 0 { put(Self.codes[tables + 1][0]) }
  }

  /// All bytes; the last is filled up with ones.
  mutating func finished() -> [UInt8] {
    if count % 8 != 0 { put(Code(bits: 0xFF >> (count % 8), length: 8 - count % 8)) }
    return bytes
  }

  private static func length(of number: Int) -> Int {
    Int.bitWidth - abs(number).leadingZeroBitCount
  }

  private mutating func put(_ number: Int, _ length: Int) {
    guard length > 0 else { return }
    let bits = number < 0 ? number + (1 << length) - 1 : number
    put(Code(bits: bits, length: length))
  }

  private mutating func put(_ code: Code) {
    pool = pool << UInt64(code.length) | UInt64(code.bits)
    count += code.length
    while count >= 8 {
      count -= 8
      let byte = UInt8(truncatingIfNeeded: pool >> UInt64(count))
      bytes.append(byte)
      // Else it would look like a marker.
      if byte == 0xFF { bytes.append(0) }
    }
  }
}
