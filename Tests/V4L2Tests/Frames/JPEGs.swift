import TestSupport
import V4L2
import Vips

/// A picture as libvips' saver writes it.
func encodedJPEG(_ picture: Image, _ options: [Argument] = []) throws -> [UInt8] {
  let target = try Target()
  try picture.save("jpegsave_target", to: target, options)
  return target.bytes
}

/// A JPEG as libvips' loader reads it.
func decodedJPEG(_ bytes: [UInt8]) throws -> Image {
  try load(
    "jpegload_source",
    from: Source(bytes: bytes),
    [.init("fail-on", .enumeration("warning"))]
  )
}

func decodedBitmap(_ bytes: [UInt8]) throws -> Bitmap {
  let image = try decodedJPEG(bytes)
  return Bitmap(
    width: image.width,
    height: image.height,
    bands: image.bands,
    samples: try image.pixels()
  )
}

/// Soft blobs with grain: all coefficients of a JPEG have something to say.
func noise(width: Int, height: Int, bands: Int) -> [UInt8] {
  var dice = Dice(11)
  return (0..<(width * height)).flatMap { place -> [UInt8] in
    let wave = (place % width * 2 + place / width) % 160
    return (0..<bands).map { UInt8(wave + 10 * $0 + dice.next(0...40)) }
  }
}

/// The bytes of the segments with a marker, without it and without the length.
func segments(_ marker: UInt8, in bytes: [UInt8]) -> [[UInt8]] {
  var found: [[UInt8]] = []
  var place = 2
  while place + 3 < bytes.count, bytes[place] == 0xFF, bytes[place + 1] != 0xD9 {
    let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
    if bytes[place + 1] == marker { found.append(Array(bytes[(place + 4)..<(place + 2 + length)])) }
    if bytes[place + 1] == 0xDA { break }
    place += 2 + length
  }
  return found
}
