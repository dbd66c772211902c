import MinilabKit
import PictureMetadata
import Vips

// What a header tells beside the size.

extension PictureReader {
  /// How the stored picture is turned to be seen upright.
  var orientation: Orientation {
    switch format {
    // The container has turned them already; ISO/IEC 23008-12 makes it the only word on it.
    case .heif, .avif: .up
    // The rows of a PFM go from bottom to top, and libvips leaves them so.
    case .pnm where header.format == .float: .downMirrored
    default: Orientation(tag: header.int("orientation"))
    }
  }

  /// The value of an EXIF tag by its name, from whichever directory has it.
  func exif(_ tag: String) -> String? {
    for directory in 0...3 {
      guard let field = header.string("exif-ifd\(directory)-\(tag)") else { continue }
      return ExifText(field).value
    }
    return nil
  }

  /// When the picture was taken, as EXIF writes it: by EXIF, else by XMP, else by IPTC.
  ///
  /// What is no day of the calendar is no date.
  var dateTaken: String? {
    if let taken = Self.first(of: exifDates) { return taken }
    // Of these libvips reads no EXIF.
    if format == .tiff || format == .jxl { return Self.first(of: metadata(page: 0).datesTaken) }
    var blocks = MetadataBlocks()
    blocks.xmp = header.blob("xmp-data")
    blocks.iptc = header.blob("iptc-data") ?? header.blob("photoshop-data")
    return Self.first(of: blocks.datesTaken)
  }

  private static func first(of dates: [String]) -> String? {
    dates.first { WallClock(exif: $0) != nil }
  }

  /// libvips adds its own words behind the value.
  private var exifDates: [String] {
    ["exif-ifd2-DateTimeOriginal", "exif-ifd2-DateTimeDigitized", "exif-ifd0-DateTime"]
      .compactMap { header.string($0).map { String($0.prefix(19)) } }
  }
}
