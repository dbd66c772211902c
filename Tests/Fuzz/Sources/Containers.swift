import MinilabKit

@testable import MinilabHost
@testable import PictureMetadata

/// Files into which metadata is put: what is coded in them stays as it was.
let containerTargets = [
  Target("jpeg", [readSegments, readFrame]),
  Target("png", needsVips: true) { bytes in
    let file = ScratchFile.shared
    file.bytes = bytes
    if let data = try? PictureData(borrowing: file.descriptor) {
      _ = HiddenFrames.count(in: data, .png)
      _ = try? LatePNGChunks.told(by: dot, data)
    }
    guard let chunks = try? PNGChunks(file.descriptor) else { return }
    let before = pngChunks(bytes)
    guard (try? chunks.write(sample, .copyright)) != nil else { fatalError("not written") }
    let after = file.bytes
    guard before.contains(where: { $0.starts(with: "IDAT".utf8) }) else {
      require(after == bytes, "changed without pixels")
      return
    }
    require(pngChunks(after) == before, "other pixels")
    require((try? PNGChunks(file.descriptor)) != nil, "no longer a PNG")
  },
  Target("webp", needsVips: true) { bytes in
    let file = ScratchFile.shared
    file.bytes = bytes
    if let chunks = try? WebPChunks(file.descriptor) {
      let before = webpChunks(bytes)
      guard (try? chunks.write(sample, width: 100, height: 50)) != nil else {
        fatalError("not written")
      }
      require(webpChunks(file.bytes) == before, "other pixels")
      require((try? WebPChunks(file.descriptor)) != nil, "no longer a WebP")
    }
    file.bytes = bytes
    var timing = AnimationTiming(of: dot, count: 5)
    timing.delays = [10, 20, 30, 40, 1 << 24 - 1]
    try? WebPAnimation.mend(file.descriptor, timing, size: Size(width: 100, height: 50))
  },
  Target("boxes", needsVips: true, [readHEIF, readJXL]),
  Target("tiff") { bytes in
    let file = ScratchFile.shared
    file.bytes = bytes
    let reading = FileBytes(descriptor: file.descriptor)
    if let structure = try? TIFFStructure({ try reading.read(at: $0, count: $1) }) {
      let pages = (try? structure.pages()) ?? []
      for page in pages.indices.prefix(3) { _ = try? structure.hasSeparateChroma(page: page) }
    }
    if let tiff = TIFFMetadata({ (try? reading.read(at: $0, count: $1)) ?? [] }) {
      for page in 0..<3 {
        guard let found = tiff.exif(page: page) else { continue }
        require(found.block.count <= 1 << 21, "more than a block may have")
        require(ExifBlock(found.block) != nil, "a block that cannot be read")
      }
      let end = bytes.count + bytes.count % 2
      if let addition = tiff.adding(sample, at: end) {
        var whole = bytes + [UInt8](repeating: 0, count: end - bytes.count) + addition.bytes
        whole.replaceSubrange(4..<8, with: addition.pointerBytes)
        let again = TIFFMetadata { offset, count in
          guard offset >= 0, offset < whole.count, count > 0 else { return [] }
          return Array(whole[offset..<min(whole.count, offset + count)])
        }
        require(again?.exif() != nil, "what was added cannot be found")
      }
    }
    // A page of one's own, and then one of anybody.
    ScratchFile.other.bytes = joined
    guard var join = try? TIFFJoin(ScratchFile.other.descriptor) else { fatalError("no TIFF") }
    try? join.append(file.descriptor)
    file.bytes = bytes
    guard var join = try? TIFFJoin(file.descriptor) else { return }
    ScratchFile.other.bytes = joined
    try? join.append(ScratchFile.other.descriptor)
  },
]

@Sendable
func readGIF(_ bytes: [UInt8]) {
  let file = ScratchFile.shared
  file.bytes = bytes
  guard let data = try? PictureData(borrowing: file.descriptor) else { return }
  _ = try? GIFBlocks.isCutOff(data)
  guard let blocks = try? GIFBlocks.metadata(data) else { return }
  let size = blocks.comments.reduce(blocks.xmp?.count ?? 0) { $0 + $1.count }
  require(size <= bytes.count, "more text than the file has bytes")
}

@Sendable
private func readHEIF(_ bytes: [UInt8]) {
  let file = ScratchFile.shared
  file.bytes = bytes
  if let data = try? PictureData(borrowing: file.descriptor) {
    _ = Companions(.heif, data, dot)
    _ = HiddenFrames.count(in: data, .heif)
  }
  guard let items = try? HEIFItems(file.descriptor) else { return }
  _ = try? items.blocks()
  guard let exif = sample.exif, (try? items.replaceEXIF(exif)) == true else { return }
  require(file.bytes.count <= bytes.count + exif.count + 64, "grown by more than the block")
}

