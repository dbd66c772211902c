import MinilabKit
import Vips

/// The page of a sheet, as bytes: pictures and marks are put at their places one after the other.
///
/// Hundreds of small things lie on a page, and each would be a picture of its own to libvips, which
/// keeps buffers for every one of them.
struct SheetPage {
  let size: Size
  /// Red, green and blue, row by row.
  private var samples: [UInt8]

  init(size: Size) {
    self.size = size
    samples = [UInt8](repeating: 0, count: size.width * size.height * 3)
    fill(PixelRectangle(size), with: SheetInk.page)
  }

  /// The page as a picture in memory.
  func image() throws -> Image {
    try Image(pixels: samples, width: size.width, height: size.height, bands: 3)
  }

  mutating func fill(_ rectangle: PixelRectangle, _ ink: SheetInk) {
    fill(rectangle, with: ink.color)
  }

  private mutating func fill(_ rectangle: PixelRectangle, with color: Color) {
    let place = rectangle.intersection(PixelRectangle(size))
    guard !place.isEmpty else { return }
    let row = [[UInt8]](repeating: color.bytes, count: place.width).flatMap { $0 }
    for y in place.y..<(place.y + place.height) { copy(row[...], x: place.x, y: y) }
  }

  /// Puts opaque 8-bit sRGB down, which lies wholly on the page.
  mutating func add(_ picture: Image, at place: PixelRectangle) throws {
    let pixels = try picture.pixels()
    let length = picture.width * 3
    for y in 0..<picture.height {
      copy(pixels[(y * length)..<((y + 1) * length)], x: place.x, y: place.y + y)
    }
  }

  private mutating func copy(_ row: ArraySlice<UInt8>, x: Int, y: Int) {
    let start = (y * size.width + x) * 3
    samples.replaceSubrange(start..<(start + row.count), with: row)
  }

  mutating func add(_ text: SheetText, x: Int, y: Int) throws {
    for mark in text.marks { try add(mark, x: x, y: y) }
  }

  /// Lays a mark's color over what is there; what sticks out is cut off.
  mutating func add(_ mark: Mark, x: Int = 0, y: Int = 0) throws {
    let mask = try mark.mask.pixels()
    let place = PixelRectangle(
      x: mark.x + x,
      y: mark.y + y,
      width: mark.mask.width,
      height: mark.mask.height
    )
    let seen = place.intersection(PixelRectangle(size))
    let color = mark.ink.color.bytes.map(Int.init)
    let width = size.width
    samples.withUnsafeMutableBufferPointer { samples in
      for row in seen.y..<(seen.y + seen.height) {
        for column in seen.x..<(seen.x + seen.width) {
          let part = Int(mask[(row - place.y) * place.width + column - place.x])
          guard part > 0 else { continue }
          let index = (row * width + column) * 3
          for band in 0..<3 {
            let below = Int(samples[index + band])
            samples[index + band] = UInt8((below * (255 - part) + color[band] * part + 127) / 255)
          }
        }
      }
    }
  }
}

extension Color {
  fileprivate var bytes: [UInt8] {
    [red, green, blue].map { UInt8(($0 * 255).rounded()) }
  }
}
