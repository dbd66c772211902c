extension HuffmanTable {
  /// The tables that a frame without its own is coded with: those of ITU-T T.81, K.3, by their
  /// places.
  static let standard: [Place: HuffmanTable] = [
    Place(isAC: false, number: 0): HuffmanTable(
      counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
      values: Array(0...11)
    ),
    Place(isAC: false, number: 1): HuffmanTable(
      counts: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
      values: Array(0...11)
    ),
    Place(isAC: true, number: 0): HuffmanTable(
      counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
      values: allCoefficients(beginning: [
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61,
        0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52,
        0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82,
      ])
    ),
    Place(isAC: true, number: 1): HuffmanTable(
      counts: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
      values: allCoefficients(beginning: [
        0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61,
        0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33,
        0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1,
      ])
    ),
  ]

  /// The places in the order in which a segment lists them.
  static let standardPlaces = [
    Place(isAC: false, number: 0), Place(isAC: true, number: 0),
    Place(isAC: false, number: 1), Place(isAC: true, number: 1),
  ]

  /// All that a code can mean; behind the first, the standard lists them in order.
  ///
  /// That is a run of 0 to 15 zeros and a number of 1 to 10 bits, 16 zeros, or the end of the block.
  private static func allCoefficients(beginning first: [UInt8]) -> [UInt8] {
    let all = (0...255).map(UInt8.init).filter {
      (1...10).contains($0 & 15) || $0 == 0 || $0 == 0xF0
    }
    return first + all.filter { !first.contains($0) }
  }
}
