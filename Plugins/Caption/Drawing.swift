import MinilabKit

/// A caption's letters and where they go, ready to be put on a picture.
struct Drawing: Sendable {
  let caption: Caption
  let coverage: Image
  private let padding: Int
  private let position: (x: Int, y: Int)

  init(caption: Caption, coverage: Image, _ layout: CaptionLayout) {
    self.caption = caption
    self.coverage = coverage
    padding = layout.padding
    position = layout.position(
      of: Size(width: coverage.width + 2 * padding, height: coverage.height + 2 * padding)
    )
  }

  func drawn(on image: Image) throws -> Image {
    let background = caption.background ?? .transparent
    let able = try image.holding(caption.color).holding(background)
    return try able.overlaid(
      by: layer(like: able, background),
      left: position.x,
      top: position.y,
      opacity: caption.opacity
    )
  }

  /// The box with its letters, in the depth and colors of a picture.
  private func layer(like image: Image, _ background: Color) throws -> Image {
    let width = coverage.width + 2 * padding
    let height = coverage.height + 2 * padding
    let opaque = try image.addingAlpha()
    let box = try Image.filled(
      opaque.samples(of: background).map { $0.rounded() },
      width: width,
      height: height,
      like: opaque
    )
    .copy()
    if let profile = image.blob("icc-profile-data") { box.set("icc-profile-data", blob: profile) }
    let mask = try coverage.embed(
      left: padding,
      top: padding,
      width: width,
      height: height,
      extend: "black"
    )
    return try box.painted(caption.color, through: mask)
  }
}
