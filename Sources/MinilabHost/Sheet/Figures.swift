import MinilabKit
import Vips

/// Small figures of a sheet as masks: how much of each pixel they cover.
enum Figures {
  /// A disc, or a bar with round ends where it is wider than high.
  static func pill(_ size: Size) throws -> Image {
    let radius = Double(size.height) / 2
    return try mask(size) { canvas in
      try canvas.fill(
        .roundedRectangle(
          Box(left: 0, top: 0, right: Double(size.width), bottom: Double(size.height)),
          corners: .init(
            topLeft: radius,
            topRight: radius,
            bottomRight: radius,
            bottomLeft: radius
          )
        )
      )
    }
  }

  /// An arrow that leads to the right or down, in a square.
  static func arrow(side: Int, isDown: Bool) throws -> Image {
    let length = Double(side)
    let middle = length / 2
    let reach = length * 0.28
    func point(_ along: Double, _ across: Double) -> Point {
      isDown ? .init(x: across, y: along) : .init(x: along, y: across)
    }
    var outline = Outline()
    outline.move(to: point(1, middle))
    outline.line(to: point(length - 2, middle))
    outline.move(to: point(length - 2 - reach, middle - reach))
    outline.line(to: point(length - 2, middle))
    outline.line(to: point(length - 2 - reach, middle + reach))
    return try mask(Size(width: side, height: side)) { canvas in
      try canvas.stroke(outline, width: 2)
    }
  }

  /// One band of 8 bit.
  static func mask(_ size: Size, _ draw: (Canvas) throws -> Void) throws -> Image {
    let canvas = try Canvas(.coverage, width: size.width, height: size.height)
    try draw(canvas)
    return try Image(pixels: canvas.pixels, width: size.width, height: size.height, bands: 1)
  }
}
