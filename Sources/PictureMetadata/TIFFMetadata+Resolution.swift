extension TIFFMetadata {
  /// Where the units of all pages' resolutions stand, and the bytes that say that there is none.
  public var unknownUnit: (places: [Int], bytes: [UInt8]) {
    let (countLength, entryLength, wide) = isBig ? (8, 20, 8) : (2, 12, 4)
    var places: [Int] = []
    var directory = first
    for _ in 0..<Self.mostPages where directory > 0 {
      let start = directory + countLength
      guard let count = order.number(read(directory, countLength)), count <= Self.mostEntries
      else { break }
      let entries = read(start, count * entryLength + wide)
      for entry in 0..<count
      where entries.number(at: entry * entryLength, count: 2, order) == ExifNumber.resolutionUnit {
        places.append(start + entry * entryLength + (isBig ? 12 : 8))
      }
      directory = entries.number(at: count * entryLength, count: wide, order) ?? 0
    }
    return (places, order.bytes(1, count: 2))
  }

  /// No file has more: a chain of pages may be a ring.
  private static let mostPages = 1 << 16
}
