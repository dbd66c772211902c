import MinilabKit
import PictureMetadata

/// A written picture file into which metadata is put.
///
/// libvips 8.14 writes EXIF through libexif, which changes what it does not know and loses accents, and
/// writes PNG's twice. So it is given none, and the file is changed behind it.
struct MetadataContainer {
  private let file: TemporaryFile
  private let format: PictureFormat
  private let size: Size

  /// `size`: of the picture as it is stored.
  init(_ file: TemporaryFile, _ format: PictureFormat, _ size: Size) {
    self.file = file
    self.format = format
    self.size = size
  }

  /// What files of a format can hold here.
  static func kinds(of format: PictureFormat) -> Set<MetadataKind> {
    switch format {
    case .jpeg: [.exif, .xmp, .iptc, .comment]
    case .png, .webp, .avif, .heif, .jxl: [.exif, .xmp]
    case .tiff: [.exif, .xmp, .iptc]
    default: []
    }
  }

  /// libvips writes these blocks as they are.
  static func isWrittenByVips(_ kind: MetadataKind, _ format: PictureFormat) -> Bool {
    kind == .xmp && [.tiff, .heif, .avif].contains(format)
  }

  /// A file's structure is one that other metadata can be put into without its pixels being encoded.
  static func canBePut(
    into descriptor: Int32,
    _ format: PictureFormat
  ) throws(SystemError) -> Bool {
    switch format {
    case .jpeg: try JPEGSegments(descriptor) != nil
    case .png: try PNGChunks(descriptor) != nil
    case .webp: try WebPChunks(descriptor) != nil
    default: false
    }
  }

  /// The same of this file.
  var canBePut: Bool {
    get throws(ItemError) {
      try naming { () throws(SystemError) in try Self.canBePut(into: file.descriptor, format) }
    }
  }

  /// Leaves nothing in the file.
  func empty() throws(ItemError) {
    try naming { () throws(SystemError) in
      try FileBytes(descriptor: file.descriptor).empty()
    }
  }

  /// Puts blocks in place of all metadata that is there.
  ///
  /// `density`: for a file that was just encoded and does not say it itself.
  ///
  /// - Returns: notes on what there was no room for, or what could not stay as it was.
  func put(
    _ blocks: MetadataBlocks,
    _ policy: MetadataPolicy,
    isEncoded: Bool,
    density: PixelDensity? = nil
  ) throws(ItemError) -> [Note] {
    try naming { () throws(SystemError) in
      switch format {
      case .jpeg:
        guard let segments = try JPEGSegments(file.descriptor) else { return dropped(blocks) }
        let lost = try segments.write(blocks, isEncoded: isEncoded, density: density)
        return lost.isEmpty ? [] : [.dropped(lost, format)]
      case .png:
        if isEncoded, density == nil {
          try PNGChunks.forgetDensity(FileBytes(descriptor: file.descriptor))
        }
        // libvips has written those texts that are wanted, and nothing else.
        if isEncoded, blocks.isEmpty { break }
        guard let chunks = try PNGChunks(file.descriptor) else { return dropped(blocks) }
        try chunks.write(blocks, policy)
      case .webp:
        guard let chunks = try WebPChunks(file.descriptor) else { return dropped(blocks) }
        try chunks.write(blocks, width: size.width, height: size.height)
      case .heif, .avif:
        guard let exif = blocks.exif else { break }
        let isPut = try HEIFItems(file.descriptor)?.replaceEXIF(exif) ?? false
        if !isPut { return [.dropped(["EXIF"], format)] }
      case .jxl:
        guard let boxes = try JXLBoxes(file.descriptor) else { return dropped(blocks) }
        try boxes.write(blocks)
      case .tiff:
        if isEncoded, density == nil { try forgetTIFFDensity() }
        return try addToTIFF(blocks)
      default: break
      }
      return []
    }
  }

  /// Of a file whose structure is not as its saver is known to write it.
  private func dropped(_ blocks: MetadataBlocks) -> [Note] {
    var blocks = blocks
    let lost = blocks.limit(to: [])
    return lost.isEmpty ? [] : [.dropped(lost, format)]
  }

  /// libvips writes a resolution into every file.
  private func forgetTIFFDensity() throws(SystemError) {
    let bytes = FileBytes(descriptor: file.descriptor)
    let tiff = TIFFMetadata { (try? bytes.read(at: $0, count: $1)) ?? [] }
    guard let unit = tiff?.unknownUnit else { return }
    for place in unit.places { try bytes.write(unit.bytes, at: place) }
  }

  private func addToTIFF(_ blocks: MetadataBlocks) throws(SystemError) -> [Note] {
    let bytes = FileBytes(descriptor: file.descriptor)
    let tiff = TIFFMetadata { (try? bytes.read(at: $0, count: $1)) ?? [] }
    let end = try bytes.count
    let place = end + end % 2
    guard let tiff, !tiff.isBig else {
      var rest = blocks
      // libvips has written it.
      rest.xmp = nil
      return dropped(rest)
    }
    guard let addition = tiff.adding(blocks, at: place) else { return [] }
    try bytes.write(addition.bytes, at: place)
    try bytes.write(addition.pointerBytes, at: addition.pointer)
    return addition.hasMakerNote ? [MetadataLoss.makerNotesMoved.note] : []
  }

  private func naming<Value>(_ body: () throws(SystemError) -> Value) throws(ItemError) -> Value {
    do { return try body() } catch { throw OutputWriter.failure(error, writing: file.path) }
  }
}

extension MetadataBlocks {
  /// Leaves out what is of no such kind.
  ///
  /// - Returns: what that was, by the names of the kinds.
  mutating func limit(to kinds: Set<MetadataKind>) -> [String] {
    var lost: [String] = []
    if exif != nil, !kinds.contains(.exif) {
      exif = nil
      lost.append("EXIF")
    }
    if xmp != nil, !kinds.contains(.xmp) {
      xmp = nil
      lost.append("XMP")
    }
    if iptc != nil, !kinds.contains(.iptc) {
      iptc = nil
      lost.append("IPTC")
    }
    if !comments.isEmpty, !kinds.contains(.comment) {
      comments = []
      lost.append("a comment")
    }
    return lost
  }
}

extension MetadataKind {
  fileprivate var shown: String { self == .comment ? "comments" : rawValue.uppercased() }
}

extension MetadataLoss {
  var note: Note {
    switch self {
    case .unreadable(let kind):
      Note(.metadataDropped, "the embedded \(kind) cannot be read and was left out")
    case .thumbnail: Note(.thumbnailDropped, "the embedded thumbnail was left out")
    case .makerNotesMoved:
      Note(.makerNotesMoved, "the maker notes were kept, and stand elsewhere than before")
    case .extendedXMP: Note(.metadataDropped, "extended XMP was left out")
    case .unread(.further(let kind)):
      Note(.metadataDropped, "the file has \(kind.shown) more than once; the first was used")
    case .unread(.compressed(let kind)):
      Note(.metadataDropped, "the embedded \(kind.shown) is compressed and was left out")
    }
  }
}

extension Note {
  /// Of kinds of metadata that a format has no place for.
  static func dropped(_ kinds: [String], _ format: PictureFormat) -> Note {
    Note(
      .metadataDropped,
      "\(kinds.joined(separator: " and ")) could not be written to \(format.shown)"
    )
  }
}
