import MinilabKit
import Vips

/// A picture of what steps do: a figure for each, with its name, settings, sizes and guides.
struct Sheet {
  var title: String
  var remark: String
  var sections: [SheetSection]
  /// There is one figure, and it is shown as large as a sheet is wide.
  var isLarge = false
  var hasGuides = true
  let pictures: UnitPictures

  /// Keeps one step's figure, or where the steps end before it, the figure that says why.
  mutating func show(only step: Int) {
    let panels = sections.flatMap(\.panels)
    guard
      let panel = panels.first(where: { $0.number == step })
        ?? panels.last(where: { $0.error != nil })
    else { return }
    sections = [SheetSection(panels: [panel])]
    isLarge = true
  }

  /// The sheet's pixels, in memory: 8-bit sRGB without transparency.
  ///
  /// - Throws: `ItemError` where a step's work on pixels fails.
  func image() throws -> Image {
    let (image, error) = try drawn()
    if let error { throw error }
    return image
  }

  /// The sheet up to where a step's work on pixels fails, and its error.
  func drawn() throws -> (image: Image, error: ItemError?) {
    let sizes = sections.flatMap(\.panels).map { $0.shots.map(\.frame.size) }
    let grid = isLarge ? SheetGrid(figureOf: sizes.flatMap { $0 }) : SheetGrid.best(for: sizes)
    let (figures, error) = try figures(grid)
    return (try page(of: figures, grid), error)
  }

  private func figures(_ grid: SheetGrid) throws -> ([[Figure]], ItemError?) {
    var done: [[Figure]] = []
    var last: SheetShot?
    var studio = Studio(pictures: pictures)
    for section in sections {
      done.append([])
      for var panel in section.panels {
        do {
          done[done.count - 1].append(try Figure(panel, grid, self, &studio))
          last = panel.shots.last
        } catch let failure {
          guard let error = (failure as? VipsError)?.cause as? ItemError ?? failure as? ItemError
          else { throw failure }
          panel.error = error.reason
          panel.shots = last.map { [$0] } ?? []
          done[done.count - 1].append(try Figure(panel, grid, self, &studio))
          return (done, error)
        }
      }
    }
    return (done, nil)
  }

  private func page(of drawn: [[Figure]], _ grid: SheetGrid) throws -> Image {
    let width = headingWidth(drawn, grid)
    let heading = try SheetText(heading: title, remark, .sheet, width: width, scale: scale)
    let headings = try sections.prefix(drawn.count).map { section in
      try section.heading.map {
        try SheetText(heading: $0, section.remark, .section, width: width, scale: scale)
      }
    }
    let layout = SheetLayout(
      zip(headings, drawn).map { heading, figures in
        .init(
          headingHeight: heading.map { $0.height + Self.underRule } ?? 0,
          figures: figures.map(\.measures)
        )
      },
      below: heading.height + Self.underRule,
      grid: grid
    )
    var page = SheetPage(size: layout.size)
    try add(heading, at: SheetStyle.margin, to: &page)
    for (index, section) in layout.sections.enumerated() {
      if let heading = headings[index] { try add(heading, at: section.top, to: &page) }
      for (figure, place) in zip(drawn[index], section.figures) {
        try figure.add(to: &page, at: place)
      }
    }
    return try page.image()
  }

  /// How much larger text is than on a sheet of many figures.
  private var scale: Double { isLarge ? 1.4 : 1 }

  /// From the rule under a heading to the figures.
  private static let underRule = 28

  private func add(_ heading: SheetText, at top: Int, to page: inout SheetPage) throws {
    try page.add(heading, x: SheetStyle.margin, y: top)
    page.fill(
      PixelRectangle(
        x: SheetStyle.margin,
        y: top + heading.height,
        width: page.size.width - 2 * SheetStyle.margin,
        height: 1
      ),
      .rule
    )
  }

  private func headingWidth(_ figures: [[Figure]], _ grid: SheetGrid) -> Int {
    let layout = SheetLayout(
      figures.map { .init(headingHeight: 0, figures: $0.map(\.measures)) },
      below: 0,
      grid: grid
    )
    return layout.size.width - 2 * SheetStyle.margin
  }
}

extension Sheet {
  /// Makes pictures, and each of them once.
  ///
  /// What a step leaves behind is often what the next is shown on.
  private struct Studio {
    let pictures: UnitPictures
    private var made: [Key: Image] = [:]

    private struct Key: Hashable {
      let source: SheetShot.Source
      let size: Size
      let background: String?
    }

    init(pictures: UnitPictures) {
      self.pictures = pictures
    }

    mutating func image(of shot: SheetShot, _ fit: SheetGrid.Fit) throws -> Image {
      let key = Key(source: shot.source, size: fit.size, background: shot.background?.literal)
      if let image = made[key] { return image }
      let image = try ShotPicture(shot: shot, fit: fit, pictures: pictures).image()
      made[key] = image
      return image
    }
  }

  /// A panel whose pictures and text are made and wait for their place.
  private struct Figure {
    let measures: SheetLayout.Figure
    private let images: [Image]
    private let caption: SheetText

    init(
      _ panel: SheetPanel,
      _ grid: SheetGrid,
      _ sheet: Sheet,
      _ studio: inout Studio
    ) throws {
      let fits = panel.shots.map { grid.fit($0.frame.size) }
      caption = try SheetText(
        panel,
        width: SheetLayout.width(fits, in: grid),
        scale: sheet.scale
      )
      images = try zip(panel.shots, fits).map { shot, fit in
        let image = try studio.image(of: shot, fit)
        guard sheet.hasGuides, !shot.guides.isEmpty else { return image }
        let lines = GuideLines(
          shot.guides,
          of: shot.frame.size,
          shownAs: fit.size,
          weight: sheet.isLarge ? 2 : 1
        )
        return try GuideDrawing(lines: lines).drawn(on: image).inMemory()
      }
      measures = SheetLayout.Figure(
        shots: fits,
        arrows: Set(panel.shots.indices.filter { $0 > 0 && panel.shots[$0].isResult }),
        captionHeight: caption.height
      )
    }

    func add(to page: inout SheetPage, at place: SheetLayout.PlacedFigure) throws {
      for mat in place.mats { page.fill(mat, .mat) }
      for (image, rectangle) in zip(images, place.pictures) { try page.add(image, at: rectangle) }
      for arrow in place.arrows {
        let side = 18
        let mask = try Figures.arrow(side: side, isDown: arrow.isDown)
        try page.add(Mark(mask: mask, x: arrow.x - side / 2, y: arrow.y - side / 2, ink: .quiet))
      }
      try page.add(caption, x: place.caption.x, y: place.caption.y)
    }
  }
}
