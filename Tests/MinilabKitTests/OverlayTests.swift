import MinilabKit
import TestSupport
import Testing
import Vips

@Suite("Pixels laid over pixels", .vips)
struct OverlayTests {
  private let levels: [UInt8] = [0, 1, 50, 128, 200, 254, 255]

  /// One row: every level of the mask.
  private func mask() throws -> Image {
    try Image(pixels: levels, width: levels.count, height: 1, bands: 1)
  }

  private func base(_ samples: [UInt8]) throws -> Image {
    try Sample.flat(samples, width: levels.count, height: 1)
  }

  /// Porter and Duff's `over` on straight alpha, all in 0…1.
  private func over(
    _ top: [Double],
    _ strength: Double,
    _ bottom: [Double],
    _ alpha: Double
  )
    -> [Double]
  {
    let sum = strength + alpha * (1 - strength)
    let colors = zip(top, bottom).map {
      sum == 0 ? 0 : ($0 * strength + $1 * alpha * (1 - strength)) / sum
    }
    return colors + [sum]
  }

  @Test(
    "a color goes on as far as mask and alpha say",
    arguments: [
      [90, 60, 200], [90, 60, 200, 255], [90, 60, 200, 100], [90, 60, 200, 0], [70], [70, 30],
    ]
  )
  func painted(_ samples: [UInt8]) throws {
    let isGray = samples.count < 3
    for alpha in [1, 0.4] {
      let color =
        isGray
        ? Color(red: 0.8, green: 0.8, blue: 0.8, alpha: alpha)
        : Color(red: 1, green: 0.4, blue: 0.2, alpha: alpha)
      let top = isGray ? [0.8] : [1, 0.4, 0.2]
      let colors = isGray ? 1 : 3
      let hasAlpha = samples.count > colors
      let image = try base(samples).painted(color, through: mask())
      #expect(image.bands == samples.count && image.format == .uchar)
      for (x, level) in levels.enumerated() {
        let wanted = over(
          top,
          Double(level) / 255 * alpha,
          samples.prefix(colors).map { Double($0) / 255 },
          hasAlpha ? Double(samples[colors]) / 255 : 1
        )
        .prefix(samples.count).map { $0 * 255 }
        let made = try image.samples(x: x, y: 0).map(Double.init)
        // What cannot be seen at all has any color.
        if hasAlpha, wanted[colors] < 0.5 { continue }
        if level == 0 {
          #expect(made == samples.map(Double.init))
          continue
        }
        // A nearly transparent color is told by few levels.
        let room = hasAlpha ? 1 + 128 / max(1, made[colors]) : 1
        for (one, two) in zip(made, wanted) {
          #expect(abs(one - two) <= room, "\(samples) \(level): \(made), not \(wanted)")
        }
      }
    }
  }

  @Test("16 bits keep their depth")
  func deep() throws {
    let image = try Image(
      pixels16: [UInt16](repeating: 1000, count: levels.count * 3),
      width: levels.count,
      height: 1,
      bands: 3
    )
    let made = try image.painted(.white, through: mask()).pixels16()
    for (x, level) in levels.enumerated() {
      let part = Double(level) / 255
      #expect(abs(Double(made[x * 3]) - (65_535 * part + 1000 * (1 - part))) <= 1)
    }
  }

  @Test("a color on gray makes it colored")
  func colored() throws {
    let image = try base([70]).painted(Color(red: 1, green: 0, blue: 0), through: mask())
    #expect(try image.samples(x: 0, y: 0) == [70, 70, 70])
    #expect(try image.samples(x: levels.count - 1, y: 0) == [255, 0, 0])
  }

  @Test("a layer lies where it is put, cut at the edges, as strong as its opacity")
  func overlaid() throws {
    let picture = try Sample.flat([10, 20, 30], width: 8, height: 6)
    let layer = try Sample.flat([200, 100, 50, 255], width: 4, height: 4)
    let image = try picture.overlaid(by: layer, left: 6, top: -2, opacity: 0.5)
    for y in 0..<6 {
      for x in 0..<8 {
        let isCovered = x >= 6 && y < 2
        let wanted: [UInt8] = isCovered ? [105, 60, 40] : [10, 20, 30]
        for (one, two) in zip(try image.samples(x: x, y: y), wanted) {
          #expect(abs(Int(one) - Int(two)) <= 1, "\(x), \(y)")
        }
      }
    }
  }

  @Test("resolution, profile and other metadata stay the picture's")
  func metadata() throws {
    let picture = try Sample.flat([10, 20, 30], width: 7, height: 1)
      .copy([.init("xres", .double(11.8)), .init("yres", .double(11.8))])
    picture.set("xmp-data", blob: [1, 2, 3])
    let text = try #require(try TextBlock("x", size: 9).coverage())
    let mask = try text.embed(left: 0, top: 0, width: 7, height: 1, extend: "black")
    let image = try picture.painted(.white, through: mask)
    #expect(abs(image.resolution.x - 11.8) < 1e-6)
    #expect(image.blob("xmp-data") == [1, 2, 3])
    #expect(image.cutTop == 0)
  }
}
