/// Walks through the segments of a JPEG, from its start marker to its first end marker, and reads
/// nothing beyond its bytes whatever they say (ITU-T T.81, Annex B).
struct JPEGSegments {
  struct Segment {
    /// The second byte of the marker.
    let marker: UInt8
    /// From the marker's first byte to the end of its parameters.
    let range: Range<Int>
    /// What follows the length.
    let parameters: Range<Int>
    /// Of a scan: the coded picture data, up to the next marker that is not a restart.
    let data: Range<Int>
  }

  enum Marker {
    static let start: UInt8 = 0xD8
    static let end: UInt8 = 0xD9
    static let scan: UInt8 = 0xDA
    static let quantization: UInt8 = 0xDB
    static let huffman: UInt8 = 0xC4
    static let restartInterval: UInt8 = 0xDD
    static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
    /// Frame headers; three others stand between them.
    static let frames: ClosedRange<UInt8> = 0xC0...0xCF
    static let extensions: UInt8 = 0xC8
    static let arithmetic: UInt8 = 0xCC
    /// Has no parameters.
    static let temporary: UInt8 = 0x01
  }

  private let bytes: [UInt8]
  private var position = 2
  private var isOver = false

  init(_ bytes: [UInt8]) throws(FrameError) {
    guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == Marker.start else { throw .noJPEG }
    self.bytes = bytes
  }

  /// The next segment; nil after the one of the end marker.
  mutating func next() throws(FrameError) -> Segment? {
    if isOver { return nil }
    let start = try findMarker()
    let marker = bytes[position - 1]
    switch marker {
    case Marker.end:
      isOver = true
      return Segment(start..<position)
    case Marker.start: throw .damaged("a second start marker")
    case Marker.restarts, Marker.temporary: return Segment(start..<position, marker: marker)
    case 0x02...0xBF: throw .damaged("a marker that does not exist")
    default: break
    }
    guard position + 2 <= bytes.count else { throw .truncated }
    let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
    guard length >= 2 else { throw .damaged("a segment without a length") }
    guard position + length <= bytes.count else { throw .truncated }
    let parameters = (position + 2)..<(position + length)
    position += length
    let data = marker == Marker.scan ? try passData() : position..<position
    return Segment(
      marker: marker,
      range: start..<parameters.upperBound,
      parameters: parameters,
      data: data
    )
  }

  /// Moves behind the next marker.
  ///
  /// Passes over bytes that belong to no segment, as decoders do. Returns where the marker begins.
  private mutating func findMarker() throws(FrameError) -> Int {
    while true {
      while position < bytes.count, bytes[position] != 0xFF { position += 1 }
      // A marker may be preceded by any number of bytes 0xFF.
      while position + 1 < bytes.count, bytes[position + 1] == 0xFF { position += 1 }
      guard position + 1 < bytes.count else { throw .truncated }
      position += 2
      if bytes[position - 1] != 0 { return position - 2 }
    }
  }

  /// Moves to the marker that ends a scan.
  private mutating func passData() throws(FrameError) -> Range<Int> {
    let start = position
    let marker = bytes.withUnsafeBufferPointer { bytes -> Int? in
      var place = start
      while place + 1 < bytes.count {
        if bytes[place] == 0xFF {
          let next = bytes[place + 1]
          if next != 0, next != 0xFF, !Marker.restarts.contains(next) { return place }
        }
        place += 1
      }
      return nil
    }
    guard let marker else { throw .truncated }
    position = marker
    return start..<marker
  }
}

extension JPEGSegments.Segment {
  fileprivate init(_ range: Range<Int>, marker: UInt8 = JPEGSegments.Marker.end) {
    self.init(
      marker: marker,
      range: range,
      parameters: range.upperBound..<range.upperBound,
      data: range.upperBound..<range.upperBound
    )
  }
}
