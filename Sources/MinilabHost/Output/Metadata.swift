import CExif
import Glibc
import MinilabKit
import Vips

/// What EXIF says of a picture whose rows are upright.
enum Metadata {
  /// Gives a picture what is known of another one that shows the same.
  ///
  /// `image` is a fresh copy.
  static func carry(from source: Image, to image: Image) {
    for name in ["exif-data", "xmp-data", "iptc-data"] {
      if let bytes = source.blob(name) { image.set(name, blob: bytes) }
    }
    // libvips drops from the EXIF it saves what has no field of its own.
    for name in source.fieldNames where name.hasPrefix("exif-ifd") {
      if let text = source.string(name) { image.set(name, string: text) }
    }
  }

  /// Sets the orientation to 1 and drops an embedded thumbnail, which shows the picture as it was.
  ///
  /// `image` is a fresh copy. Gives the notes that are due.
  static func makeUpright(_ image: Image) -> [Note] {
    var notes: [Note] = []
    if let exif = image.blob("exif-data") {
      var count = 0
      var hadThumbnail = false
      let upright = exif.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.flatMap { cexif_upright($0, bytes.count, &count, &hadThumbnail) }
      }
      if let upright {
        defer { free(upright) }
        image.set("exif-data", blob: Array(UnsafeBufferPointer(start: upright, count: count)))
      } else {
        // What cannot be read cannot be made true.
        image.remove("exif-data")
        notes.append(Note(.metadataDropped, "the embedded EXIF cannot be read and was left out"))
      }
      if hadThumbnail {
        notes.append(Note(.thumbnailDropped, "the embedded thumbnail was left out"))
      }
    }
    image.remove("jpeg-thumbnail-data")
    // libvips writes these fields back into the EXIF it saves.
    for name in image.fieldNames where name.hasPrefix("exif-ifd1-") { image.remove(name) }
    if image.has("exif-ifd0-Orientation") { image.set("exif-ifd0-Orientation", string: "1") }
    if image.has("orientation") { image.set("orientation", int: 1) }
    return notes
  }
}
