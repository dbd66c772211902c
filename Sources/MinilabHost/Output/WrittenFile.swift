import MinilabKit
import Vips

/// An output under its temporary name.
struct WrittenFile {
  let file: TemporaryFile
  let format: PictureFormat
  /// As its rows are stored.
  let stored: Size
  /// As a viewer sees it, and as it was planned.
  let shown: Size
  var pages = 1
  /// What a crop has kept of the picture.
  let cropBounds: PixelRectangle?

  /// The header read back must say what was written: the saver's word alone is not enough.
  func readBack() throws(ItemError) -> OutputRecord {
    let unreadable = ItemError(
      .writeFailed,
      expected: "\(format.shownWithArticle) of \(stored) when \(file.path.shown) is read back",
      received: "something else"
    )
    guard let bytes = file.length, bytes > 0 else { throw unreadable }
    do {
      let back = try Loader.of(format).open(PictureData(borrowing: file.descriptor), [])
      guard back.width == stored.width, back.height == stored.height,
        pages == 1 || back.int("n-pages") == pages
      else { throw unreadable }
    } catch {
      throw unreadable
    }
    return OutputRecord(
      path: file.path,
      width: shown.width,
      height: shown.height,
      format: format,
      bytes: bytes,
      pages: pages > 1 ? pages : nil,
      cropBounds: cropBounds
    )
  }
}
