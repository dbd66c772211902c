import Glibc
import MinilabKit

// Kinds of pictures that libraries read wrongly, without a word.

extension PictureReader {
  /// ImageMagick takes gray with alpha, 8 bits each, for colors of 5 bits each, and says nothing.
  func refuseMisreadTGA() throws(ItemError) {
    // The header's length; the third byte is the kind, the 17th the bits of a pixel.
    var header = [UInt8](repeating: 0, count: 18)
    guard pread(data.descriptor, &header, header.count, 0) == header.count,
      [3, 11].contains(header[2]), header[16] == 16
    else { return }
    throw ItemError(
      .unsupported,
      expected: "TGA in gray or in colors, or colors with transparency",
      received: "gray with transparency"
    )
  }

  /// Read as red, green and blue they would give a picture of wrong colors without a word.
  func refuseSeparateChroma() throws(ItemError) {
    let structure = try? TIFFStructure { [data] in try data.read(at: $0, count: $1) }
    guard (try? structure?.hasSeparateChroma(page: page)) == true else { return }
    throw ItemError(
      .unsupported,
      expected: "TIFF with its colors side by side, or in RGB",
      received: "luma and chroma in planes of their own"
    )
  }
}
