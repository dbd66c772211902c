import MinilabKit

/// Where everything on a sheet goes: arithmetic alone, in pixels from the sheet's top left corner.
struct SheetLayout {
  /// What is to be placed of a figure.
  struct Figure {
    var shots: [SheetGrid.Fit]
    /// An arrow leads to these shots from those before.
    var arrows: Set<Int> = []
    var captionHeight: Int
  }

  struct Section {
    /// 0 where there is no heading.
    var headingHeight: Int
    var figures: [Figure]
  }

  struct Arrow: Equatable {
    /// Its middle.
    var x: Int
    var y: Int
    var isDown: Bool
  }

  struct PlacedFigure {
    /// The ground of each shot.
    var mats: [PixelRectangle] = []
    var pictures: [PixelRectangle] = []
    var arrows: [Arrow] = []
    var caption = PixelRectangle(x: 0, y: 0, width: 0, height: 0)
  }

  struct PlacedSection {
    /// The top of the heading.
    var top: Int
    var figures: [PlacedFigure] = []
  }

  private let grid: SheetGrid
  private(set) var sections: [PlacedSection] = []
  /// Of the page.
  private(set) var size: Size
  /// Columns that are left empty, but for those at the end of a section; a figure that is broken into
  /// lines counts as one more for each break.
  private(set) var holes = 0
  private var bottom: Int

  /// - Parameters:
  ///   - sections: What is placed, in its order.
  ///   - top: The height of the sheet's own heading.
  ///   - grid: The columns.
  init(_ sections: [Section], below top: Int, grid: SheetGrid) {
    self.grid = grid
    bottom = SheetStyle.margin + top
    size = Size(width: 0, height: 0)
    var widest = min(grid.columns, SheetStyle.fewestColumns)
    for section in sections {
      if section.headingHeight > 0 { bottom += SheetStyle.sectionGap }
      var placed = PlacedSection(top: bottom)
      if section.headingHeight > 0 { bottom += section.headingHeight }
      let rows = rows(section.figures)
      for (number, row) in rows.enumerated() {
        let taken = row.map(span).reduce(0, +)
        widest = max(widest, taken)
        if number < rows.count - 1 { holes += grid.columns - taken }
        holes += row.map(holesInside).reduce(0, +)
        placed.figures += place(row)
      }
      self.sections.append(placed)
    }
    size = Size(
      width: grid.width(of: widest) + 2 * SheetStyle.margin,
      height: bottom - SheetStyle.rowGap + SheetStyle.margin
    )
  }

  /// How many columns a figure takes: the most that one of its lines does.
  private func span(_ figure: Figure) -> Int {
    lines(figure).map { $0.map { figure.shots[$0].span }.reduce(0, +) }.max() ?? 1
  }

  /// The width that a figure's caption has, too.
  static func width(_ shots: [SheetGrid.Fit], in grid: SheetGrid) -> Int {
    let figure = Figure(shots: shots, captionHeight: 0)
    return grid.width(of: SheetLayout([], below: 0, grid: grid).span(figure))
  }

  /// Figures that stand beside each other.
  private func rows(_ figures: [Figure]) -> [[Figure]] {
    var rows: [[Figure]] = []
    var free = 0
    for figure in figures {
      let span = span(figure)
      if span <= free, !rows.isEmpty {
        rows[rows.count - 1].append(figure)
      } else {
        rows.append([figure])
        free = grid.columns
      }
      free -= span
    }
    return rows
  }

  /// A figure's shots in lines that are no wider than the sheet, by their places.
  private func lines(_ figure: Figure) -> [[Int]] {
    var lines: [[Int]] = []
    var free = 0
    for (index, shot) in figure.shots.enumerated() {
      if shot.span <= free, !lines.isEmpty {
        lines[lines.count - 1].append(index)
      } else {
        lines.append([index])
        free = grid.columns
      }
      free -= shot.span
    }
    return lines
  }

  private func holesInside(_ figure: Figure) -> Int {
    let lines = lines(figure)
    let widest = span(figure)
    let empty = lines.map { widest - $0.map { figure.shots[$0].span }.reduce(0, +) }
    return empty.reduce(0, +) + max(0, lines.count - 1)
  }

  private func matHeight(_ line: [Int], of figure: Figure) -> Int {
    (line.map { figure.shots[$0].size.height }.max() ?? 0) + 2 * SheetStyle.matPadding
  }

  /// The figures of a row: their pictures' grounds end together, and the captions begin together.
  private mutating func place(_ row: [Figure]) -> [PlacedFigure] {
    let heights = row.map { figure in
      lines(figure).map { matHeight($0, of: figure) }.reduce(0, +)
        + max(0, lines(figure).count - 1) * SheetStyle.gap
    }
    let height = heights.max() ?? 0
    let captionTop = bottom + height + SheetStyle.captionGap
    var left = SheetStyle.margin
    var placed: [PlacedFigure] = []
    for (figure, own) in zip(row, heights) {
      let span = span(figure)
      var result = shots(of: figure, left: left, stretchedBy: height - own)
      result.caption = PixelRectangle(
        x: left,
        y: captionTop,
        width: grid.width(of: span),
        height: figure.captionHeight
      )
      placed.append(result)
      left += grid.width(of: span) + SheetStyle.gap
    }
    bottom = captionTop + (row.map(\.captionHeight).max() ?? 0) + SheetStyle.rowGap
    return placed
  }

  private func shots(of figure: Figure, left: Int, stretchedBy more: Int) -> PlacedFigure {
    var placed = PlacedFigure()
    var top = bottom
    let lines = lines(figure)
    for (number, line) in lines.enumerated() {
      let isLast = number == lines.count - 1
      let height = matHeight(line, of: figure) + (isLast ? more : 0)
      var x = left
      for index in line {
        let shot = figure.shots[index]
        let mat = PixelRectangle(x: x, y: top, width: grid.width(of: shot.span), height: height)
        if figure.arrows.contains(index) {
          placed.arrows.append(
            index == line.first
              ? Arrow(
                x: left + grid.width(of: shot.span) / 2,
                y: top - SheetStyle.gap / 2,
                isDown: true
              )
              : Arrow(x: x - SheetStyle.gap / 2, y: top + height / 2, isDown: false)
          )
        }
        placed.mats.append(mat)
        placed.pictures.append(
          PixelRectangle(
            x: mat.x + (mat.width - shot.size.width) / 2,
            y: mat.y + (mat.height - shot.size.height) / 2,
            width: shot.size.width,
            height: shot.size.height
          )
        )
        x += mat.width + SheetStyle.gap
      }
      top += height + SheetStyle.gap
    }
    return placed
  }
}
