import Glibc
import PictureMetadata

/// The segments of a JPEG file before its first scan (ISO/IEC 10918-1, annex B).
struct JPEGSegments {
  private let file: FileBytes
  let segments: [Segment]
  /// Where the first scan begins.
  private let scan: Int

  struct Segment {
    let marker: UInt8
    /// Of the marker and all that belongs to it.
    let range: Range<Int>
    let data: [UInt8]

    func has(_ prefix: [UInt8]) -> Bool { data.starts(with: prefix) }

    var isJFIF: Bool { marker == Marker.app0 && has(JPEGSegments.jfif) }

    /// What the numbers of the colors mean.
    var isOfColors: Bool {
      switch marker {
      case Marker.app2: has(JPEGSegments.icc)
      case Marker.app14: has(JPEGSegments.adobe)
      default: false
      }
    }
  }

  private enum Marker {
    static let app0: UInt8 = 0xe0
    static let app1: UInt8 = 0xe1
    static let app2: UInt8 = 0xe2
    static let app11: UInt8 = 0xeb
    static let app13: UInt8 = 0xed
    static let app14: UInt8 = 0xee
    static let app15: UInt8 = 0xef
    static let comment: UInt8 = 0xfe
    static let startOfScan: UInt8 = 0xda
    static let endOfImage: UInt8 = 0xd9
  }

  private static let exif = Array("Exif\0\0".utf8)
  private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  private static let extendedXMP = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
  private static let photoshop = Array("Photoshop 3.0\0".utf8)
  private static let jfif = Array("JFIF\0".utf8)
  private static let icc = Array("ICC_PROFILE\0".utf8)
  private static let adobe = Array("Adobe".utf8)
  private static let multiPicture = Array("MPF\0".utf8)
  private static let gainMap = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
  private static let boxes = Array("JP".utf8)
  /// What a segment holds beside its length.
  private static let most = 65_533
  /// Of all segments together: no header is larger than this.
  private static let mostHeader = 1 << 26

  /// Nil where the file is no JPEG, or its segments lead nowhere.
  init?(_ descriptor: Int32) throws(SystemError) {
    file = FileBytes(descriptor: descriptor)
    guard try file.read(at: 0, count: 2) == [0xff, 0xd8] else { return nil }
    var found: [Segment] = []
    var reader = ReadAhead(file)
    var offset = 2
    while offset < Self.mostHeader {
      guard let (start, marker) = try Self.marker(&reader, from: offset) else { return nil }
      if marker == Marker.startOfScan || marker == Marker.endOfImage {
        segments = found
        scan = offset
        return
      }
      // Markers without a length.
      if marker == 0x01 || (0xd0...0xd8).contains(marker) {
        offset = start + 2
        continue
      }
      let length = try reader.read(at: start + 2, count: 2).reduce(0) { $0 << 8 | Int($1) }
      guard length >= 2 else { return nil }
      let data = try file.read(at: start + 4, count: length - 2)
      guard data.count == length - 2 else { return nil }
      let end = start + 2 + length
      found.append(Segment(marker: marker, range: offset..<end, data: data))
      offset = end
    }
    return nil
  }

  /// The next marker and where it is; before it may be bytes that belong to nothing, and it may be
  /// filled up.
  private static func marker(
    _ reader: inout ReadAhead,
    from offset: Int
  ) throws(SystemError) -> (start: Int, marker: UInt8)? {
    for start in offset..<mostHeader {
      let head = try reader.read(at: start, count: 2)
      guard head.count == 2, let first = head.first, let second = head.last else { return nil }
      if first == 0xff, second > 0, second < 0xff { return (start, second) }
    }
    return nil
  }

  // MARK: Reading

