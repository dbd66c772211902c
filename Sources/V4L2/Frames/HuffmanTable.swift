/// A Huffman table as a JPEG carries it.
struct HuffmanTable: Equatable, Sendable {
  /// How many codes there are of each length from 1 to 16 bits.
  let counts: [UInt8]
  /// What the codes mean, the shortest first.
  let values: [UInt8]

  /// Which of the tables of a picture.
  struct Place: Hashable, Sendable {
    /// Of the coefficients beside the first of a block.
    let isAC: Bool
    /// 0 to 3.
    let number: Int

    /// As the segment writes it.
    var byte: UInt8 { (isAC ? 0x10 : 0) | UInt8(number) }
  }

  /// Reads the tables of a segment.
  static func tables(in parameters: ArraySlice<UInt8>) throws(FrameError) -> [Place: HuffmanTable] {
    var tables: [Place: HuffmanTable] = [:]
    var rest = parameters
    while let first = rest.first {
      let counts = rest.dropFirst().prefix(16)
      let count = counts.reduce(0) { $0 + Int($1) }
      guard first & 0xEC == 0, counts.count == 16, count <= 256, rest.count >= 17 + count else {
        throw .damaged("a Huffman table")
      }
      let place = Place(isAC: first >> 4 == 1, number: Int(first & 3))
      tables[place] = HuffmanTable(
        counts: Array(counts),
        values: Array(rest.dropFirst(17).prefix(count))
      )
      rest = rest.dropFirst(17 + count)
    }
    return tables
  }

  /// A whole segment of the given tables.
  static func segment(of tables: [(Place, HuffmanTable)]) -> [UInt8] {
    let body = tables.flatMap { [$0.byte] + $1.counts + $1.values }
    let length = body.count + 2
    return [0xFF, JPEGSegments.Marker.huffman, UInt8(length >> 8), UInt8(length & 0xFF)] + body
  }
}
