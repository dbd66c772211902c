import PictureMetadata
import Vips

/// Fields of a picture in libvips that tell of its making, place or rights, and not what its pixels
/// mean.
enum MetadataField {
  static func isPersonal(_ field: String) -> Bool {
    [
      "exif-", "xmp-", "iptc-", "photoshop-", textPrefix, "gif-comment", "jpeg-thumbnail",
      "orientation", "image-description",
    ]
    .contains { field.hasPrefix($0) }
  }

  /// Before a number and a key.
  private static let textPrefix = "png-comment-"

  /// The key of a PNG's text; nil for any other field.
  static func textKey(_ field: String) -> String? {
    guard field.hasPrefix(textPrefix) else { return nil }
    let rest = field.dropFirst(textPrefix.count)
    return rest.firstIndex(of: "-").map { String(rest[rest.index(after: $0)...]) }
  }

  /// The field of a PNG's text by its number and key.
  static func text(_ number: Int, _ key: String) -> String { "\(textPrefix)\(number)-\(key)" }

  static func isText(_ field: String, keptBy policy: MetadataPolicy) -> Bool {
    textKey(field).map { PNGChunks.isText($0) && policy.keepsText($0) } ?? false
  }

  /// The keys of a PNG's texts that a policy keeps, sorted.
  static func texts(of image: Image, keptBy policy: MetadataPolicy) -> [String] {
    Set(image.fieldNames.filter { isText($0, keptBy: policy) }.compactMap(textKey)).sorted()
  }

  /// Gives a picture the texts of another one that shows the same.
  ///
  /// `image` is a fresh copy.
  static func carryTexts(from source: Image, to image: Image) {
    for name in source.fieldNames where textKey(name) != nil {
      if let text = source.string(name) { image.set(name, string: text) }
    }
  }
}
