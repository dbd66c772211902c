import MinilabKit
import Vips

/// Something of one color on a sheet: how much of each pixel it covers, and where.
struct Mark {
  var mask: Image
  var x: Int
  var y: Int
  var ink: SheetInk
}

/// Blocks of text below each other, measured from their own top left corner.
struct SheetText {
  private(set) var marks: [Mark] = []
  private(set) var height = 0
  private let width: Int
  private let scale: Double

  /// Nothing yet.
  ///
  /// - Parameters:
  ///   - width: Of a line, at most.
  ///   - scale: Of all sizes.
  init(width: Int, scale: Double) {
    self.width = width
    self.scale = scale
  }

  /// A caption.
  init(_ panel: SheetPanel, width: Int, scale: Double) throws {
    self.init(width: width, scale: scale)
    try addName(panel)
    for fact in panel.facts { try add(fact, size: SheetStyle.textSize, .quiet) }
    if !panel.settings.isEmpty {
      skip(3)
      for line in panel.settings {
        try add(line, font: SheetStyle.settingsFont, size: SheetStyle.settingsSize, .settings)
      }
    }
    if !panel.notes.isEmpty || panel.error != nil { skip(3) }
    for note in panel.notes { try add(note, size: SheetStyle.textSize, .note) }
    if let error = panel.error { try add(error, size: SheetStyle.textSize, .error) }
    endLine()
  }

  /// How large a heading is.
  struct HeadingStyle {
    let title: Double
    let remark: Double
    /// To the rule under it.
    let space: Int

    /// A sheet's own.
    static let sheet = HeadingStyle(
      title: SheetStyle.titleSize,
      remark: SheetStyle.summarySize,
      space: 14
    )
    /// Of a part.
    static let section = HeadingStyle(
      title: SheetStyle.headingSize,
      remark: SheetStyle.textSize,
      space: 12
    )
  }

  /// A heading, with room for a rule under it.
  init(
    heading title: String,
    _ remark: String,
    _ style: HeadingStyle,
    width: Int,
    scale: Double
  ) throws {
    self.init(width: width, scale: scale)
    try add(title, style: .bold, size: style.title, .text)
    if !remark.isEmpty { try add(remark, size: style.remark, .quiet) }
    skip(style.space)
    endLine()
  }

  /// Long text is cut: a name of a thousand letters is nothing to be read on a sheet.
  private static let longest = 240

  private mutating func add(
    _ text: String,
    font: String = Fonts.usual,
    style: TextBlock.Style = .regular,
    size: Double,
    indent: Int = 0,
    _ ink: SheetInk
  ) throws {
    let shown = text.count > Self.longest ? text.prefix(Self.longest - 1) + "…" : text
    let block = TextBlock(
      shown,
      font: font,
      style: style,
      size: size * scale,
      width: width - indent
    )
    guard let mask = try block.coverage() else { return }
    marks.append(Mark(mask: mask, x: indent, y: height, ink: ink))
    height += mask.height + pixels(SheetStyle.lineGap)
  }

  private mutating func skip(_ distance: Int) { height += pixels(distance) }

  private mutating func endLine() { height = max(0, height - pixels(SheetStyle.lineGap)) }

  private func pixels(_ measure: Int) -> Int { Int((Double(measure) * scale).rounded()) }

  /// The number in its disc, the step's name, and behind it in gray what the step does.
  private mutating func addName(_ panel: SheetPanel) throws {
    let badge = pixels(SheetStyle.badge)
    let gap = pixels(10)
    var indent = 0
    if let number = panel.number, number > 0 { indent = try addBadge("\(number)") + gap }
    let top = height
    try add(panel.title, style: .bold, size: SheetStyle.nameSize, indent: indent, .text)
    guard height > top, let name = marks.indices.last else { return }
    let mask = marks[name].mask
    // The disc and a name of one line share a middle, and names without a disc stand as high.
    let lineHeight = Int(SheetStyle.nameSize * scale * 1.25)
    let shift = max(0, (badge - min(lineHeight, mask.height)) / 2)
    marks[name].y += shift
    height = max(height + shift, top + badge + pixels(SheetStyle.lineGap))
    guard !panel.remark.isEmpty,
      let remark = try TextBlock(panel.remark, size: SheetStyle.textSize * scale).coverage()
    else { return }
    let end = indent + mask.width + gap
    if end + remark.width <= width, mask.height < lineHeight * 3 / 2 {
      // On the name's base line: the ascent is 0.93 of the size.
      let drop = ((SheetStyle.nameSize - SheetStyle.textSize) * scale * 0.93).rounded()
      marks.append(Mark(mask: remark, x: end, y: marks[name].y + Int(drop), ink: .quiet))
    } else {
      try add(panel.remark, size: SheetStyle.textSize, indent: indent, .quiet)
    }
  }

  /// - Returns: the width of the disc.
  private mutating func addBadge(_ number: String) throws -> Int {
    guard
      let digits = try TextBlock(number, style: .bold, size: SheetStyle.textSize * scale).coverage()
    else { return 0 }
    let side = pixels(SheetStyle.badge)
    let width = max(side, digits.width + pixels(14))
    let disc = try Figures.pill(Size(width: width, height: side))
    marks.append(Mark(mask: disc, x: 0, y: height, ink: .badge))
    marks.append(
      Mark(
        mask: digits,
        x: (width - digits.width) / 2,
        y: height + (side - digits.height) / 2,
        ink: .badgeText
      )
    )
    return width
  }
}
