import MinilabKit
import NaivePictures

/// A TIFF of several pages, written by hand (TIFF 6.0): gray or RGB, 8 bit, not compressed.
struct HandmadeTIFF {
  struct Page {
    var picture: NaivePicture
    var orientation = 1
    var perInch = 72
    /// Tag 254: 1 is a smaller copy of another page.
    var kind = 0
  }

  var pages: [Page]
  /// Bytes of a number: 4, or BigTIFF's 8.
  var width = 4

  var bytes: [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let isBig = width == 8
    var file =
      Array("II".utf8) + (isBig ? number(43, 2) + number(8, 2) + number(0, 2) : number(42, 2))
      + number(0, width)
    var link = isBig ? 8 : 4
    for page in pages {
      let strip = file.count
      file += page.picture.samples.map { UInt8($0.rounded()) }
      file += [UInt8](repeating: 0, count: (8 - file.count % 8) % 8)
      let resolution = file.count
      file += number(page.perInch, 4) + number(1, 4)
      let depths = file.count
      file += [8, 0, 8, 0, 8, 0, 0, 0]
      file.replaceSubrange(link..<(link + width), with: number(file.count, width))
      let bands = page.picture.bands
      let long = isBig ? 16 : 4
      // Tag, type, count, value.
      let entries: [(Int, Int, Int, Int)] = [
        (254, 4, 1, page.kind), (256, 4, 1, page.picture.width), (257, 4, 1, page.picture.height),
        bands == 1 || isBig ? (258, 3, bands, bands == 1 ? 8 : 0x8_0008_0008) : (258, 3, 3, depths),
        (259, 3, 1, 1), (262, 3, 1, bands == 1 ? 1 : 2), (273, long, 1, strip),
        (274, 3, 1, page.orientation), (277, 3, 1, bands), (278, 4, 1, page.picture.height),
        (279, 4, 1, page.picture.samples.count),
        (282, 5, 1, isBig ? page.perInch | 1 << 32 : resolution),
        (283, 5, 1, isBig ? page.perInch | 1 << 32 : resolution), (296, 3, 1, 2),
      ]
      file += number(entries.count, isBig ? 8 : 2)
      for (tag, type, count, value) in entries {
        file += number(tag, 2) + number(type, 2) + number(count, width) + number(value, width)
      }
      link = file.count
      file += number(0, width)
    }
    return file
  }
}
