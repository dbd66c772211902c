internal import CExif

/// Which directory of an EXIF block an entry stands in (EXIF 2.32, 4.6).
public enum ExifDirectoryKind: Sendable, Hashable, CaseIterable {
  /// IFD0: of the picture.
  case picture
  /// How the picture was taken.
  case exposure
  case gps
  case interoperability
  /// IFD1 and whatever follows it.
  case thumbnail
}

/// Numbers of tags with a meaning here.
enum ExifNumber {
  static let imageWidth = 0x100
  static let imageLength = 0x101
  static let imageDescription = 0x10e
  static let make = 0x10f
  static let stripOffsets = 0x111
  static let orientation = 0x112
  static let stripByteCounts = 0x117
  static let xResolution = 0x11a
  static let yResolution = 0x11b
  static let resolutionUnit = 0x128
  static let artist = 0x13b
  static let subdirectories = 0x14a
  static let thumbnailOffset = 0x201
  static let thumbnailLength = 0x202
  static let xmp = 0x2bc
  static let relatedImageWidth = 0x1001
  static let relatedImageLength = 0x1002
  static let copyright = 0x8298
  static let iptc = 0x83bb
  static let photoshop = 0x8649
  static let exposureDirectory = 0x8769
  static let gpsDirectory = 0x8825
  static let makerNote = 0x927c
  static let xpAuthor = 0x9c9d
  static let colorSpace = 0xa001
  static let pixelXDimension = 0xa002
  static let pixelYDimension = 0xa003
  static let interoperabilityDirectory = 0xa005

  static let pointers: Set<Int> = [exposureDirectory, gpsDirectory, interoperabilityDirectory]
  /// Other blocks and pictures inside the block: each has a place of its own in a file, and a copy
  /// here would be forgotten when that is changed.
  static let foreign: Set<Int> = [subdirectories, xmp, iptc, photoshop]
}

/// A tag by its name in the standard.
public struct ExifTag: Sendable, Hashable {
  public let name: String
  let number: Int

  /// Where it can stand: tags of the picture and of the exposure share no number.
  func isIn(_ directory: ExifDirectoryKind) -> Bool {
    if name.hasPrefix("GPS") { return directory == .gps }
    if name.hasPrefix("Interoperability") || name.hasPrefix("RelatedImage") {
      return directory == .interoperability
    }
    return directory == .picture || directory == .exposure
  }

  /// All tags that a profile may name.
  static let all: [ExifTag] = (0..<cexif_tag_count()).compactMap { row in
    guard let text = cexif_tag_name(row) else { return nil }
    let tag = ExifTag(name: String(cString: text), number: Int(cexif_tag(row)))
    let isWord = tag.name.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
    }
    let isOurs = ExifNumber.pointers.union(ExifNumber.foreign).contains(tag.number)
    return isWord && !isOurs ? tag : nil
  }
}
