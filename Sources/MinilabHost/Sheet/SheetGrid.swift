import MinilabKit

/// The columns of a sheet, and how pictures fit into them: arithmetic alone.
struct SheetGrid: Equatable {
  let columns: Int
  /// In pixels, with the ground around the picture.
  let columnWidth: Int
  /// The most that a picture has of height: one of a usual shape, a tall one, a strip.
  private let heights: Heights
  /// Pictures below that are enlarged.
  private let smallestSide: Int

  private struct Heights: Equatable {
    var usual: Int
    var tall: Int
    var tallest: Int
  }

  /// A sheet of several figures.
  init(columns: Int) {
    self.columns = columns
    columnWidth = (SheetStyle.contentWidth - (columns - 1) * SheetStyle.gap) / columns
    heights = Heights(
      usual: SheetStyle.pictureHeight,
      tall: SheetStyle.tallPictureHeight,
      tallest: SheetStyle.tallestPictureHeight
    )
    smallestSide = SheetStyle.smallestSide
  }

  /// The columns for figures that show pictures of these sizes.
  ///
  /// Figures stand in their order, and one of two pictures is not torn apart: so some columns leave
  /// more holes than others. The fewer the better, and then the larger.
  static func best(for figures: [[Size]]) -> SheetGrid {
    let candidates = [3, 4].map { columns in
      let grid = SheetGrid(columns: columns)
      let layout = SheetLayout(
        [
          .init(
            headingHeight: 0,
            figures: figures.map { .init(shots: $0.map(grid.fit), captionHeight: 0) }
          )
        ],
        below: 0,
        grid: grid
      )
      return (grid: grid, holes: layout.holes)
    }
    let fewest = candidates.map(\.holes).min()
    return candidates.first { $0.holes == fewest }?.grid ?? SheetGrid(columns: 3)
  }

  /// One figure alone, as large as a sheet is wide.
  init(figureOf sizes: [Size]) {
    // Side by side where that makes neither smaller.
    let isNarrow = sizes.allSatisfy {
      $0.width < $0.height || $0.longerSide < SheetStyle.largeSide / 2
    }
    columns = sizes.count > 2 || (sizes.count == 2 && isNarrow) ? 2 : 1
    let width = SheetStyle.largeSide - 2 * SheetStyle.margin
    columnWidth = (width - (columns - 1) * SheetStyle.gap) / columns
    let height = columnWidth - 2 * SheetStyle.matPadding
    heights = Heights(
      usual: height,
      tall: height * 3 / 2,
      tallest: SheetStyle.largeSide * 3 / 2
    )
    smallestSide = SheetStyle.smallestSide * 4
  }

  func width(of span: Int) -> Int { span * columnWidth + (span - 1) * SheetStyle.gap }

  /// How a picture is shown.
  struct Fit: Equatable {
    /// Columns.
    var span: Int
    /// In pixels of the sheet.
    var size: Size
    /// Squares of so many pixels stand for the pixels of a tiny picture.
    var zoom = 1
  }

  /// Wide pictures get more columns, tall ones more height; none is enlarged but the tiny.
  func fit(_ size: Size) -> Fit {
    let zoom = max(1, smallestSide / size.longerSide)
    if zoom > 1 {
      return Fit(
        span: 1,
        size: Size(width: size.width * zoom, height: size.height * zoom),
        zoom: zoom
      )
    }
    let aspect = Double(size.width) / Double(size.height)
    var span = aspect >= 5 ? columns : aspect >= 2.4 ? min(2, columns) : 1
    // What is small fits into fewer.
    while span > 1, size.width <= pictureWidth(of: span - 1) { span -= 1 }
    let height =
      aspect <= 0.25 ? heights.tallest : aspect <= 0.5 ? heights.tall : heights.usual
    let scale = min(
      1,
      Double(pictureWidth(of: span)) / Double(size.width),
      Double(height) / Double(size.height)
    )
    return Fit(span: span, size: scale < 1 ? size.scaled(scale, scale) : size)
  }

  private func pictureWidth(of span: Int) -> Int { width(of: span) - 2 * SheetStyle.matPadding }
}
