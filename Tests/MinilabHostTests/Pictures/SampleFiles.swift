import MinilabKit
import NaivePictures
import Testing
import Vips

@testable import MinilabHost

extension NaivePicture {
  /// The picture as a file that libvips writes, with the orientation that is wanted in it.
  func encoded(
    _ format: PictureFormat,
    orientation: Int? = nil,
    profile: [UInt8]? = nil,
    deep: Bool = false,
    _ arguments: [Argument] = []
  ) throws -> [UInt8] {
    let image = try (deep ? image16() : image()).copy()
    if let orientation { image.set("orientation", int: orientation) }
    if let profile { image.set("icc-profile-data", blob: profile) }
    return try image.encoded(format, arguments)
  }
}

extension Image {
  func encoded(_ format: PictureFormat, _ arguments: [Argument] = []) throws -> [UInt8] {
    let saver =
      switch format {
      case .jpeg: "jpegsave_target"
      case .png: "pngsave_target"
      case .webp: "webpsave_target"
      case .tiff: "tiffsave_target"
      case .gif: "gifsave_target"
      case .heif, .avif: "heifsave_target"
      default: "\(format.rawValue)save_target"
      }
    let target = try Target()
    try save(saver, to: target, arguments)
    return target.bytes
  }
}

/// Decodes a file with libvips, as it is stored: the input of an oracle, and no oracle itself.
func stored(_ bytes: [UInt8], _ format: PictureFormat) throws -> Image {
  try load(Loader.of(format).operation, from: Source(bytes: bytes))
}

/// An EXIF block made by hand: the orientation, and where wanted a thumbnail (EXIF 2.32, 4.6).
func exifBlock(
  orientation: Int,
  description: String? = nil,
  thumbnail: [UInt8]? = nil
) -> [UInt8] {
  func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
  func long(_ value: Int) -> [UInt8] { short(value & 65_535) + short(value >> 16) }
  func entry(_ tag: Int, type: Int, _ value: Int) -> [UInt8] {
    short(tag) + short(type) + long(1) + (type == 3 ? short(value) + short(0) : long(value))
  }
  // Offsets count from the byte order mark.
  var block = Array("II".utf8) + short(42) + long(8)
  let text = description.map { Array($0.utf8) + [0] }
  block += short(text == nil ? 1 : 2)
  if let text {
    // Its text stands behind the directory.
    block += short(0x10e) + short(2) + long(text.count) + long(8 + 2 + 2 * 12 + 4)
  }
  block += entry(0x112, type: 3, orientation)
  if let text {
    precondition(thumbnail == nil, "a description or a thumbnail")
    block += long(0) + text
  } else if let thumbnail {
    let second = block.count + 4
    block += long(second)
    let data = second + 2 + 3 * 12 + 4
    block +=
      short(3) + entry(0x103, type: 3, 6) + entry(0x201, type: 4, data)
      + entry(0x202, type: 4, thumbnail.count) + long(0)
    block += thumbnail
  } else {
    block += long(0)
  }
  return Array("Exif\0\0".utf8) + block
}

/// What an EXIF block says, read by hand.
struct ExifReading {
  var orientation: Int?
  var hasSecondDirectory = false
  var hasThumbnail = false

  init(_ bytes: [UInt8]) {
    var block = bytes[...]
    if block.starts(with: Array("Exif\0\0".utf8)) { block = block.dropFirst(6) }
    let data = Array(block)
    guard data.count > 8 else { return }
    let isLittle = data[0] == UInt8(ascii: "I")
    func number(_ at: Int, _ count: Int) -> Int {
      guard at + count <= data.count else { return 0 }
      let part =
        isLittle ? Array(data[at..<(at + count)].reversed()) : Array(data[at..<(at + count)])
      return part.reduce(0) { $0 << 8 | Int($1) }
    }
    let first = number(4, 4)
    let count = number(first, 2)
    for index in 0..<count where number(first + 2 + index * 12, 2) == 0x112 {
      orientation = number(first + 2 + index * 12 + 8, 2)
    }
    let second = number(first + 2 + count * 12, 4)
    hasSecondDirectory = second != 0
    guard second != 0 else { return }
    for index in 0..<number(second, 2) where number(second + 2 + index * 12, 2) == 0x201 {
      hasThumbnail = true
    }
  }
}

