@testable import PictureMetadata

/// An EXIF block made by hand, with everything in it that editing must care for.
struct ExifSample {
  var order = ByteOrder.big
  var artist: [UInt8] = Array("José Ñandú\0".utf8)
  var note = (0..<60).map { UInt8($0) }
  var latitude = Array(repeating: UInt8(0x43), count: 24)
  var thumbnail = [0xff, 0xd8, 0xff, 0xe0] + [UInt8](repeating: 0x77, count: 40)

  private(set) var noteOffset = 0

  /// Directories in the order that cameras write them: picture, exposure, GPS, thumbnail.
  mutating func bytes() -> [UInt8] {
    func short(_ value: Int) -> [UInt8] { order.bytes(value, count: 2) }
    func long(_ value: Int) -> [UInt8] { order.bytes(value, count: 4) }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      short(tag) + short(type) + long(count) + value
        + [UInt8](repeating: 0, count: 4 - value.count)
    }
    let picture = 8
    let artistOffset = picture + ExifBlock.Directory.length(4)
    let exposure = artistOffset + artist.count
    noteOffset = exposure + ExifBlock.Directory.length(4)
    let gps = noteOffset + note.count
    let latitudeOffset = gps + ExifBlock.Directory.length(2)
    let second = latitudeOffset + latitude.count
    let thumbnailOffset = second + ExifBlock.Directory.length(3)
    var bytes = order.mark + short(42) + long(picture)
    bytes += short(4)
    bytes += entry(0x112, 3, 1, short(6))
    bytes += entry(0x13b, 2, artist.count, long(artistOffset))
    bytes += entry(0x8769, 4, 1, long(exposure))
    bytes += entry(0x8825, 4, 1, long(gps))
    bytes += long(second) + artist
    bytes += short(4)
    bytes += entry(0x9000, 7, 4, Array("0230".utf8))
    bytes += entry(0x927c, 7, note.count, long(noteOffset))
    bytes += entry(0xa002, 3, 1, short(640))
    bytes += entry(0xa003, 4, 1, long(480))
    bytes += long(0) + note
    bytes += short(2)
    bytes += entry(1, 2, 2, [0x4e, 0])
    bytes += entry(2, 5, 3, long(latitudeOffset))
    bytes += long(0) + latitude
    bytes += short(3)
    bytes += entry(0x103, 3, 1, short(6))
    bytes += entry(0x201, 4, 1, long(thumbnailOffset))
    bytes += entry(0x202, 4, 1, long(thumbnail.count))
    bytes += long(0) + thumbnail
    return bytes
  }
}

extension [UInt8] {
  /// The bytes stand somewhere in this.
  func holds(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    return indices.contains { self[$0] == first && self[$0...].starts(with: bytes) }
  }
}

extension MetadataBlocks {
  init(exif: [UInt8]? = nil, xmp: String? = nil, iptc: [UInt8]? = nil) {
    self.init()
    self.exif = exif
    self.xmp = xmp.map { Array($0.utf8) }
    self.iptc = iptc
  }

  /// Edited, with what was lost.
  func edited(
    _ policy: MetadataPolicy,
    _ truth: MetadataTruth = MetadataTruth()
  ) -> (blocks: MetadataBlocks, losses: [MetadataLoss]) {
    var losses: [MetadataLoss] = []
    let blocks = edited(policy, truth, losses: &losses)
    return (blocks, losses)
  }
}
