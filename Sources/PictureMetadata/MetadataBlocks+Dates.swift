extension MetadataBlocks {
  /// What the blocks say of when the picture was taken, each in EXIF's form, the best word first: EXIF,
  /// XMP, IPTC.
  ///
  /// Nothing is checked but the form: a camera without a clock writes days that are in no calendar.
  public var datesTaken: [String] { exifDates + xmpDates + iptcDates }

  /// DateTimeOriginal, DateTimeDigitized, DateTime.
  private var exifDates: [String] {
    guard let block = exif.flatMap(ExifBlock.init) else { return [] }
    return [0x9003, 0x9004, 0x132].compactMap { block.text($0) }
      .filter { $0.utf8.count >= 19 }.map { String($0.prefix(19)) }
  }

  private var xmpDates: [String] {
    let names = [
      (XMPNamespace.exif, "exif:DateTimeOriginal"),
      (XMPNamespace.photoshop, "photoshop:DateCreated"),
      (XMPNamespace.xmp, "xmp:CreateDate"),
    ]
    return (xmp.map { XMPPacket($0).values(names) } ?? []).compactMap(Self.exifForm)
  }

  /// Date Created and Time Created, `YYYYMMDD` and `HHMMSS±HHMM`.
  private var iptcDates: [String] {
    guard let list = iptc.flatMap({ PhotoshopResources($0)?.iptc }),
      let day = IPTCRecords.text(55, in: list), day.utf8.count == 8
    else { return [] }
    let time = IPTCRecords.text(60, in: list).map { String($0.prefix(6)) } ?? ""
    return Self.exifForm(day + "T" + time).map { [$0] } ?? []
  }

  /// A date of ISO 8601 in EXIF's form: the clock of the place, whatever its time zone.
  ///
  /// Midnight where no time is said; nil where no day is.
  private static func exifForm(_ text: String) -> String? {
    let halves = text.split(separator: "T", maxSplits: 1)
    guard let first = halves.first else { return nil }
    func digits(_ text: Substring) -> String {
      String(text.filter { ("0"..."9").contains($0) })
    }
    let day = digits(first)
    // What follows the time is a fraction or a time zone.
    let clock = halves.count > 1 ? halves[1].prefix { ("0"..."9").contains($0) || $0 == ":" } : ""
    let time = (digits(clock) + "000000").prefix(6)
    guard day.utf8.count == 8 else { return nil }
    func pairs(_ text: Substring) -> String {
      stride(from: 0, to: text.count, by: 2).map { String(text.dropFirst($0).prefix(2)) }
        .joined(separator: ":")
    }
    return "\(day.prefix(4)):\(pairs(day.dropFirst(4))) \(pairs(time))"
  }
}
