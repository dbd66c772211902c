import MinilabKit
import Vips

/// The pixels of a shot as a sheet shows them: reduced, 8-bit sRGB, opaque.
struct ShotPicture {
  let shot: SheetShot
  let fit: SheetGrid.Fit
  let pictures: UnitPictures

  /// In memory, of exactly the fitted size, with no metadata.
  func image() throws -> Image {
    // A profile left on it would be taken for the page's.
    let screen = try onScreen(pictures.image(of: reduced)).copy()
    screen.remove("icc-profile-data")
    let shown = try opaque(zoomed(screen))
    return try Image(
      pixels: shown.pixels(),
      width: fit.size.width,
      height: fit.size.height,
      bands: 3
    )
  }

  private func zoomed(_ image: Image) throws -> Image {
    guard fit.zoom > 1 else { return image }
    return try image.call(
      "zoom",
      [.init("xfac", .int(fit.zoom)), .init("yfac", .int(fit.zoom))],
      input: "input"
    )
  }

  private var reduced: Frame {
    fit.zoom > 1 || fit.size == shot.frame.size
      ? shot.frame : shot.frame.geometry { $0.resize(to: fit.size) }
  }

  /// As a screen shows it that knows no color profiles.
  private func onScreen(_ image: Image) throws -> Image {
    let isPlain = image.blob("icc-profile-data").map { ICCProfile($0).isSRGB } ?? true
    if !isPlain { return try image.toSRGB(depth: 8) }
    let shown = try image.format == .ushort ? image.reducedTo8Bit() : image
    return shown.isGray ? try shown.colourspace(.srgb) : shown
  }

  private func opaque(_ image: Image) throws -> Image {
    guard image.hasAlpha else { return image }
    if let background = shot.background { return try image.flattened(on: background) }
    return try Self.checks(fit.size, like: image.extractBands(0, count: 3))
      .overlaid(by: image, left: 0, top: 0)
  }

  /// The checkered ground that stands for transparency.
  private static func checks(_ size: Size, like sample: Image) throws -> Image {
    let side = SheetStyle.checkSide
    let colors = [SheetStyle.lightCheck, SheetStyle.darkCheck].map {
      UInt8(($0.red * 255).rounded())
    }
    var pixels: [UInt8] = []
    for y in 0..<(2 * side) {
      for x in 0..<(2 * side) {
        let color = colors[(x / side + y / side) % 2]
        pixels += [color, color, color]
      }
    }
    return try Image(pixels: pixels, width: 2 * side, height: 2 * side, bands: 3)
      .call(
        "replicate",
        [
          .init("across", .int(size.width / (2 * side) + 1)),
          .init("down", .int(size.height / (2 * side) + 1)),
        ]
      )
      .extractArea(left: 0, top: 0, width: size.width, height: size.height)
  }
}
