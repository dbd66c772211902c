/// EXIF in a TIFF file: the file's own first directory, and those it leads to.
///
/// libvips does not read it. This reader takes the file in small pieces, follows no offset twice,
/// and holds no more than a bounded block.
public struct TIFFMetadata {
  /// Reads so many bytes from an offset of the file; fewer where there are no more.
  public typealias Reader = (_ offset: Int, _ count: Int) -> [UInt8]

  let read: Reader
  let order: ByteOrder
  /// BigTIFF: offsets and counts of eight bytes.
  public let isBig: Bool
  let first: Int

  /// Of all values together.
  static let mostBytes = 1 << 20
  static let mostEntries = 1000
  /// No file is so long; sums with smaller numbers stay numbers.
  private static let longest = 1 << 60

  /// Nil where the file is no TIFF.
  public init?(_ read: @escaping Reader) {
    let head = read(0, 16)
    guard let order = ByteOrder(mark: head.prefix(2)),
      let version = head.number(at: 2, count: 2, order), version == 42 || version == 43
    else { return nil }
    isBig = version == 43
    guard let first = head.number(at: isBig ? 8 : 4, count: isBig ? 8 : 4, order),
      first < Self.longest
    else { return nil }
    self.read = read
    self.order = order
    self.first = first
  }

  /// Of the first directory, what tells of the picture and not of how its pixels are stored.
  ///
  /// DocumentName, ImageDescription, Make, Model, Software, DateTime, Artist, HostComputer,
  /// Copyright, Rating; the titles, comments, authors, keywords and subjects of Windows.
  static let told: Set<Int> = [
    0x10d, 0x10e, 0x10f, 0x110, 0x131, 0x132, 0x13b, 0x13c, 0x8298, 0x4746, 0x9c9b, 0x9c9c,
    0x9c9d, 0x9c9e, 0x9c9f,
  ]
  private static let alsoTold: Set<Int> = [
    ExifNumber.orientation, ExifNumber.xResolution, ExifNumber.yResolution,
    ExifNumber.resolutionUnit,
  ]

  /// The block, in the file's byte order, and whether it has maker notes, whose offsets are lost; nil
  /// where the file says nothing of the picture.
  ///
  /// `page`: the number of the directory.
  public func exif(page: Int = 0) -> (block: [UInt8], hasMakerNote: Bool)? {
    var fields: ExifWriter.Fields = [:]
    var budget = Self.mostBytes
    guard let place = offset(ofDirectory: page) else { return nil }
    let picture = directory(at: place, &budget)
    let told = picture.filter { Self.told.contains($0.tag) }
    fields[.exposure] = subdirectory(ExifNumber.exposureDirectory, of: picture, &budget)
    fields[.gps] = subdirectory(ExifNumber.gpsDirectory, of: picture, &budget)
    fields[.interoperability] = subdirectory(
      ExifNumber.interoperabilityDirectory,
      of: fields[.exposure] ?? [],
      &budget
    )
    fields[.exposure]?.removeAll { ExifNumber.pointers.contains($0.tag) }
    guard !told.isEmpty || fields.values.contains(where: { !$0.isEmpty }) else { return nil }
    fields[.picture] = told + picture.filter { Self.alsoTold.contains($0.tag) }
    guard let block = ExifWriter(order: order).block(fields) else { return nil }
    let hasMakerNote =
      fields[.exposure]?.contains { $0.tag == ExifNumber.makerNote } ?? false
    return (block, hasMakerNote)
  }

  /// Nil where there are not so many.
  private func offset(ofDirectory number: Int) -> Int? {
    let (countLength, entryLength, wide) = isBig ? (8, 20, 8) : (2, 12, 4)
    var place = first
    for _ in 0..<number {
      guard let count = order.number(read(place, countLength)), count < 1 << 16,
        let next = order.number(read(place + countLength + count * entryLength, wide)),
        (1..<Self.longest).contains(next)
      else { return nil }
      place = next
    }
    return place
  }

  private func subdirectory(
    _ pointer: Int,
    of fields: [ExifWriter.Field],
    _ budget: inout Int
  ) -> [ExifWriter.Field] {
    guard let field = fields.first(where: { $0.tag == pointer }),
      let offset = order.number(field.value), (1..<Self.longest).contains(offset)
    else { return [] }
    return directory(at: offset, &budget)
  }

  /// The entries with their values, as far as these are there and the budget lasts.
  private func directory(at offset: Int, _ budget: inout Int) -> [ExifWriter.Field] {
    let countLength = isBig ? 8 : 2
    let entryLength = isBig ? 20 : 12
    guard let stated = order.number(read(offset, countLength)) else { return [] }
    let bytes = read(offset + countLength, min(stated, Self.mostEntries) * entryLength)
    var fields: [ExifWriter.Field] = []
    var seen: Set<Int> = []
    for start in stride(from: 0, to: bytes.count - entryLength + 1, by: entryLength) {
      guard let field = field(bytes, at: start, budget),
        seen.insert(field.tag).inserted
      else { continue }
      budget -= field.value.count
      fields.append(field)
    }
    return fields
  }

  /// In bytes; BigTIFF has numbers and offsets of eight, under 16 to 18.
  private static func length(ofType type: Int) -> Int? {
    if (16...18).contains(type) { return 8 }
    guard type != 0, ExifBlock.typeLengths.indices.contains(type) else { return nil }
    return ExifBlock.typeLengths[type]
  }

  private func field(_ bytes: [UInt8], at start: Int, _ budget: Int) -> ExifWriter.Field? {
    let wide = isBig ? 8 : 4
    guard let tag = bytes.number(at: start, count: 2, order),
      let type = bytes.number(at: start + 2, count: 2, order),
      let count = bytes.number(at: start + 4, count: wide, order),
      let typeLength = Self.length(ofType: type), count <= Self.mostBytes
    else { return nil }
    let length = count * typeLength
    guard length <= budget else { return nil }
    let place = start + 4 + wide
    if length <= wide {
      return bytes.slice(at: place, count: length).map {
        .init(tag: tag, type: type, count: count, value: Array($0))
      }
    }
    guard let offset = bytes.number(at: place, count: wide, order) else { return nil }
    let value = read(offset, length)
    guard value.count == length else { return nil }
    return .init(tag: tag, type: type, count: count, value: value)
  }
}
