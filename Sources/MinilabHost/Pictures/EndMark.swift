import Glibc
import MinilabKit

/// What ends every file of a format: where it is missing the file was cut off, though all pixels may be
/// there.
enum EndMark {
  /// Of chunks that are looked at.
  private static let mostChunks = 1 << 17

  /// The file has no end mark; false of formats that need none.
  static func isMissing(in data: PictureData, _ format: PictureFormat) throws -> Bool {
    switch format {
    case .jpeg: try !hasJPEG(data)
    case .png: try !hasPNG(data)
    default: false
    }
  }

  /// `format`: one that has an end mark.
  static func missing(_ format: PictureFormat) -> ItemError {
    ItemError(
      .damaged,
      expected: "a complete \(format.shown) picture",
      received:
        "a file that ends before its end mark (\(format == .png ? "the chunk IEND" : "FF D9"))"
    )
  }

  /// What is told of a damaged picture, or more of it.
  static func explaining(_ error: ItemError, _ path: Path, _ format: PictureFormat) -> ItemError {
    guard error.received == PictureProcessor.damaged(format).received,
      let data = try? PictureData(path), (try? isMissing(in: data, format)) == true
    else { return error }
    return missing(format)
  }

  private static func hasJPEG(_ data: PictureData) throws -> Bool {
    guard try data.read(at: data.status.size - 2, count: 2) != [0xff, 0xd9] else { return true }
    // More may stand behind it.
    let file = try data.reopened()
    return try JPEGSegments(file.number)?.hasEnd ?? true
  }

  /// The chunk IEND (PNG third edition, 11.2.4): libpng asks for nothing behind the pixels.
  private static func hasPNG(_ data: PictureData) throws -> Bool {
    let last = PNGChunks.chunk("IEND", [])
    let end = data.status.size
    if try data.read(at: max(0, end - last.count), count: last.count) == last { return true }
    var offset = 8
    for _ in 0..<mostChunks {
      let head = Head(try data.read(at: offset, count: 8)[...])
      guard let length = head.big32(at: 0), head.bytes.count == 8 else { return false }
      if head.has("IEND", at: 4) { return true }
      offset += length + 12
    }
    // Of one that has more nobody knows.
    return true
  }
}
