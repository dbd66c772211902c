import CJxl
import MinilabKit

/// Counts the frames of animations of which libvips reads no more than the first: animated PNG, JPEG XL,
/// and films in HEIF and AVIF.
enum HiddenFrames {
  /// - Returns: 1 where there is no animation.
  static func count(in data: PictureData, _ format: PictureFormat) -> Int {
    let count =
      switch format {
      case .png: (try? framesOfPNG(data)) ?? nil
      case .heif, .avif: (try? framesOfHEIF(data)) ?? nil
      case .jxl: try? framesOfJXL(data)
      default: nil as Int?
      }
    return max(1, count ?? 1)
  }

  // MARK: PNG

  /// The number in the chunk `acTL`, which stands before the pixels (PNG third edition, 11.3.6.1).
  private static func framesOfPNG(_ data: PictureData) throws -> Int? {
    var offset = 8
    // Pixels come early; a file with more chunks before them has something to hide.
    for _ in 0..<100 {
      let head = Head(try data.read(at: offset, count: 12)[...])
      guard let length = head.big32(at: 0), !head.has("IDAT", at: 4) else { return nil }
      if head.has("acTL", at: 4) { return head.big32(at: 8) }
      offset += length + 12
    }
    return nil
  }

  // MARK: JPEG XL

  /// Its frames have no number anywhere, and are found one behind the other (ISO/IEC 18181-1, F): libjxl
  /// steps over what is in them.
  private static func framesOfJXL(_ data: PictureData) throws -> Int {
    let length = data.status.size
    // What stands before the picture is short in most files, and tells a still.
    let beginning = min(length, 1 << 16)
    var goesOn = false
    let found = cjxl_frames(try data.read(at: 0, count: beginning), beginning, &goesOn)
    guard goesOn, beginning < length else { return found }
    return cjxl_frames(try data.read(at: 0, count: length), length, &goesOn)
  }

  // MARK: HEIF

  /// The number of samples of the longest track (ISO/IEC 14496-12, `moov/trak/mdia/minf/stbl/stsz`).
  private static func framesOfHEIF(_ data: PictureData) throws -> Int? {
    let head = Head(try data.read(at: 0, count: 16)[...])
    // Only a film's brands have tracks; others are not searched.
    guard let size = head.big32(at: 0), head.has("ftyp", at: 4) else { return nil }
    let brands = Head(try data.read(at: 0, count: min(size, 256))[...])
    guard
      films.contains(where: { brand in
        stride(from: 8, to: brands.bytes.count - 3, by: 4).contains { brands.has(brand, at: $0) }
      })
    else { return nil }
    var most: Int?
    try search(data, from: 0, to: .max, depth: 0) { count in most = max(most ?? 0, count) }
    return most
  }

  private static let films = ["avis", "msf1", "hevc", "hevs"].map { Array($0.utf8) }
  private static let path = ["moov", "trak", "mdia", "minf", "stbl"].map { Array($0.utf8) }

  private static func search(
    _ data: PictureData,
    from start: Int,
    to end: Int,
    depth: Int,
    _ found: (Int) -> Void
  ) throws {
    var offset = start
    for _ in 0..<1000 where offset < end {
      let head = Head(try data.read(at: offset, count: 20)[...])
      guard var size = head.big32(at: 0), head.bytes.count >= 8 else { return }
      var length = 8
      if size == 1 {
        guard let high = head.big32(at: 8), let low = head.big32(at: 12), high < 1 << 24 else {
          return
        }
        (size, length) = (high << 32 | low, 16)
      }
      if size == 0 { size = end - offset }
      guard size >= length else { return }
      if depth < path.count, head.has(path[depth], at: 4) {
        try search(
          data,
          from: offset + length,
          to: min(end, offset + size),
          depth: depth + 1,
          found
        )
      } else if depth == path.count, head.has("stsz", at: 4), let count = head.big32(at: 16) {
        found(count)
      }
      offset += size
    }
  }
}
