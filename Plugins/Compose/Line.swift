import MinilabKit

/// A line of text in the middle of the room below a tile.
struct Line: Sendable {
  private let text: String
  private let font: String
  private let size: Double
  let color: Color
  /// On the result.
  private let room: PixelRectangle
  /// The part of the room that lies on the canvas.
  private let visible: PixelRectangle

  init(_ text: String, of operation: Compose, in room: PixelRectangle, visible: PixelRectangle) {
    // One line, whatever is in it.
    self.text = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    font = operation.captionFont
    size = operation.captionSize * operation.scale
    color = operation.captionColor
    self.room = room
    self.visible = visible
  }

  var isBlank: Bool { block(text).isBlank }

  private func block(_ text: String) -> TextBlock { TextBlock(text, font: font, size: size) }

  /// The visible pixels: the color, with the letters as its alpha.
  func image(in form: PixelForm) throws -> Image {
    let ink = try form.pixel(of: color)
    let letters = try fitted()
    let (left, top) = Gravity.center.position(
      of: Size(width: letters.width, height: letters.height),
      on: room.size
    )
    let mask = try letters.embed(
      left: left,
      top: top,
      width: room.width,
      height: room.height,
      extend: "black"
    )
    .extractArea(
      left: visible.x - room.x,
      top: visible.y - room.y,
      width: visible.width,
      height: visible.height
    )
    let maximum = form.isDeep ? 65_535.0 : 255
    let alpha = try mask.scaled(by: ink.alpha * maximum / 255, to: form.format)
    let levels = (0..<form.colorBands).map { (ink[$0] * maximum).rounded() }
    return try Image.filled(levels, width: visible.width, height: visible.height, like: alpha)
      .joined(bands: alpha)
  }

  /// The letters, cut short where they are wider than the room.
  private func fitted() throws -> Image {
    guard let whole = try block(text).coverage() else { return try nothing() }
    if whole.width <= room.width { return whole }
    // The longest beginning that fits together with the ellipsis.
    let characters = Array(text)
    var (fits, tooLong) = (0, characters.count)
    var best: Image?
    while tooLong - fits > 1 {
      let middle = (fits + tooLong) / 2
      let beginning = String(characters[..<middle])
      let cut = try block(beginning + "…").coverage()
      if let cut, cut.width <= room.width {
        (fits, best) = (middle, cut)
      } else {
        tooLong = middle
      }
    }
    return try best ?? nothing()
  }

  /// Not even a letter has room.
  private func nothing() throws -> Image {
    try Image(pixels: [0], width: 1, height: 1, bands: 1)
  }
}
