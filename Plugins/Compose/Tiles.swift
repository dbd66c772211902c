import MinilabKit

/// Rows of tiles of one size, in whole pixels of the profile: with a gap around and between them,
/// from left to right and top to bottom; the last row begins at the left, too.
///
/// Tile i, counted from 0, has its left edge at gap + (i mod columns) · (width + gap), and its top
/// edge at gap + (i div columns) · (height + caption + gap).
struct Tiles: Equatable {
  let columns: Int
  let rows: Int
  let gap: Int
  let tile: Size
  /// The height of the room for a text below each tile.
  let caption: Int

  /// `columns`: nil for as many as make the rows and columns nearly the same number.
  init(count: Int, columns: Int?, gap: Int, tile: Size, caption: Int) {
    let root = Int(Double(count).squareRoot().rounded(.up))
    self.columns = columns ?? max(1, root)
    rows = (count + self.columns - 1) / self.columns
    self.gap = gap
    self.tile = tile
    self.caption = caption
  }

  /// Of all tiles, with the gaps around them.
  var size: Size {
    Size(
      width: gap + columns * (tile.width + gap),
      height: gap + rows * (tile.height + caption + gap)
    )
  }

  func place(_ index: Int) -> PixelRectangle {
    PixelRectangle(
      x: gap + index % columns * (tile.width + gap),
      y: gap + index / columns * (tile.height + caption + gap),
      width: tile.width,
      height: tile.height
    )
  }

  func captionPlace(_ index: Int) -> PixelRectangle {
    let tile = place(index)
    return PixelRectangle(x: tile.x, y: tile.y + tile.height, width: tile.width, height: caption)
  }
}
