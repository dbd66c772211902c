import V4L2

/// PNG files of stored (not compressed) data, after the PNG specification (ISO/IEC 15948) and RFC 1950
/// and 1951.
enum PNGFile {
  static func bytes(of bitmap: Bitmap, _ exif: ExifBlock) -> [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    let row = bitmap.width * bitmap.bands
    file.reserveCapacity(bitmap.samples.count + bitmap.height * 2 + exif.bytes.count + 1024)
    var header: [UInt8] = []
    header.add(bitmap.width)
    header.add(bitmap.height)
    // 8 bits; 0 gray, 2 RGB; deflate, the usual filters, not interlaced.
    header += [8, bitmap.bands == 1 ? 0 : 2, 0, 0, 0]
    append("IHDR", header, to: &file)
    // Perceptual: the colors are sRGB's.
    append("sRGB", [0], to: &file)
    append("eXIf", exif.bytes, to: &file)
    // One filter byte, 0 for none, before each row.
    var rows: [UInt8] = []
    rows.reserveCapacity(bitmap.height * (row + 1))
    bitmap.samples.withUnsafeBufferPointer { samples in
      for y in 0..<bitmap.height {
        rows.append(0)
        rows += UnsafeBufferPointer(rebasing: samples[(y * row)..<((y + 1) * row)])
      }
    }
    append("IDAT", stored(rows), to: &file)
    append("IEND", [], to: &file)
    return file
  }

  private static func append(_ type: String, _ data: [UInt8], to file: inout [UInt8]) {
    file.add(data.count)
    let start = file.count
    file += type.utf8
    file += data
    file.add(Int(file.withUnsafeBufferPointer { CRC32.of($0[start...]) }))
  }

  /// A zlib stream of blocks that are not compressed.
  private static func stored(_ data: [UInt8]) -> [UInt8] {
    // A block's length has 16 bits.
    let most = 65_535
    var stream: [UInt8] = [0x78, 0x01]
    stream.reserveCapacity(data.count + data.count / most * 5 + 16)
    data.withUnsafeBufferPointer { data in
      var start = 0
      repeat {
        let end = min(start + most, data.count)
        let length = end - start
        let isLast: UInt8 = end == data.count ? 1 : 0
        stream += [
          isLast, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255),
          UInt8(~length >> 8 & 255),
        ]
        stream += UnsafeBufferPointer(rebasing: data[start..<end])
        start = end
      } while start < data.count
      stream.add(Int(adler(data)))
    }
    return stream
  }

  /// Adler-32 of RFC 1950.
  private static func adler(_ data: UnsafeBufferPointer<UInt8>) -> UInt32 {
    // So many sums fit into 32 bits before they must be reduced.
    let most = 5552
    var low: UInt32 = 1
    var high: UInt32 = 0
    var start = 0
    while start < data.count {
      let end = min(start + most, data.count)
      for index in start..<end {
        low &+= UInt32(data[index])
        high &+= low
      }
      low %= 65_521
      high %= 65_521
      start = end
    }
    return high << 16 | low
  }
}

/// The checksum of PNG's chunks, eight bytes at a time.
private enum CRC32 {
  /// `tables[k]` carries a byte over k further bytes, one after the other.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<(8 * 256) {
      let value = tables[index - 256]
      tables[index] = tables[Int(value & 255)] ^ value >> 8
    }
    return tables
  }()

  static func of(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32 {
    let bytes = UnsafeBufferPointer(rebasing: bytes)
    return tables.withUnsafeBufferPointer { tables in
      var value: UInt32 = 0xffff_ffff
      var index = 0
      func word(_ start: Int) -> UInt32 {
        UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
          | UInt32(bytes[start + 3]) << 24
      }
      while index + 8 <= bytes.count {
        let low = value ^ word(index)
        let high = word(index + 4)
        value =
          tables[7 << 8 | Int(low & 255)] ^ tables[6 << 8 | Int(low >> 8 & 255)]
          ^ tables[5 << 8 | Int(low >> 16 & 255)] ^ tables[4 << 8 | Int(low >> 24)]
        value ^=
          tables[3 << 8 | Int(high & 255)] ^ tables[2 << 8 | Int(high >> 8 & 255)]
          ^ tables[1 << 8 | Int(high >> 16 & 255)] ^ tables[Int(high >> 24)]
        index += 8
      }
      while index < bytes.count {
        value = tables[Int((value ^ UInt32(bytes[index])) & 255)] ^ value >> 8
        index += 1
      }
      return ~value
    }
  }
}

extension [UInt8] {
  /// 32 bits, the highest first.
  fileprivate mutating func add(_ number: Int) {
    self += [
      UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
      UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
    ]
  }
}
