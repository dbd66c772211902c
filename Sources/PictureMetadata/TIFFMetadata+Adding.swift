/// What is to be put into a TIFF file.
public struct TIFFAddition {
  /// A new first directory with all it leads to, for the end of the file.
  public let bytes: [UInt8]
  /// Where the file has the offset of its first directory, and what is to stand there.
  public let pointer: Int
  public let pointerBytes: [UInt8]
  public let hasMakerNote: Bool
}

extension TIFFMetadata {
  /// A copy of the first directory that says what the blocks say, too.
  ///
  /// Nothing in the file moves: its pixels, and what other directories lead to, stay where they are.
  ///
  /// - Parameters:
  ///   - blocks: edited.
  ///   - end: of the file, even: where the directory will stand.
  /// - Returns: nil for a BigTIFF, whose directories are of another form, and where there is nothing
  ///   to add.
  public func adding(_ blocks: MetadataBlocks, at end: Int) -> TIFFAddition? {
    guard !isBig, end <= Int(UInt32.max) - Self.mostBytes else { return nil }
    var fields = blocks.exif.flatMap(toldFields) ?? [:]
    if let list = blocks.iptc.flatMap(PhotoshopResources.init)?.iptc {
      fields[.picture, default: []].append(
        // 7 is bytes of any kind.
        .init(tag: ExifNumber.iptc, type: 7, count: list.count, value: list)
      )
    }
    guard fields.values.contains(where: { !$0.isEmpty }),
      let stated = order.number(read(first, 2)), stated <= Self.mostEntries
    else { return nil }
    let entries = read(first + 2, stated * 12)
    let next = read(first + 2 + stated * 12, 4)
    guard entries.count == stated * 12, next.count == 4 else { return nil }
    let added = Set((fields[.picture] ?? []).map(\.tag)).union(ExifNumber.pointers)
    for start in stride(from: 0, to: entries.count, by: 12) {
      guard let tag = entries.number(at: start, count: 2, order), !added.contains(tag),
        let type = entries.number(at: start + 2, count: 2, order),
        let count = entries.number(at: start + 4, count: 4, order)
      else { continue }
      // The value, or where it stands: it stays there.
      let value = Array(entries[(start + 8)..<(start + 12)])
      fields[.picture, default: []].append(.init(tag: tag, type: type, count: count, value: value))
    }
    let writer = ExifWriter(order: order)
    var bytes = writer.directories(fields, at: end)
    // The chain goes on.
    guard let written = order.number(bytes.prefix(2)) else { return nil }
    bytes.replaceSubrange((2 + written * 12)..<(6 + written * 12), with: next)
    return TIFFAddition(
      bytes: bytes,
      pointer: 4,
      pointerBytes: order.bytes(end, count: 4),
      hasMakerNote: fields[.exposure]?.contains { $0.tag == ExifNumber.makerNote } ?? false
    )
  }

  /// What a block says of the picture, in the file's byte order.
  private func toldFields(of bytes: [UInt8]) -> ExifWriter.Fields? {
    guard let block = ExifBlock(bytes) else { return nil }
    let fields = block.fields { directory, entry in
      directory != .picture || Self.told.contains(entry.tag)
    }
    guard block.order != order else { return fields }
    return fields?.mapValues { list in list.map(\.swapped) }
  }
}

extension ExifWriter.Field {
  /// With the bytes of each number in the opposite order.
  fileprivate var swapped: Self {
    // A fraction is two numbers.
    let width = [5, 10].contains(type) ? 4 : ExifBlock.typeLengths[type]
    var swapped: [UInt8] = []
    for start in stride(from: 0, to: value.count, by: width) {
      swapped += value[start..<min(start + width, value.count)].reversed()
    }
    return Self(tag: tag, type: type, count: count, value: swapped)
  }
}
