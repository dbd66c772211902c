import MinilabKit
import PictureMetadata
import Vips

extension PictureReader {
  /// What a file says of itself, as it stands there: libvips reads only a part of it, or none.
  ///
  /// `page`: of a TIFF, each of whose pages speaks for itself.
  func metadata(page: Int) -> MetadataBlocks {
    var blocks = MetadataBlocks()
    blocks.exif = header.blob("exif-data")
    blocks.xmp = header.blob("xmp-data")
    blocks.iptc = header.blob("iptc-data") ?? header.blob("photoshop-data")
    switch format {
    case .jpeg:
      guard let file = try? data.reopened(), let segments = try? JPEGSegments(file.number) else {
        break
      }
      blocks = segments.blocks
    case .png:
      for field in header.fieldNames {
        guard let key = MetadataField.textKey(field), let text = header.string(field) else {
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
