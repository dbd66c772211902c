/// What is known of a picture, in the form of EXIF 2.32 (a TIFF structure, the lowest byte first).
struct ExifBlock: Equatable {
  let bytes: [UInt8]

  /// What the block says.
  struct Facts: Equatable {
    var make = ""
    var model = ""
    /// The tag's value.
    var orientation = 1
    /// `YYYY:MM:DD HH:MM:SS` of the clock on the wall.
    var date = ""
    /// Of that clock from UTC, `+01:00`.
    var offset = ""
    /// The digits behind the second.
    var fraction = ""
    /// Nil where it is not known.
    ///
    /// In seconds.
    var exposure: Double?
    /// Nil where nothing is known of a flash.
    var hasFired: Bool?
    /// 1 where nothing was cut.
    var zoom = 1.0
    /// As stored, in pixels.
    var width = 0
    var height = 0
  }

  init(_ facts: Facts) {
    var picture = Directory()
    picture.add(0x010f, text: facts.make)
    picture.add(0x0110, text: facts.model)
    picture.add(0x0112, short: facts.orientation)
    picture.add(0x011a, ratio: (72, 1))
    picture.add(0x011b, ratio: (72, 1))
    // Inches.
    picture.add(0x0128, short: 2)
    picture.add(0x0131, text: "Minilab")
    picture.add(0x0132, text: facts.date)
    // Color samples lie in the middle of their pixels.
    picture.add(0x0213, short: 1)
    var shot = Directory()
    if let exposure = facts.exposure, exposure > 0 {
      shot.add(0x829a, ratio: Self.ratio(exposure))
    }
    shot.add(0x9000, undefined: Array("0232".utf8))
    shot.add(0x9003, text: facts.date)
    shot.add(0x9004, text: facts.date)
    shot.add(0x9010, text: facts.offset)
    shot.add(0x9011, text: facts.offset)
    shot.add(0x9012, text: facts.offset)
    // Y, Cb, Cr.
    shot.add(0x9101, undefined: [1, 2, 3, 0])
    if let hasFired = facts.hasFired { shot.add(0x9209, short: hasFired ? 1 : 0) }
    shot.add(0x9290, text: facts.fraction)
    shot.add(0x9291, text: facts.fraction)
    shot.add(0x9292, text: facts.fraction)
    shot.add(0xa000, undefined: Array("0100".utf8))
    // sRGB.
    shot.add(0xa001, short: 1)
    shot.add(0xa002, long: facts.width)
    shot.add(0xa003, long: facts.height)
    if facts.zoom > 1 {
      shot.add(0xa404, ratio: (Int((facts.zoom * 100).rounded()), 100))
    }

    // The header, the first directory with its data, the second with its own.
    let start = 8
    let second = start + picture.size(further: 1)
    picture.add(0x8769, long: second)
    bytes =
      [0x49, 0x49, 42, 0] + little(start, 4) + picture.bytes(at: start) + shot.bytes(at: second)
  }

  /// A time as people write it: 1/60, or 2.5.
  private static func ratio(_ seconds: Double) -> (Int, Int) {
    seconds < 0.3
      ? (1, max(1, Int((1 / seconds).rounded()))) : (Int((seconds * 1000).rounded()), 1000)
  }
}

/// A directory of tags, which are added in the order of their numbers but for one of four bytes.
private struct Directory {
  private struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    let value: [UInt8]
  }

  private var entries: [Entry] = []

  private mutating func add(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) {
    entries.append(Entry(tag: tag, type: type, count: count, value: value))
    entries.sort { $0.tag < $1.tag }
  }

  /// Text that is not ASCII stays as it is: readers take it for UTF-8 or show its bytes.
  mutating func add(_ tag: Int, text: String) {
    guard !text.isEmpty else { return }
    let value = Array(text.utf8) + [0]
    add(tag, 2, value.count, value)
  }

  mutating func add(_ tag: Int, short: Int) { add(tag, 3, 1, little(short, 2)) }

  mutating func add(_ tag: Int, long: Int) { add(tag, 4, 1, little(long, 4)) }

  mutating func add(_ tag: Int, ratio: (Int, Int)) {
    add(tag, 5, 1, little(ratio.0, 4) + little(ratio.1, 4))
  }

  mutating func add(_ tag: Int, undefined value: [UInt8]) { add(tag, 7, value.count, value) }

  /// Of the directory and its data, with so many further entries of four bytes.
  func size(further: Int) -> Int {
    let data = entries.filter { $0.value.count > 4 }.map { $0.value.count + $0.value.count % 2 }
    return 2 + (entries.count + further) * 12 + 4 + data.reduce(0, +)
  }

  /// - Parameter start: where the directory lies; data that does not fit into an entry lies behind it.
  /// - Returns: of an even length.
  func bytes(at start: Int) -> [UInt8] {
    var table = little(entries.count, 2)
    var data: [UInt8] = []
    let dataStart = start + 2 + entries.count * 12 + 4
    for entry in entries {
      table += little(entry.tag, 2) + little(entry.type, 2) + little(entry.count, 4)
      if entry.value.count <= 4 {
        table += entry.value + Array(repeating: 0, count: 4 - entry.value.count)
      } else {
        table += little(dataStart + data.count, 4)
        data += entry.value + Array(repeating: 0, count: entry.value.count % 2)
      }
    }
    return table + little(0, 4) + data
  }
}

private func little(_ number: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
