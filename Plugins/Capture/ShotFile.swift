import MinilabKit
import V4L2

/// A frame as a picture file with what is known of it in EXIF.
///
/// An MJPEG frame stays as it is but for its missing Huffman tables. Pixels become a PNG that is not
/// compressed: it takes no time to write and little to read, and loses nothing.
struct ShotFile {
  let format: PictureFormat
  let bytes: [UInt8]

  /// - Throws: `FrameError` where the frame is damaged.
  init(_ frame: CapturedFrame, _ exif: ExifBlock) throws {
    format = Self.format(of: frame.format)
    if frame.format.pixelFormat == .mjpeg {
      bytes = try JPEGFile.inserting(exif, into: frame.jpeg())
    } else {
      bytes = PNGFile.bytes(of: try frame.bitmap(), exif)
    }
  }

  static func format(of frame: FrameFormat) -> PictureFormat {
    frame.pixelFormat == .mjpeg ? .jpeg : .png
  }
}

/// JPEG files.
enum JPEGFile {
  /// The file with an EXIF segment (APP1) in front, where the standard wants it, in place of one that the
  /// camera has written; other bytes stay as they are.
  static func inserting(_ exif: ExifBlock, into file: [UInt8]) -> [UInt8] {
    let block = mark + exif.bytes
    let length = block.count + 2
    var bytes: [UInt8] = []
    bytes.reserveCapacity(file.count + length + 2)
    bytes += file[..<2]
    bytes += [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)]
    bytes += block
    var start = 2
    while let end = segmentEnd(file, start) {
      let isExif = file[start + 1] == 0xe1 && file[(start + 4)..<end].starts(with: mark)
      if !isExif { bytes += file[start..<end] }
      start = end
    }
    bytes += file[start...]
    return bytes
  }

  private static let mark = Array("Exif".utf8) + [0, 0]

  /// The end of the segment that begins here; nil where the scan begins, or no segment.
  private static func segmentEnd(_ file: [UInt8], _ start: Int) -> Int? {
    guard start + 4 <= file.count, file[start] == 0xff, (0xc0...0xfe).contains(file[start + 1]),
      file[start + 1] != 0xda
    else { return nil }
    let end = start + 2 + (Int(file[start + 2]) << 8 | Int(file[start + 3]))
    return end <= file.count && end > start + 3 ? end : nil
  }
}
