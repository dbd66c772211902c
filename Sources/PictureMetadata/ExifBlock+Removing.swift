extension ExifBlock {
  /// The block without some entries and directories; nothing else moves.
  ///
  /// Maker notes hold offsets that count from the start of the block, and nobody but their maker
  /// knows which bytes are offsets. So what stays keeps its place, and what goes becomes zeros, or
  /// falls away where it stands at the end.
  ///
  /// A directory of which nothing is kept goes with the entry that leads to it.
  ///
  /// `clearsUnknown`: bytes that no entry leads to become zeros, too.
  func removing(
    clearsUnknown: Bool = false,
    _ isRemoved: (ExifDirectoryKind, Entry) -> Bool
  ) -> [UInt8] {
    var result = bytes
    var kept: [Range<Int>] = [0..<8]
    var removed: [Range<Int>] = clearsUnknown ? [0..<bytes.count] : []
    /// By the tags that lead to them.
    var gone = ExifNumber.pointers
    let chained = chainedOffset(isRemoved)
    // Directories before those that lead to them.
    for directory in directories.reversed() {
      let isChainedTo = directory.kind != .thumbnail || directory.offset == chained
      let staying = directory.entries.filter {
        isChainedTo && !gone.contains($0.tag) && !isRemoved(directory.kind, $0)
      }
      let stayingOffsets = Set(staying.map(\.offset))
      for entry in directory.entries {
        guard let value = entry.value, !entry.isInline else { continue }
        if stayingOffsets.contains(entry.offset) {
          kept.append(value)
        } else {
          removed.append(value)
        }
      }
      let data = directory.kind == .thumbnail ? thumbnailData(directory) : []
      if staying.isEmpty { removed += data } else { kept += data }
      removed.append(clamped(directory.range))
      guard directory.kind == .picture || !staying.isEmpty else { continue }
      if let pointer = Self.pointer(to: directory.kind) { gone.remove(pointer) }
      let records = staying.flatMap { bytes[$0.offset..<($0.offset + 12)] }
      let written =
        order.bytes(staying.count, count: 2) + records
        + order.bytes(directory.kind == .picture ? chained : 0, count: 4)
      let place = clamped(directory.offset..<(directory.offset + written.count))
      result.replaceSubrange(place, with: written.prefix(place.count))
      kept.append(place)
    }
    return Self.clear(removed, except: kept, in: result)
  }

  /// Where the thumbnail's directory is; 0 where none is kept.
  private func chainedOffset(_ isRemoved: (ExifDirectoryKind, Entry) -> Bool) -> Int {
    guard let thumbnail = directory(.thumbnail),
      thumbnail.entries.contains(where: { !isRemoved(.thumbnail, $0) })
    else { return 0 }
    return thumbnail.offset
  }

  private static func pointer(to kind: ExifDirectoryKind) -> Int? {
    switch kind {
    case .exposure: ExifNumber.exposureDirectory
    case .gps: ExifNumber.gpsDirectory
    case .interoperability: ExifNumber.interoperabilityDirectory
    case .picture, .thumbnail: nil
    }
  }

  private func clamped(_ range: Range<Int>) -> Range<Int> { range.clamped(to: 0..<bytes.count) }

  /// The bytes of a thumbnail, which stand beside its directory.
  private func thumbnailData(_ directory: Directory) -> [Range<Int>] {
    let places = [
      (ExifNumber.thumbnailOffset, ExifNumber.thumbnailLength),
      (ExifNumber.stripOffsets, ExifNumber.stripByteCounts),
    ]
    return places.compactMap { offset, length in
      guard let start = directory.entries.first(where: { $0.tag == offset }).flatMap(number),
        let count = directory.entries.first(where: { $0.tag == length }).flatMap(number)
      else { return nil }
      return clamped(start..<(start + count))
    }
  }

  /// Puts zeros where something was removed and nothing is kept.
  private static func clear(
    _ removed: [Range<Int>],
    except kept: [Range<Int>],
    in bytes: [UInt8]
  ) -> [UInt8] {
    var result = bytes
    var kept = merged(kept)[...]
    var end = bytes.count
    for range in merged(removed) {
      var start = range.lowerBound
      while let stay = kept.first, stay.lowerBound < range.upperBound {
        if start < stay.lowerBound { result.clear(start..<stay.lowerBound) }
        start = max(start, stay.upperBound)
        // It may reach into the next range that was removed.
        if stay.upperBound > range.upperBound { break }
        kept = kept.dropFirst()
      }
      guard start < range.upperBound else { continue }
      result.clear(start..<range.upperBound)
      if range.upperBound == bytes.count { end = start }
    }
    return Array(result.prefix(end))
  }

  /// In their order, without overlaps.
  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = result.last, range.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}

extension [UInt8] {
  mutating func clear(_ range: Range<Int>) {
    for index in range { self[index] = 0 }
  }
}
