import MinilabKit
import Testing

@testable import MinilabHost

@Suite("The layout of a sheet")
struct SheetLayoutTests {
  private let grid = SheetGrid(columns: 4)

  @Test("pictures are reduced to their place, and only tiny ones enlarged")
  func fits() {
    #expect(grid.fit(Size(width: 6000, height: 4000)).size == Size(width: 328, height: 219))
    #expect(grid.fit(Size(width: 4000, height: 6000)).size == Size(width: 227, height: 340))
    #expect(grid.fit(Size(width: 300, height: 200)).size == Size(width: 300, height: 200))
    let tiny = grid.fit(Size(width: 5, height: 4))
    #expect(tiny == .init(span: 1, size: Size(width: 160, height: 128), zoom: 32))
    #expect(grid.fit(Size(width: 100, height: 81)).zoom == 1)
  }

  @Test("wide pictures take more columns, where they need them")
  func spans() {
    #expect(grid.fit(Size(width: 6000, height: 4000)).span == 1)
    #expect(grid.fit(Size(width: 6000, height: 2000)).span == 2)
    #expect(grid.fit(Size(width: 6000, height: 500)).span == 4)
    #expect(grid.fit(Size(width: 600, height: 50)).span == 2)
    #expect(grid.fit(Size(width: 300, height: 20)).span == 1)
  }

  @Test("tall pictures are higher than others, and none is higher than the highest")
  func heights() {
    let heights = [
      Size(width: 500, height: 500), Size(width: 500, height: 1100),
      Size(width: 500, height: 6000), Size(width: 1, height: 1_000_000),
    ]
    .map { grid.fit($0).size.height }
    #expect(heights == [328, 480, 640, 640])
    #expect(grid.fit(Size(width: 1, height: 1_000_000)).size.width == 1)
  }

  @Test("nothing overlaps, everything is on the page, and a row's captions begin together")
  func order() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let grid = SheetGrid(columns: Int.random(in: 3...4, using: &random))
      let sections = (0..<Int.random(in: 1...3, using: &random)).map { section in
        SheetLayout.Section(
          headingHeight: section == 0 ? 0 : 40,
          figures: (0..<Int.random(in: 1...9, using: &random)).map { _ in
            let shots = (0..<Int.random(in: 1...4, using: &random)).map { _ in
              grid.fit(
                Size(
                  width: Int.random(in: 1...9000, using: &random),
                  height: Int.random(in: 1...9000, using: &random)
                )
              )
            }
            return SheetLayout.Figure(
              shots: shots,
              arrows: shots.count > 1 ? [shots.count - 1] : [],
              captionHeight: Int.random(in: 20...300, using: &random)
            )
          }
        )
      }
      check(SheetLayout(sections, below: 80, grid: grid), sections)
    }
  }

  private func check(_ layout: SheetLayout, _ sections: [SheetLayout.Section]) {
    let page = PixelRectangle(layout.size)
    let figures = layout.sections.flatMap(\.figures)
    #expect(figures.count == sections.flatMap(\.figures).count)
    var boxes: [PixelRectangle] = []
    for figure in figures {
      boxes += figure.mats + [figure.caption]
      for (mat, picture) in zip(figure.mats, figure.pictures) { #expect(mat.contains(picture)) }
    }
    for (index, box) in boxes.enumerated() {
      #expect(page.contains(box))
      for other in boxes[(index + 1)...] { #expect(box.intersection(other).isEmpty) }
    }
    // In the order of reading.
    for (one, next) in zip(figures, figures.dropFirst()) {
      #expect(
        next.caption.y > one.caption.y
          || (next.caption.y == one.caption.y && next.caption.x > one.caption.x)
      )
      let isBeside = next.mats[0].y == one.mats[0].y
      if isBeside { #expect(next.caption.y == one.caption.y) }
    }
  }

  @Test("columns are chosen so that a figure of two pictures leaves no hole")
  func holes() {
    let square = Size(width: 1000, height: 1000)
    let one = [square]
    let two = [square, square]
    #expect(SheetGrid.best(for: [one, one, two, one, one]).columns == 4)
    #expect(SheetGrid.best(for: [one, two, one, two]).columns == 3)
    #expect(SheetGrid.best(for: [one, one, one]).columns == 3)
    // Three of a group and what becomes of them stand in one line.
    let three = [square, square, square]
    #expect(SheetGrid.best(for: [three, two, three + one, one]).columns == 4)
    #expect(SheetGrid.best(for: []).columns == 3)
  }

  @Test("an arrow stands between its pictures, or above one that begins a line")
  func arrows() {
    let wide = grid.fit(Size(width: 6000, height: 500))
    let small = grid.fit(Size(width: 600, height: 500))
    func arrows(_ shots: [SheetGrid.Fit]) -> [SheetLayout.Arrow] {
      let figure = SheetLayout.Figure(shots: shots, arrows: [1], captionHeight: 20)
      let section = SheetLayout.Section(headingHeight: 0, figures: [figure])
      return SheetLayout([section], below: 0, grid: grid).sections[0].figures[0].arrows
    }
    #expect(arrows([small, small]).map(\.isDown) == [false])
    #expect(arrows([small, small]).map(\.x) == [56 + 352 + 16])
    #expect(arrows([wide, small]).map(\.isDown) == [true])
  }

  @Test("a step alone is shown as large as the sheet is wide, two uprights side by side")
  func alone() {
    let wide = Size(width: 4000, height: 3000)
    let upright = Size(width: 3000, height: 4000)
    #expect(SheetGrid(figureOf: [wide]).fit(wide).size == Size(width: 1464, height: 1098))
    #expect(SheetGrid(figureOf: [wide, wide]).columns == 1)
    #expect(SheetGrid(figureOf: [upright, upright]).columns == 2)
    #expect(SheetGrid(figureOf: [upright]).columns == 1)
    #expect(
      SheetGrid(figureOf: [Size(width: 5, height: 5)]).fit(Size(width: 5, height: 5)).zoom == 128
    )
  }
}
