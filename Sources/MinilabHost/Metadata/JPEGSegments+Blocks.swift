import MinilabKit
import PictureMetadata

// What moving a JPEG's coded blocks needs to know of it, and what stands before them then.

extension JPEGSegments {
  /// The rectangle of pixels that is coded as one (an MCU, ISO/IEC 10918-1, A.2); nil where the
  /// frame's header is broken, or of a kind whose coefficients are not read here.
  var codedUnit: Size? {
    for segment in segments where Self.isFrameHeader(segment.marker) {
      let data = segment.data
      // Precision, height, width, number of components, and then three bytes for each of them.
      guard Self.areCoefficients(segment.marker), data.count >= 6, data[0] == 8 else { return nil }
      let count = Int(data[5])
      guard count > 0, data.count >= 6 + 3 * count else { return nil }
      let factors = (0..<count).map { data[6 + 3 * $0 + 1] }
      let across = factors.map { Int($0 >> 4) }
      let down = factors.map { Int($0 & 15) }
      guard (across + down).allSatisfy({ (1...4).contains($0) }) else { return nil }
      // A component alone is coded block by block, whatever its factors say.
      if count == 1 { return Size(width: 8, height: 8) }
      return Size(width: 8 * (across.max() ?? 1), height: 8 * (down.max() ?? 1))
    }
    return nil
  }

  /// SOF0 to SOF15 without DHT, JPG and DAC, which stand among them.
  private static func isFrameHeader(_ marker: UInt8) -> Bool {
    (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker)
  }

  /// Sequential and progressive, in either entropy coding; neither lossless nor hierarchical.
  private static func areCoefficients(_ marker: UInt8) -> Bool {
    [0xc0, 0xc1, 0xc2, 0xc9, 0xca].contains(marker)
  }

  /// What a file of the same picture, with its blocks moved, has before its tables.
  ///
  /// `swapsSides`: rows have become columns. The names of the kinds that no segment could hold are
  /// added to `lost`.
  func head(_ blocks: MetadataBlocks, swapsSides: Bool, lost: inout [String]) -> [UInt8] {
    var head: [UInt8] = []
    // JFIF wants to be first.
    if let segment = segments.first(where: \.isJFIF), let own = Self.jfif(segment, swapsSides) {
      head += own
    }
    head += Self.segments(blocks, lost: &lost)
    for segment in segments where segment.isOfColors {
      head += Self.segment(segment.marker, segment.data) ?? []
    }
    return head
  }

  /// Without the thumbnail that may stand behind it.
  private static func jfif(_ segment: Segment, _ swapsSides: Bool) -> [UInt8]? {
    var data = Array(segment.data.prefix(14))
    guard data.count == 14 else { return nil }
    if swapsSides { data[8..<12] = data[10..<12] + data[8..<10] }
    (data[12], data[13]) = (0, 0)
    return self.segment(segment.marker, data)
  }
}
