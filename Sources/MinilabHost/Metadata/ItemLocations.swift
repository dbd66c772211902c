/// Where the bytes of a HEIF file's items are: its box `iloc` (ISO/IEC 14496-12, 8.11.3).
struct ItemLocations {
  /// By the items' numbers.
  private(set) var places: [Int: [Place]] = [:]

  struct Place {
    /// Of the numbers in the file; each of `width` bytes.
    let offsetPlace: Int
    let lengthPlace: Int
    /// 0 where the two are of different widths.
    let width: Int
    /// What the offset counts from.
    let base: Int
    /// Of the bytes, in the file.
    let range: Range<Int>
    /// The offset counts from the start of the file.
    let isInFile: Bool
  }

  /// Of all items: pieces of no bytes take no room in the file, and so there could be any number.
  private static let mostPlaces = 65_536

  /// `bytes`: of the box; `start`: where in the file they are; `data`: where the box `idat` is.
  ///
  /// Items that stand in other items are left out. Nil where the box ends early, or tells of more
  /// pieces than any picture has.
  init?(_ bytes: [UInt8], at start: Int, data: Range<Int>?) {
    var reader = Reader(bytes: bytes)
    guard let head = reader.next(4), let widths = reader.next(2) else { return nil }
    let version = head >> 24
    let offsetWidth = widths >> 12
    let lengthWidth = widths >> 8 & 15
    let baseWidth = widths >> 4 & 15
    let indexWidth = version > 0 ? widths & 15 : 0
    guard version <= 2, let count = reader.next(version < 2 ? 2 : 4) else { return nil }
    var pieces = 0
    for _ in 0..<count {
      guard let item = reader.next(version < 2 ? 2 : 4) else { return nil }
      var method = 0
      if version > 0 {
        guard let number = reader.next(2) else { return nil }
        method = number & 15
      }
      guard reader.next(2) != nil, let base = reader.next(baseWidth),
        let extents = reader.next(2)
      else { return nil }
      pieces += extents
      guard pieces <= Self.mostPlaces else { return nil }
      for _ in 0..<extents {
        guard reader.next(indexWidth) != nil else { return nil }
        let offsetPlace = start + reader.offset
        guard let offset = reader.next(offsetWidth) else { return nil }
        let lengthPlace = start + reader.offset
        guard let length = reader.next(lengthWidth) else { return nil }
        let origin = method == 0 ? 0 : method == 1 ? data?.lowerBound : nil
        guard let origin else { continue }
        let first = origin + base + offset
        places[item, default: []].append(
          Place(
            offsetPlace: offsetPlace,
            lengthPlace: lengthPlace,
            width: offsetWidth == lengthWidth ? offsetWidth : 0,
            base: base,
            range: first..<(first + length),
            isInFile: method == 0
          )
        )
      }
    }
  }

  private struct Reader {
    let bytes: [UInt8]
    var offset = 0

    /// Nil where there are not so many bytes, or the number is none that a file can be long.
    mutating func next(_ width: Int) -> Int? {
      guard offset + width <= bytes.count else { return nil }
      var number = 0
      for byte in bytes[offset..<(offset + width)] {
        guard number < 1 << 52 else { return nil }
        number = number << 8 | Int(byte)
      }
      offset += width
      return number
    }
  }
}
