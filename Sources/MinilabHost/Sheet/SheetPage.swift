import MinilabKit
import Vips

/// The page of a sheet: pictures and marks at their places, put together in one go.
struct SheetPage {
  let size: Size
  private var pictures: [(image: Image, x: Int, y: Int)] = []
  private var fills: [(PixelRectangle, SheetInk)] = []
  private var marks: [Mark] = []

  init(size: Size) {
    self.size = size
  }

  mutating func fill(_ rectangle: PixelRectangle, _ ink: SheetInk) {
    fills.append((rectangle, ink))
  }

  /// Opaque working pixels, 8-bit sRGB.
  mutating func add(_ picture: Image, at place: PixelRectangle) {
    pictures.append((picture, place.x, place.y))
  }

  mutating func add(_ text: SheetText, x: Int, y: Int) {
    marks += text.marks.map { $0.moved(x: x, y: y) }
  }

  mutating func add(_ mark: Mark) {
    marks.append(mark)
  }

  /// The page's pixels, in memory, with no metadata of the pictures on it.
  func image() throws -> Image {
    let sample = try Image(pixels: [0, 0, 0], width: 1, height: 1, bands: 3)
    var page = try filled(SheetInk.page, size, like: sample)
    for (rectangle, ink) in fills {
      let patch = try filled(ink.color, rectangle.size, like: sample)
      page = try page.inserting(patch, x: rectangle.x, y: rectangle.y)
    }
    for picture in pictures {
      page = try page.inserting(picture.image, x: picture.x, y: picture.y)
    }
    // Marks of one color are one mask: what overlaps has different colors, in the order of `SheetInk`.
    for ink in SheetInk.allCases {
      let own = marks.filter { $0.ink == ink }
      guard !own.isEmpty else { continue }
      var mask = try Image.filled(
        [0],
        width: size.width,
        height: size.height,
        like: Image(pixels: [0], width: 1, height: 1, bands: 1)
      )
      for mark in own { mask = try mask.inserting(mark.mask, x: mark.x, y: mark.y) }
      page = try page.painted(ink.color, through: mask)
    }
    return try Image(pixels: page.pixels(), width: size.width, height: size.height, bands: 3)
  }

  private func filled(_ color: Color, _ size: Size, like sample: Image) throws -> Image {
    try Image.filled(
      [color.red, color.green, color.blue].map { ($0 * 255).rounded() },
      width: size.width,
      height: size.height,
      like: sample
    )
  }
}

extension Image {
  /// The picture with another in place of a part of it; what sticks out is cut off.
  fileprivate func inserting(_ other: Image, x: Int, y: Int) throws(VipsError) -> Image {
    try call(
      "insert",
      [.init("sub", .image(other)), .init("x", .int(x)), .init("y", .int(y))],
      input: "main"
    )
  }
}
