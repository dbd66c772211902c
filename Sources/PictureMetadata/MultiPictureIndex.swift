/// The pictures that a JPEG file says stand in it one behind the other (CIPA DC-007, 5.2).
public struct MultiPictureIndex: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    /// What the picture is for.
    public let kind: Kind
    /// Where it begins, from the byte order mark of the index; 0 for the first picture.
    public let offset: Int
  }

  public enum Kind: Sendable, Equatable {
    case main
    /// The main picture at a smaller size.
    case preview
    /// One of a panorama, of the views of a scene, or of no kind that is named.
    case picture
  }

  public let entries: [Entry]

  /// `bytes`: from the byte order mark on.
  ///
  /// Nil where there is no list of pictures.
  public init?(_ bytes: [UInt8]) {
    // "MP Entry": sixteen bytes for each picture.
    guard let block = ExifBlock(bytes), let picture = block.directory(.picture),
      let list = picture.entries.first(where: { $0.tag == 0xb002 }).flatMap(block.value)
    else { return nil }
    let data = Array(list)
    entries = stride(from: 0, to: data.count - 15, by: 16).compactMap { start in
      guard let attributes = data.number(at: start, count: 4, block.order),
        let offset = data.number(at: start + 8, count: 4, block.order)
      else { return nil }
      let kind: Kind =
        switch attributes & 0xff_ffff {
        case 0x3_0000: .main
        case 0x1_0000...0x1_ffff: .preview
        default: .picture
        }
      return Entry(kind: kind, offset: offset)
    }
  }
}
