import MinilabKit
import Vips

/// Draws guides over a picture: white with a thin dark edge, so that they are seen on any ground.
struct GuideDrawing {
  let lines: GuideLines

  /// Of the black over what a crop leaves out.
  static let dimming = 0.3
  /// Of the dark edge beside a white line.
  private static let edgeStrength = 0.55
  private static let edgeWidth = 1.0

  /// `picture`: opaque 8-bit sRGB, of the size that the lines were made for.
  func drawn(on picture: Image) throws -> Image {
    let size = Size(width: picture.width, height: picture.height)
    var image = picture
    if let dimmed = lines.dimmed {
      let mask = try Figures.mask(size) { try $0.fill(dimmed) }
      image = try image.painted(black(Self.dimming), through: mask)
    }
    if !lines.lines.isEmpty {
      image =
        try image
        .painted(black(Self.edgeStrength), through: strokes(size, wider: 2 * Self.edgeWidth))
        .painted(.white, through: strokes(size))
    }
    for label in lines.labels { image = try drawn(label, on: image) }
    return image
  }

  /// `wider`: by so many pixels than the lines are.
  private func strokes(_ size: Size, wider: Double = 0) throws -> Image {
    try Figures.mask(size) { canvas in
      for line in lines.lines {
        try canvas.stroke(
          line.outline,
          width: line.width + wider,
          with: .init(red: 0, green: 0, blue: 0, alpha: line.strength)
        )
      }
    }
  }

  private func black(_ strength: Double) -> Color {
    Color(red: 0, green: 0, blue: 0, alpha: strength)
  }

  /// White on a dark tab in the corner; left out where there is no room for it.
  private func drawn(_ label: GuideLines.Label, on image: Image) throws -> Image {
    guard let text = try TextBlock(label.text, size: 11).coverage() else { return image }
    let tab = Size(width: text.width + 10, height: text.height + 4)
    guard Double(tab.width + 4) <= label.width else { return image }
    let left = Int(label.place.x.rounded()) + 3
    let top = min(Int(label.place.y.rounded()) + 3, image.height - tab.height)
    guard top >= 0 else { return image }
    return try image.painted(black(0.62), through: placed(Figures.pill(tab), left, top, image))
      .painted(.white, through: placed(text, left + 5, top + 2, image))
  }

  private func placed(_ mask: Image, _ left: Int, _ top: Int, _ image: Image) throws -> Image {
    try mask.embed(
      left: left,
      top: top,
      width: image.width,
      height: image.height,
      extend: "black"
    )
  }
}