  var blocks: MetadataBlocks {
    var blocks = MetadataBlocks()
    var photoshop: [UInt8] = []
    var hasMoreXMP = false
    for segment in segments {
      switch segment.marker {
      case Marker.app1 where segment.has(Self.exif):
        blocks.add(exif: Array(segment.data.dropFirst(Self.exif.count)))
      case Marker.app1 where segment.has(Self.xmp):
        if blocks.xmp != nil { blocks.unread.insert(.further(.xmp)) }
        blocks.xmp = blocks.xmp ?? Array(segment.data.dropFirst(Self.xmp.count))
      case Marker.app1 where segment.has(Self.extendedXMP): hasMoreXMP = true
      case Marker.app13 where segment.has(Self.photoshop):
        // Long resources go on in the next segment.
        photoshop += segment.data.dropFirst(Self.photoshop.count)
      case Marker.comment: blocks.comments.append(segment.data)
      default: break
      }
    }
    if !photoshop.isEmpty { blocks.iptc = photoshop }
    // Else the packet says that there is more of it.
    if hasMoreXMP, blocks.xmp == nil { blocks.unread.insert(.further(.xmp)) }
    return blocks
  }

  /// What stands behind the picture, or signs the file.
  func add(to companions: inout Companions) throws(SystemError) {
    var pictures = 0
    var listed: Set<Int> = []
    for segment in segments {
      switch segment.marker {
      case Marker.app2 where segment.has(Self.gainMap): companions.hasGainMap = true
      case Marker.app11 where segment.has(Self.boxes):
        // JPEG's universal boxes (ISO/IEC 19566-5): the names of their contents stand among them.
        let text = String(decoding: segment.data.prefix(200), as: Unicode.ASCII.self)
        if text.contains("c2pa") { companions.hasCredentials = true }
      case Marker.app2 where segment.has(Self.multiPicture):
        let index = Array(segment.data.dropFirst(Self.multiPicture.count))
        let start = segment.range.upperBound - index.count
        for entry in MultiPictureIndex(index)?.entries ?? [] where entry.offset > 0 {
          listed.insert(start + entry.offset)
          switch entry.kind {
          case .main: break
          case .preview: companions.hasPreview = true
          case .picture:
            if try isGainMap(at: start + entry.offset) {
              companions.hasGainMap = true
            } else {
              pictures += 1
            }
          }
        }
      default: break
      }
    }
    if let end = try endOfPicture(from: scan) {
      let rest = try JPEGRest(file, from: end) { offset throws(SystemError) in
        try endOfPicture(from: offset + 2)
      }
      companions.others.formUnion(rest.others)
      // A depth map is among the pictures that no index lists.
      if !companions.others.contains(Companions.depth) {
        for offset in rest.unlisted(listed) {
          if try isGainMap(at: offset) { companions.hasGainMap = true } else { pictures += 1 }
        }
      }
    }
    if pictures > 0 { companions.others.insert(Companions.pictures(pictures)) }
  }

  /// The picture that begins there says of itself that it is a gain map, as ISO 21496-1, Adobe and
  /// Apple have it.
  private func isGainMap(at offset: Int) throws(SystemError) -> Bool {
    let text = String(
      decoding: try file.read(at: offset, count: 1 << 16),
      as: Unicode.ASCII.self
    )
    return ["ts:21496:-1", "hdrgm:", "HDRGainMap", "hdrgainmap"].contains { text.contains($0) }
  }

  // MARK: Writing

  /// Puts these blocks in place of all metadata, and takes away what stands behind the picture.
  ///
  /// Pictures behind the first have metadata of their own.
  ///
  /// - Returns: what no segment could hold, by the names of the kinds.
  func write(
    _ blocks: MetadataBlocks,
    isEncoded: Bool,
    density: PixelDensity? = nil
  ) throws(SystemError) -> [String] {
    var lost: [String] = []
    let added = Self.segments(blocks, lost: &lost)
    var header: [UInt8] = [0xff, 0xd8]
    // JFIF wants to be first.
    for segment in segments where segment.isJFIF {
      header += try file.read(at: segment.range.lowerBound, count: segment.range.count)
    }
    if header.count == 2, let density, !isAdobe { header += Self.jfif(density) }
    header += added
    for segment in segments where Self.isOfPixels(segment) {
      header += try file.read(at: segment.range.lowerBound, count: segment.range.count)
    }
    // A file that was just encoded has nothing behind its picture.
    if !isEncoded, let end = try endOfPicture(from: scan) { try file.truncate(to: end) }
    try file.replace(0..<scan, with: header)
    return lost
  }

