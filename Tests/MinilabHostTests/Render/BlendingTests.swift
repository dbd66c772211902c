import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Averages of transparent pixels and of light", .vips)
struct BlendingTests {
  private func reduced(_ image: Image, to size: Size, linear: Bool = false) throws -> NaivePicture {
    var geometry = Geometry(source: Size(width: image.width, height: image.height))
    geometry.resize(to: size, linear: linear)
    return try NaivePicture(Resample(geometry: geometry, raster: ImageRaster(image: image)).image())
  }

  @Test(
    "a red disc on transparent black or white has no dark or light edge (field report 11)",
    arguments: [0.0, 255]
  )
  func halo(_ hidden: Double) throws {
    let disc = NaivePicture(width: 96, height: 96, bands: 4) { x, y, band in
      let isInside = (x - 48) * (x - 48) + (y - 48) * (y - 48) < 36 * 36
      return isInside ? [200, 0, 0, 255][band] : [hidden, hidden, hidden, 0][band]
    }
    for size in [24, 23, 50, 130] {
      let made = try reduced(disc.image(), to: Size(width: size, height: size))
      var seen = 0
      for y in 0..<size {
        for x in 0..<size where made[x, y, 3] > 8 {
          seen += 1
          let pixel = made.pixel(x, y)
          #expect(
            abs(pixel[0] - 200) <= 1 && pixel[1] <= 1 && pixel[2] <= 1,
            "\(pixel) at \(x), \(y)"
          )
        }
      }
      #expect(seen > size * size / 4)
      #expect(made[0, 0, 3] == 0)
    }
  }

  @Test("the same in 16 bit")
  func halo16() throws {
    let disc = NaivePicture(width: 64, height: 64, bands: 4) { x, y, band in
      let isInside = (x - 32) * (x - 32) + (y - 32) * (y - 32) < 24 * 24
      return isInside ? [65_535, 0, 0, 65_535][band] : 0
    }
    let made = try reduced(disc.image16(), to: Size(width: 16, height: 16))
    for y in 0..<16 {
      for x in 0..<16 where made[x, y, 3] > 8 * 257 {
        #expect(made[x, y, 0] >= 65_535 - 257)
      }
    }
    #expect(made[8, 8, 3] == 65_535)
  }

  @Test("gray with alpha")
  func grayHalo() throws {
    let disc = NaivePicture(width: 64, height: 64, bands: 2) { x, _, band in
      x < 33 ? [200, 255][band] : 0
    }
    let made = try reduced(disc.image(), to: Size(width: 16, height: 16))
    for x in 0..<16 where made[x, 8, 1] > 8 { #expect(abs(made[x, 8, 0] - 200) <= 1) }
    #expect(made[15, 8, 1] == 0)
  }

  // MARK: Linear light

  /// IEC 61966-2-1.
  private func light(_ level: Double) -> Double {
    let v = level / 255
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
  }

  private func level(_ light: Double) -> Double {
    255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  @Test("black and white lines become the gray of half the light, not of half the number")
  func lines() throws {
    let lines = NaivePicture(width: 64, height: 64, bands: 3) { x, _, _ in x % 2 == 0 ? 0 : 255 }
    let linear = try reduced(lines.image(), to: Size(width: 16, height: 16), linear: true)
    #expect(abs(linear[8, 8, 0] - level(0.5)) <= 1)
    let plain = try reduced(lines.image(), to: Size(width: 16, height: 16))
    #expect(abs(plain[8, 8, 0] - 127.5) <= 2)
  }

  @Test("a picture is averaged as its light is", arguments: [1, 3, 4])
  func average(_ bands: Int) throws {
    let picture = NaivePicture.synthetic(80, 60, bands: bands)
    let lit = NaivePicture(width: 80, height: 60, bands: bands) { x, y, band in
      band == 3 ? 255 : light(picture[x, y, band]) * 255
    }
    var opaque = picture
    if bands == 4 {
      for y in 0..<60 { for x in 0..<80 { opaque[x, y, 3] = 255 } }
    }
    var geometry = Geometry(source: picture.size)
    geometry.resize(to: Size(width: 20, height: 15))
    let made = try reduced(opaque.image(), to: geometry.size, linear: true)
    let wanted = NaiveResampler.aligned(lit, geometry.map, geometry.size).clipped()
    let leveled = NaivePicture(width: 20, height: 15, bands: bands) { x, y, band in
      band == 3 ? 255 : level(wanted[x, y, band] / 255)
    }
    #expect(made.meanDifference(from: leveled) < 1)
  }

  @Test("a flat color stays what it is, in 8 and 16 bit, with and without alpha")
  func flat() throws {
    for linear in [false, true] {
      for bands in 1...4 {
        let color = [181, 93, 17, 128].suffix(bands)
        let pixel = bands % 2 == 0 ? Array(color) : Array([181, 93, 17].prefix(bands))
        let flat = NaivePicture(width: 50, height: 40, bands: bands) { _, _, band in
          Double(pixel[band])
        }
        let made = try reduced(flat.image(), to: Size(width: 21, height: 17), linear: linear)
        #expect(made.bands == bands)
        for band in 0..<bands {
          #expect(abs(made[10, 8, band] - Double(pixel[band])) <= 1, "\(bands) bands, \(linear)")
        }
        let deep = NaivePicture(width: 50, height: 40, bands: bands) { _, _, band in
          Double(pixel[band]) * 257
        }
        let made16 = try reduced(deep.image16(), to: Size(width: 21, height: 17), linear: linear)
        for band in 0..<bands {
          #expect(
            abs(made16[10, 8, band] - Double(pixel[band]) * 257) <= (linear ? 140 : 40),
            "\(bands) bands of 16 bit, \(linear)"
          )
        }
      }
    }
  }
}
