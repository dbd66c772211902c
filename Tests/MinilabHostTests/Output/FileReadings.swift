import MinilabKit

// What the bytes of a file say of how it was encoded, read by hand: no library of ours has a part in
// it. Each is empty where the file is none of its kind.

/// ITU-T T.81, annex B.
struct JPEGReading {
  private(set) var isProgressive = false
  /// Of the first component: 2 where colors are kept of every second pixel alone.
  private(set) var lumaSampling = (x: 0, y: 0)
  /// The first number of the first quantization table.
  private(set) var firstQuantum = 0
  /// Of all Huffman tables, in bytes.
  private(set) var huffmanLength = 0

  init(_ bytes: [UInt8]) {
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xff {
      let marker = bytes[offset + 1]
      let length = Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      let body = offset + 4
      switch marker {
      case 0xc0, 0xc1, 0xc2:
        isProgressive = marker == 0xc2
        lumaSampling = (Int(bytes[body + 7] >> 4), Int(bytes[body + 7] & 15))
      case 0xdb where firstQuantum == 0: firstQuantum = Int(bytes[body + 1])
      case 0xc4: huffmanLength += length
      case 0xda: return
      default: break
      }
      offset += 2 + length
    }
  }
}

/// ISO/IEC 15948.
struct PNGReading {
  private(set) var depth = 0
  /// 0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGB with alpha.
  private(set) var colorType = 0
  private(set) var isInterlaced = false
  private(set) var paletteCount = 0
  /// zlib's word on its level: 0 to 3.
  private(set) var level: Int?

  init(_ bytes: [UInt8]) {
    var offset = 8
    while offset + 8 <= bytes.count {
      let length = number(bytes[offset..<(offset + 4)])
      let body = offset + 8
      switch String(decoding: bytes[(offset + 4)..<body], as: UTF8.self) {
      case "IHDR":
        depth = Int(bytes[body + 8])
        colorType = Int(bytes[body + 9])
        isInterlaced = bytes[body + 12] == 1
      case "PLTE": paletteCount = length / 3
      case "IDAT": level = level ?? Int(bytes[body + 1] >> 6)
      default: break
      }
      offset = body + length + 4
    }
  }
}

/// RFC 9649: the names of the chunks.
func webpChunks(_ bytes: [UInt8]) -> [String] {
  var names: [String] = []
  var offset = 12
  while offset + 8 <= bytes.count {
    names.append(String(decoding: bytes[offset..<(offset + 4)], as: UTF8.self))
    let length = number(bytes[(offset + 4)..<(offset + 8)].reversed())
    offset += 8 + length + length % 2
  }
  return names
}

/// TIFF 6.0, in little-endian order.
struct TIFFReading {
  /// The first value of each tag, of each directory.
  private(set) var directories: [[Int: Int]] = []
  var isBig = false

  init(_ bytes: [UInt8]) {
    func value(_ at: Int, _ count: Int) -> Int { number(bytes[at..<(at + count)].reversed()) }
    guard bytes.count > 16, bytes[0] == UInt8(ascii: "I") else { return }
    isBig = bytes[2] == 43
    let word = isBig ? 8 : 4
    var offset = isBig ? value(8, 8) : value(4, 4)
    while offset > 0, directories.count < 100 {
      let count = value(offset, isBig ? 8 : 2)
      var entry = offset + (isBig ? 8 : 2)
      var tags: [Int: Int] = [:]
      for _ in 0..<count {
        let width = [3: 2, 4: 4, 16: 8][value(entry + 2, 2)] ?? 0
        let items = value(entry + 4, word)
        let place = items * width <= word ? entry + 4 + word : value(entry + 4 + word, word)
        if width > 0 { tags[value(entry, 2)] = value(place, width) }
        entry += 4 + 2 * word
      }
      directories.append(tags)
      offset = value(entry, word)
    }
  }

  subscript(tag: Int) -> Int? { directories.first?[tag] }

  static let bitsPerSample = 258
  static let compression = 259
  static let predictor = 317
  static let tileWidth = 322
}

/// GIF89a.
struct GIFReading {
  private(set) var paletteCount = 0
  private(set) var isInterlaced = false

  init(_ bytes: [UInt8]) {
    guard bytes.count > 13 else { return }
    func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 2 << Int(flags & 7) }
    paletteCount = colors(bytes[10])
    var offset = 13 + 3 * paletteCount
    while offset + 10 < bytes.count, bytes[offset] == 0x21 {
      offset += 2
      while bytes[offset] != 0 { offset += Int(bytes[offset]) + 1 }
      offset += 1
    }
    guard offset + 10 < bytes.count, bytes[offset] == 0x2c else { return }
    let flags = bytes[offset + 9]
    isInterlaced = flags & 0x40 != 0
    paletteCount = max(paletteCount, colors(flags))
  }
}

/// What `av1C` (AV1 in ISOBMFF, 2.3.3) or `hvcC` (ISO/IEC 14496-15, 8.3.3.1) says.
struct HEIFReading {
  private(set) var depth = 0
  /// Colors are kept of every second pixel alone.
  private(set) var isSubsampled = false

  init(_ bytes: [UInt8]) {
    if let body = Self.body(of: "av1C", bytes) {
      let flags = bytes[body + 2]
      depth = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
      isSubsampled = flags & 0x08 != 0
    } else if let body = Self.body(of: "hvcC", bytes) {
      isSubsampled = bytes[body + 16] & 3 == 1
      depth = 8 + Int(bytes[body + 17] & 7)
    }
  }

  private static func body(of name: String, _ bytes: [UInt8]) -> Int? {
    let name = Array(name.utf8)
    return bytes.indices.first { bytes[$0...].starts(with: name) }.map { $0 + 4 }
  }
}

/// Big-endian.
private func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
