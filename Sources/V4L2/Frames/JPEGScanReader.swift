/// Follows the coded data of a baseline scan block by block (ITU-T T.81, F.2), and adds up the
/// means of the blocks of the first component.
struct JPEGScanReader {
  private let decoders: [HuffmanTable.Place: HuffmanDecoder]
  private var bits: JPEGBits

  /// Returns 0 to 255.
  static func meanOfFirstComponent(
    _ scan: JPEGHeader.Scan,
    _ header: JPEGHeader,
    _ bytes: [UInt8]
  ) throws(FrameError) -> Double {
    var decoders: [HuffmanTable.Place: HuffmanDecoder] = [:]
    for (place, table) in scan.tables { decoders[place] = try HuffmanDecoder(table) }
    var reader = JPEGScanReader(decoders: decoders, bits: JPEGBits(bytes[scan.data]))
    return try reader.mean(scan, header)
  }

  /// The blocks of one component in a group.
  private struct Part {
    let blocks: Int
    let dc: HuffmanDecoder
    let ac: HuffmanDecoder
    let isFirst: Bool
    /// The last block's first coefficient.
    var last = 0
  }

  private mutating func mean(
    _ scan: JPEGHeader.Scan,
    _ header: JPEGHeader
  ) throws(FrameError) -> Double {
    var parts = parts(of: scan, header)
    let groups = Self.groups(of: scan, header)
    var sum = 0
    var count = 0
    for group in 0..<groups {
      if scan.restartInterval > 0, group > 0, group % scan.restartInterval == 0 {
        guard bits.passRestart() else { throw .damaged("a restart marker is missing") }
        for index in parts.indices { parts[index].last = 0 }
      }
      for index in parts.indices {
        for _ in 0..<parts[index].blocks {
          // Sums of hostile numbers wrap around rather than trap.
          parts[index].last &+= try difference(parts[index].dc)
          try passCoefficients(parts[index].ac)
          if parts[index].isFirst {
            sum &+= parts[index].last
            count += 1
          }
        }
      }
    }
    // The first coefficient is 8 times the mean, less the middle of the range.
    let factor = header.meanFactors[header.components[0].quantization] ?? 1
    return max(0, min(255, Double(sum) * Double(factor) / 8 / Double(count) + 128))
  }

  private func parts(of scan: JPEGHeader.Scan, _ header: JPEGHeader) -> [Part] {
    scan.components.compactMap { member in
      guard let dc = decoders[member.dc], let ac = decoders[member.ac] else { return nil }
      let component = header.components[member.component]
      // A component alone in its scan is coded block by block, whatever its share of a group.
      let blocks = scan.components.count == 1 ? 1 : component.across * component.down
      return Part(blocks: blocks, dc: dc, ac: ac, isFirst: member.component == 0)
    }
  }

  private static func groups(of scan: JPEGHeader.Scan, _ header: JPEGHeader) -> Int {
    let across = header.components.map(\.across).max() ?? 1
    let down = header.components.map(\.down).max() ?? 1
    func divided(_ a: Int, _ b: Int) -> Int { (a + b - 1) / b }
    guard scan.components.count == 1 else {
      return divided(header.width, 8 * across) * divided(header.height, 8 * down)
    }
    let component = header.components[scan.components[0].component]
    return divided(header.width * component.across, 8 * across)
      * divided(header.height * component.down, 8 * down)
  }

  private mutating func difference(_ decoder: HuffmanDecoder) throws(FrameError) -> Int {
    let length = Int(try symbol(decoder))
    guard length <= 11 else { throw .damaged("its picture data makes no sense") }
    let number = bits.take(length)
    // The lower half of the numbers of a length stands for the negative ones.
    return length > 0 && number < 1 << (length - 1) ? number - (1 << length) + 1 : number
  }

  private mutating func passCoefficients(_ decoder: HuffmanDecoder) throws(FrameError) {
    var place = 1
    while place < 64 {
      let symbol = try symbol(decoder)
      let run = Int(symbol >> 4)
      let length = Int(symbol & 15)
      if length == 0 {
        if run < 15 { break }
        place += 16
      } else {
        place += run + 1
        _ = bits.take(length)
      }
    }
    guard place <= 64 else { throw .damaged("its picture data makes no sense") }
    guard !bits.isExhausted else { throw .damaged("its picture data ends early") }
  }

  private mutating func symbol(_ decoder: HuffmanDecoder) throws(FrameError) -> UInt8 {
    let (symbol, length) = decoder.symbol(bits.next16)
    guard length > 0 else {
      throw bits.isExhausted
        ? .damaged("its picture data ends early") : .damaged("its picture data makes no sense")
    }
    bits.pass(length)
    return symbol
  }
}
