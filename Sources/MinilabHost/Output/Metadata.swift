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

  /// The field tells of the picture's making, place or rights, and not what its pixels mean.
  static func isPersonal(_ field: String) -> Bool {
    [
      "exif-", "xmp-", "iptc-", "photoshop-", "png-comment", "gif-comment", "jpeg-thumbnail",
      "orientation",
    ]
    .contains { field.hasPrefix($0) }
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
    if let xmp = image.blob("xmp-data"), let upright = uprightXMP(xmp) {
      image.set("xmp-data", blob: upright)
    }
    return notes
  }

  /// The packet with an orientation of 1, as an attribute or an element; nil where it says no other.
  ///
  /// One digit takes the place of another: nothing else moves.
  static func uprightXMP(_ packet: [UInt8]) -> [UInt8]? {
    let name = Array("tiff:Orientation".utf8)
    let openings = [Array("=\"".utf8), Array("='".utf8), Array(">".utf8)]
    var upright = packet
    var isChanged = false
    var start = packet.startIndex
    while let found = packet[start...].firstIndex(of: name[0]) {
      start = found + 1
      guard packet[found...].starts(with: name) else { continue }
      let behind = packet[(found + name.count)...]
      guard let opening = openings.first(where: { behind.starts(with: $0) }) else { continue }
      let digit = found + name.count + opening.count
      guard digit < packet.count, (UInt8(ascii: "2")...UInt8(ascii: "8")).contains(packet[digit])
      else { continue }
      upright[digit] = UInt8(ascii: "1")
      isChanged = true
    }
    return isChanged ? upright : nil
  }
}
