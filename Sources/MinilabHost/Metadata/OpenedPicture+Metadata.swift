import MinilabKit
import PictureMetadata
import Vips

extension OpenedPicture {
  /// What a file says of itself, as it stands there: libvips reads only a part of it, or none.
  ///
  /// `page`: of a TIFF, each of whose pages speaks for itself.
  static func metadata(
    _ headerImage: Image,
    _ format: PictureFormat,
    _ data: PictureData,
    page: Int = 0
  ) -> MetadataBlocks {
    var blocks = MetadataBlocks()
    blocks.exif = headerImage.blob("exif-data")
    blocks.xmp = headerImage.blob("xmp-data")
    blocks.iptc = headerImage.blob("iptc-data") ?? headerImage.blob("photoshop-data")
    switch format {
    case .jpeg:
      guard let file = try? data.reopened(), let segments = try? JPEGSegments(file.number) else {
        break
      }
      blocks = segments.blocks
    case .png:
      for field in headerImage.fieldNames {
        guard let key = MetadataField.textKey(field), let text = headerImage.string(field) else {
          continue
        }
        RawProfile(key: key, text: text)?.add(to: &blocks)
      }
    case .heif, .avif:
      guard let file = try? data.reopened(), let items = try? HEIFItems(file.number),
        let found = try? items.blocks()
      else { break }
      blocks = found
    case .tiff:
      guard let file = try? data.reopened() else { break }
      let bytes = FileBytes(descriptor: file.number)
      let tiff = TIFFMetadata { (try? bytes.read(at: $0, count: $1)) ?? [] }
      guard let found = tiff?.exif(page: page) else { break }
      blocks.exif = found.block
      blocks.hasMovedMakerNote = found.hasMakerNote
    case .gif:
      if let found = try? GIFBlocks.metadata(data) { blocks = found }
    case .jxl:
      guard let file = try? data.reopened(), let boxes = try? JXLBoxes(file.number),
        let found = try? boxes.blocks()
      else { break }
      blocks = found
    default: break
    }
    return blocks
  }
}
