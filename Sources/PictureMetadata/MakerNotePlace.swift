/// Places that cameras write into their maker notes.
///
/// Numbers of tags are from ExifTool's tables of Panasonic's and Nikon's maker notes (Location,
/// Country, State, City, Landmark; LocationInfo).
enum MakerNotePlace {
  private static let panasonic: Set<Int> = [0x67, 0x69, 0x6b, 0x6d, 0x6f, 0x80]
  private static let nikon: Set<Int> = [0x39]

  /// Where such values stand in a block whose maker note is `note`.
  static func ranges(in block: ExifBlock, note: Range<Int>) -> [Range<Int>] {
    let bytes = block.bytes[note]
    if bytes.starts(with: Array("Panasonic\0\0\0".utf8)) {
      // Its offsets count from the start of the block.
      let directory = ExifBlock.directory(
        .exposure,
        at: note.lowerBound + 12,
        block.bytes,
        block.order
      )
      return values(of: panasonic, in: directory)
    }
    if bytes.starts(with: Array("Nikon\0".utf8)), bytes.count > 10 {
      // A TIFF structure of its own.
      let start = note.lowerBound + 10
      guard let inner = ExifBlock(Array(block.bytes[start..<note.upperBound])) else { return [] }
      return values(of: nikon, in: inner.directory(.picture))
        .map { ($0.lowerBound + start)..<($0.upperBound + start) }
    }
    return []
  }

  private static func values(of tags: Set<Int>, in directory: ExifBlock.Directory?) -> [Range<Int>]
  {
    directory?.entries.filter { tags.contains($0.tag) }.compactMap(\.value) ?? []
  }
}
