import MinilabKit

@testable import MinilabHost

/// How files of each kind begin, made by hand: enough to tell them, far too little to decode.
enum SampleBytes {
  static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0, 16] + text("JFIF\0")
  static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]
  static let tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
  static let svg = text("<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
  static let bmp: [UInt8] =
    text("BM") + [0x46, 0, 0, 0, 0, 0, 0, 0, 0x36, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0]

  static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  static func ftyp(_ major: String, _ compatible: String...) -> [UInt8] {
    let size = UInt8(16 + 4 * compatible.count)
    return [0, 0, 0, size] + text("ftyp" + major) + [0, 0, 0, 0] + text(compatible.joined())
      + [0, 0, 0, 8] + text("meta")
  }

  /// An uncompressed true-color TGA of 2 × 2 pixels.
  static let tga: [UInt8] =
    [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0x20] + Array(repeating: 7, count: 12)

  static let icon: [UInt8] =
    [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 40, 4, 0, 0, 22, 0, 0, 0] + [40, 0, 0, 0]
}