@Sendable
private func readJXL(_ bytes: [UInt8]) {
  let file = ScratchFile.shared
  file.bytes = bytes
  guard let boxes = try? JXLBoxes(file.descriptor) else { return }
  _ = try? boxes.blocks()
  guard (try? boxes.write(sample)) != nil else { fatalError("not written") }
  let after = file.bytes
  let start = zip(bytes, after).prefix { $0 == $1 }.count
  let end = zip(bytes.reversed(), after.reversed()).prefix { $0 == $1 }.count
  require(start + end >= bytes.count, "more than an addition")
  guard let blocks = try? JXLBoxes(file.descriptor)?.blocks() else {
    fatalError("no longer a JPEG XL")
  }
  require(blocks.exif == sample.exif && blocks.xmp == sample.xmp, "other metadata")
}

@Sendable
private func readSegments(_ bytes: [UInt8]) {
  let file = ScratchFile.shared
  file.bytes = bytes
  guard let before = try? JPEGSegments(file.descriptor) else { return }
  var companions = Companions()
  try? before.add(to: &companions)
  _ = before.codedUnit
  var lost: [String] = []
  _ = before.head(sample, swapsSides: true, lost: &lost)
  guard (try? before.write(sample, isEncoded: false)) == [] else {
    fatalError("small blocks do not fit")
  }
  guard let after = try? JPEGSegments(file.descriptor) else { fatalError("no longer a JPEG") }
  let (kept, blocks) = (ofPixels(after), after.blocks)
  require(kept == ofPixels(before), "other tables")
  require(blocks.exif == sample.exif && blocks.xmp == sample.xmp, "other metadata")
  require(blocks.iptc == sample.iptc && blocks.comments == sample.comments, "other metadata")
  // All behind the tables, but for what belongs to nothing.
  let coded = scans(file.bytes, after)
  require(scans(bytes, before).starts(with: coded), "other pixels")
}

/// Blocks that fit everywhere.
private let sample: MetadataBlocks = {
  var blocks = MetadataBlocks()
  // One entry: Artist, "abc".
  blocks.exif =
    [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x3b, 0x01, 2, 0, 4, 0, 0, 0, 0x61, 0x62, 0x63, 0]
    + [0, 0, 0, 0]
  blocks.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
  blocks.iptc = Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, 8, 0x1c, 2, 80, 0, 3, 0x41, 0x42, 0x43]
  blocks.comments = [Array("hello".utf8)]
  return blocks
}()

/// A page of one gray pixel.
private let joined: [UInt8] =
  [0x49, 0x49, 42, 0, 10, 0, 0, 0, 255, 0]
  + [8, 0]
  + [(256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (278, 1), (279, 1)]
  .flatMap { tag, value -> [UInt8] in
    [UInt8(tag & 255), UInt8(tag >> 8), 4, 0, 1, 0, 0, 0, UInt8(value), 0, 0, 0]
  }
  + [0, 0, 0, 0]

// MARK: What is coded, as a simple reader finds it

private func ofPixels(_ segments: JPEGSegments) -> [[UInt8]] {
  segments.segments.filter { segment in
    !(0xe0...0xef).contains(segment.marker) && segment.marker != 0xfe || segment.isJFIF
      || segment.isOfColors
  }
  // JFIF goes first.
  .sorted { $0.isJFIF && !$1.isJFIF }
  .map { [$0.marker] + $0.data }
}

/// From the first scan, or the end, on.
private func scans(_ bytes: [UInt8], _ segments: JPEGSegments) -> ArraySlice<UInt8> {
  var start = segments.segments.last?.range.upperBound ?? 2
  while start + 1 < bytes.count, bytes[start] != 0xff || ![0xda, 0xd9].contains(bytes[start + 1]) {
    start += 1
  }
  return bytes[start...]
}

private func pngChunks(_ bytes: [UInt8]) -> [[UInt8]] {
  var found: [[UInt8]] = []
  var rest = bytes.dropFirst(8)
  while rest.count >= 12 {
    let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard rest.count >= length + 12 else { break }
    let name = text(Array(rest.dropFirst(4).prefix(4)))
    if ["IHDR", "PLTE", "tRNS", "IDAT", "gAMA", "acTL", "fcTL", "fdAT", "IEND"].contains(name) {
      found.append(Array(rest.dropFirst(4).prefix(length + 8)))
    }
    rest = rest.dropFirst(length + 12)
    if name == "IEND" { break }
  }
  return found
}

private func webpChunks(_ bytes: [UInt8]) -> [[UInt8]] {
  var found: [[UInt8]] = []
  guard bytes.count >= 12 else { return [] }
  let size = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
  var rest = bytes.prefix(8 + size).dropFirst(12)
  while rest.count >= 8 {
    let length = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    guard rest.count >= 8 + length else { break }
    if ["ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"].contains(text(Array(rest.prefix(4)))) {
      found.append(Array(rest.prefix(8 + length)))
    }
    rest = rest.dropFirst(8 + length + length % 2)
  }
  return found
}
