internal import Glibc

/// Writes the test pattern as a baseline JPEG of 4:2:2 sampling, with the Huffman tables of the
/// standard: what a webcam sends (ITU-T T.81).
struct PatternJPEG {
  let width: Int
  let height: Int
  let rows: TestPatternRows

  /// Quantization factors of all coefficients: fine enough that no color is off by more than two levels.
  private static let factor = 4

  /// More bytes than any frame of that size takes.
  static func longest(width: Int, height: Int) -> Int { width * height * 2 + 2048 }

  /// Places of a block in the order in which they are coded.
  static let zigzag: [Int] = (0..<15).flatMap { diagonal in
    let steps = (max(0, diagonal - 7)...min(7, diagonal)).map { (y: $0, x: diagonal - $0) }
    return (diagonal % 2 == 0 ? steps.reversed() : steps).map { $0.y * 8 + $0.x }
  }

  func encoded(huffmanTables: Bool) -> [UInt8] {
    var bytes = Self.segment(0xE0, [0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
    bytes += Self.segment(0xDB, [0] + Array(repeating: UInt8(Self.factor), count: 64))
    let size = [UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF)]
    let components: [UInt8] = [3, 1, 0x21, 0, 2, 0x11, 0, 3, 0x11, 0]
    bytes += Self.segment(0xC0, [8] + size + components)
    if huffmanTables {
      bytes += HuffmanTable.segment(
        of: HuffmanTable.standardPlaces.compactMap { place in
          HuffmanTable.standard[place].map { (place, $0) }
        }
      )
    }
    bytes += Self.segment(0xDA, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0])
    return [0xFF, 0xD8] + bytes + scan() + [0xFF, 0xD9]
  }

  private static func segment(_ marker: UInt8, _ parameters: [UInt8]) -> [UInt8] {
    let length = parameters.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + parameters
  }

  /// One component of a stretch of eight rows, as many samples as its blocks have.
  private struct Plane {
    let samples: [Double]
    let width: Int

    /// The quantized coefficients of the block that begins at a column, in the order of coding.
    func block(at left: Int) -> [Int] {
      let first = samples[left]
      var coefficients = [Double](repeating: 0, count: 64)
      let isFlat = (0..<8).allSatisfy { y in
        (0..<8).allSatisfy { samples[y * width + left + $0] == first }
      }
      if isFlat {
        coefficients[0] = first * 8
      } else {
        coefficients = transformed(at: left)
      }
      return PatternJPEG.zigzag.map {
        Int((coefficients[$0] / Double(PatternJPEG.factor)).rounded())
      }
    }

    /// The cosine transform, first along rows and then along columns.
    private func transformed(at left: Int) -> [Double] {
      var rows = [Double](repeating: 0, count: 64)
      for y in 0..<8 {
        for u in 0..<8 {
          for x in 0..<8 {
            rows[y * 8 + u] += samples[y * width + left + x] * PatternJPEG.cosines[u * 8 + x]
          }
        }
      }
      var result = [Double](repeating: 0, count: 64)
      for v in 0..<8 {
        for u in 0..<8 {
          for y in 0..<8 { result[v * 8 + u] += rows[y * 8 + u] * PatternJPEG.cosines[v * 8 + y] }
        }
      }
      return result
    }
  }

  /// By frequency and place: the cosine, scaled so that the transform keeps squares.
  private static let cosines: [Double] = (0..<64).map { index in
    let (frequency, place) = (index / 8, index % 8)
    let scale = frequency == 0 ? 0.125.squareRoot() : 0.5
    return scale * cos(Double((2 * place + 1) * frequency) * .pi / 16)
  }

  private func scan() -> [UInt8] {
    var writer = JPEGBlockWriter()
    let encoder = ColorEncoder(ColorMatrix(.bt601, .full))
    let kinds = rows.kinds.map { encoder.row(extended($0)) }
    let luma = kinds.map { $0.luma.map { Double($0) - 128 } }
    let cb = kinds.map { ColorEncoder.halved($0.cb) }
    let cr = kinds.map { ColorEncoder.halved($0.cr) }
    var known: [[Int]: [[Int]]] = [:]
    for top in stride(from: 0, to: height, by: 8) {
      let stretch = (0..<8).map { rows.kindOfRow[min(top + $0, height - 1)] }
      // Most stretches are like others, and the cosine transform is what takes time.
      let blocks = known[stretch] ?? blocks(of: stretch, luma, cb, cr)
      known[stretch] = blocks
      for (index, block) in blocks.enumerated() {
        writer.write(block, component: max(0, index % 4 - 1))
      }
    }
    return writer.finished()
  }

  /// Two of luma and one of each color difference for each sixteen columns.
  private func blocks(
    of stretch: [Int],
    _ luma: [[Double]],
    _ cb: [[Double]],
    _ cr: [[Double]]
  ) -> [[Int]] {
    let columns = (width + 15) / 16 * 16
    let planes = [luma, cb, cr].map { kinds in
      Plane(samples: stretch.flatMap { kinds[$0] }, width: kinds[0].count)
    }
    return stride(from: 0, to: columns, by: 16).flatMap { left in
      [
        planes[0].block(at: left), planes[0].block(at: left + 8),
        planes[1].block(at: left / 2), planes[2].block(at: left / 2),
      ]
    }
  }

  /// The row with its last pixel repeated to whole groups.
  private func extended(_ row: [UInt8]) -> [UInt8] {
    let columns = (width + 15) / 16 * 16
    return row + (width..<columns).flatMap { _ in row.suffix(3) }
  }
}