  /// Colors are told by Adobe's segment, and not by JFIF's rules.
  private var isAdobe: Bool {
    segments.contains { $0.marker == Marker.app14 && $0.has(Self.adobe) }
  }

  /// JFIF 1.02 with a density in dots per inch, which is what libvips' saver says in EXIF alone.
  private static func jfif(_ density: PixelDensity) -> [UInt8] {
    let numbers = [density.across, density.down].flatMap { perInch in
      let dots = Int(min(max(perInch.rounded(), 1), 65_535))
      return [UInt8(dots >> 8), UInt8(dots & 255)]
    }
    return segment(Marker.app0, jfif + [1, 2, 1] + numbers + [0, 0]) ?? []
  }

  /// The blocks as segments; the names of the kinds that none could hold are added to `lost`.
  static func segments(_ blocks: MetadataBlocks, lost: inout [String]) -> [UInt8] {
    var added: [UInt8] = []
    func add(_ marker: UInt8, _ prefix: [UInt8], _ data: [UInt8]?, _ kind: String) {
      guard let data else { return }
      if let segment = segment(marker, prefix + data) {
        added += segment
      } else {
        lost.append(kind)
      }
    }
    add(Marker.app1, exif, blocks.exif, "EXIF")
    add(Marker.app1, xmp, blocks.xmp, "XMP")
    add(Marker.app13, photoshop, blocks.iptc, "IPTC")
    for comment in blocks.comments { add(Marker.comment, [], comment, "a comment") }
    return added
  }

  static func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8]? {
    guard data.count <= most else { return nil }
    let length = data.count + 2
    return [0xff, marker, UInt8(length >> 8), UInt8(length & 255)] + data
  }

  /// Tables, frames, and what the colors mean.
  private static func isOfPixels(_ segment: Segment) -> Bool {
    switch segment.marker {
    case _ where segment.isOfColors: true
    case Marker.app0...Marker.app15, Marker.comment: false
    default: true
    }
  }

  /// The picture's end is marked.
  var hasEnd: Bool { get throws(SystemError) { try endOfPicture(from: scan) != nil } }

  /// Behind the end marker; nil where there is none.
  ///
  /// `start`: of the scan, or of any marker before it.
  private func endOfPicture(from start: Int) throws(SystemError) -> Int? {
    let piece = 1 << 16
    var offset = start
    var isMarker = false
    /// Behind a table between two scans.
    var skipped = 0
    while true {
      let bytes = try file.read(at: offset, count: piece)
      if bytes.isEmpty { return nil }
      var index = skipped
      while index < bytes.count {
        guard isMarker else {
          index = Self.next(0xff, in: bytes, from: index).map { $0 + 1 } ?? bytes.count
          isMarker = bytes[index - 1] == 0xff
          continue
        }
        let byte = bytes[index]
        index += 1
        // Filled up with more of the same.
        if byte == 0xff { continue }
        isMarker = false
        if byte == Marker.endOfImage { return offset + index }
        // A stuffed byte, a restart: still the scan.
        if byte == 0 || byte == 1 || (0xd0...0xd8).contains(byte) { continue }
        let length = try file.read(at: offset + index, count: 2)
        guard length.count == 2 else { return nil }
        index += max(2, Int(length[0]) << 8 | Int(length[1]))
      }
      skipped = index - bytes.count
      offset += bytes.count
    }
  }

  private static func next(_ byte: UInt8, in bytes: [UInt8], from index: Int) -> Int? {
    bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress,
        let found = memchr(base + index, Int32(byte), buffer.count - index)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}

/// In pixels per inch, along rows and along columns.
struct PixelDensity: Equatable {
  var across: Double
  var down: Double
}
