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

  /// When the picture was taken, as EXIF writes it.
  var dateTaken: String? {
    if let taken = Self.dateTaken(header) { return taken }
    // Of these libvips reads no EXIF.
    guard format == .tiff || format == .jxl else { return nil }
    return metadata(page: 0).dateTaken
  }

  /// The date and time as EXIF writes them.
  ///
  /// libvips adds its own words behind the value.
  private static func dateTaken(_ image: Image) -> String? {
    let fields = [
      "exif-ifd2-DateTimeOriginal", "exif-ifd2-DateTimeDigitized", "exif-ifd0-DateTime",
    ]
    for field in fields {
      guard let value = image.string(field), value.utf8.count >= 19 else { continue }
      let text = String(value.prefix(19))
      if text.utf8.allSatisfy({ (0x30...0x3a).contains($0) || $0 == 0x20 }) { return text }
    }
    return nil
  }
}