/// A JPEG with a segment put in behind its start marker.
func inserting(_ marker: UInt8, _ payload: [UInt8], into jpeg: [UInt8]) -> [UInt8] {
  let length = payload.count + 2
  return Array(jpeg.prefix(2)) + [0xff, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
    + jpeg.dropFirst(2)
}

/// A JPEG of these pixels with a hand-made EXIF block and nothing else beside the picture.
func jpeg(_ picture: NaivePicture, exif: [UInt8]) throws -> [UInt8] {
  let plain = try picture.encoded(.jpeg, [.init("strip", .bool(true)), .init("Q", .int(95))])
  return inserting(0xe1, exif, into: plain)
}

/// A PNG from its chunks, with their checksums (ISO/IEC 15948, 5.5 and annex D).
func png(_ chunks: [(name: String, data: [UInt8])]) -> [UInt8] {
  func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
  func checksum(_ bytes: [UInt8]) -> Int {
    var crc: UInt32 = 0xffff_ffff
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    return Int(crc ^ 0xffff_ffff)
  }
  var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  for chunk in chunks {
    let body = Array(chunk.name.utf8) + chunk.data
    file += long(chunk.data.count) + body + long(checksum(body))
  }
  return file
}

/// A PNG with an EXIF block put in behind its header chunk.
func inserting(exif: [UInt8], intoPNG file: [UInt8]) -> [UInt8] {
  let chunk = png([("eXIf", Array(exif.dropFirst(6)))]).dropFirst(8)
  // The signature and the header chunk.
  return Array(file.prefix(33)) + chunk + file.dropFirst(33)
}

/// The header chunk of an 8-bit gray PNG.
func pngHeader(_ width: Int, _ height: Int) -> (name: String, data: [UInt8]) {
  func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
  return ("IHDR", long(width) + long(height) + [8, 0, 0, 0, 0])
}

/// A TIFF of gray pages, each with its own size, not compressed (TIFF 6.0, section 3).
func tiff(pages: [NaivePicture]) -> [UInt8] {
  func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
  func long(_ value: Int) -> [UInt8] { short(value & 65_535) + short(value >> 16) }
  var file = Array("II".utf8) + short(42) + long(0)
  // Where the offset of the next directory is to be written.
  var link = 4
  for page in pages {
    let strip = file.count
    file += page.samples.map { UInt8($0.rounded()) }
    if file.count % 2 == 1 { file.append(0) }
    file.replaceSubrange(link..<(link + 4), with: long(file.count))
    let tags = [
      (256, page.width), (257, page.height), (258, 8), (259, 1), (262, 1), (273, strip),
      (277, 1), (278, page.height), (279, page.samples.count),
    ]
    file += short(tags.count)
    for (tag, value) in tags { file += short(tag) + short(4) + long(1) + long(value) }
    link = file.count
    file += long(0)
  }
  return file
}

/// A TGA of true color, not compressed, stored from the corner that the descriptor names
/// (Truevision TGA 2.0, field 5.6: bit 4 is right to left, bit 5 is top to bottom).
func tga(_ picture: NaivePicture, fromTop: Bool, fromLeft: Bool) -> [UInt8] {
  func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
  var file: [UInt8] = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  file += short(picture.width) + short(picture.height)
  file += [24, (fromTop ? 0x20 : 0) | (fromLeft ? 0 : 0x10)]
  for row in 0..<picture.height {
    let y = fromTop ? row : picture.height - 1 - row
    for column in 0..<picture.width {
      let x = fromLeft ? column : picture.width - 1 - column
      file += [2, 1, 0].map { UInt8(picture[x, y, $0].rounded()) }
    }
  }
  return file
}
