/// Finds codes of a Huffman table at the head of a stream of bits.
final class HuffmanDecoder {
  /// By the next eight bits: the symbol and, in the upper byte, the length of its code; 0 where it
  /// is longer.
  private var short = [UInt16](repeating: 0, count: 256)
  /// By length: the first code that is longer, moved to the upper end of 16 bits.
  private var limits = [UInt32](repeating: 0, count: 17)
  /// By length: what to add to a code to find its symbol.
  private var offsets = [Int](repeating: 0, count: 17)
  private let values: [UInt8]

  init(_ table: HuffmanTable) throws(FrameError) {
    values = table.values
    var code = 0
    var index = 0
    for length in 1...16 {
      let count = Int(table.counts[length - 1])
      guard code + count <= 1 << length else { throw .damaged("a Huffman table") }
      offsets[length] = index - code
      if length <= 8 {
        for place in 0..<count {
          let entry = UInt16(length) << 8 | UInt16(values[index + place])
          let first = (code + place) << (8 - length)
          for bits in first..<(first + 1 << (8 - length)) { short[bits] = entry }
        }
      }
      code += count
      index += count
      limits[length] = UInt32(code) << UInt32(16 - length)
      code <<= 1
    }
  }

  /// The symbol whose code begins these sixteen bits, and the length of the code; 0 where none
  /// does.
  func symbol(_ bits: UInt32) -> (symbol: UInt8, length: Int) {
    let entry = short[Int(bits >> 8)]
    if entry != 0 { return (UInt8(truncatingIfNeeded: entry), Int(entry >> 8)) }
    for length in 9...16 where bits < limits[length] {
      return (values[Int(bits >> UInt32(16 - length)) + offsets[length]], length)
    }
    return (0, 0)
  }
}
