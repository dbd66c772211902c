/// The checksum of PNG's chunks (ISO/IEC 15948, annex D).
enum Checksum {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
  }

  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(0xffff_ffff) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xff)] } ^ 0xffff_ffff
  }
}
