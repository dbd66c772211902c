import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// 16 bit through profiles, against arithmetic in double precision.
@Suite("Colors of 16 bit are converted as such", .vips)
struct DeepColorTests {
  private let bench: Workbench

  init() throws { bench = try Workbench("[[output]]\nname = \"png\"\nformat = \"png\"\n") }

  /// Powers as a profile can say them: with 8 bits behind the point.
  private static let spaces: [(name: String, primaries: Primaries, gamma: Double)] = [
    ("Adobe RGB", .adobe, 563.0 / 256), ("Display P3", .displayP3, 563.0 / 256),
    ("ProPhoto", .prophoto, 461.0 / 256), ("linear", .srgb, 1),
  ]

  @Test(
    "4096 random colors, what sRGB cannot hold among them, within a tenth of a level of 8 bit",
    arguments: spaces.indices
  )
  func random(_ index: Int) throws {
    let (_, primaries, gamma) = Self.spaces[index]
    var dice = Dice(UInt32(index + 5))
    let picture = NaivePicture(width: 64, height: 64, bands: 3) { _, _, _ in
      Double(dice.next(0...65_535))
    }
    let outcome = try bench.process(
      picture.encoded(.png, profile: matrixProfile(primaries, gamma: gamma), deep: true),
      named: "a.png"
    )
    let made = try outcome.picture()
    #expect(outcome.noteCodes == [.colorConverted])
    #expect(try outcome.image().format == .ushort)
    var greatest = 0.0
    for y in 0..<64 {
      for x in 0..<64 {
        let light = picture.pixel(x, y).map { pow($0 / 65_535, gamma) }
        let wanted = Primaries.srgb.stored.light(primaries.stored.xyz(light)).map {
          srgbLevel($0) * 257
        }
        let difference = zip(made.pixel(x, y), wanted).map { abs($0 - $1) }.max() ?? .infinity
        greatest = max(greatest, difference)
      }
    }
    // lcms alone, through the table it makes, is off by 26 levels of 8 bit here.
    #expect(greatest <= 26, "\(greatest) of 65535")
  }

  @Test(
    "a gradient of dark grays has as many levels after as before: no bands",
    arguments: spaces.indices
  )
  func gradient(_ index: Int) throws {
    let (_, primaries, gamma) = Self.spaces[index]
    // Of 8 bit these are five levels.
    let picture = NaivePicture(width: 1024, height: 2, bands: 3) { x, _, _ in 2000 + Double(x) }
    let made = try bench.process(
      picture.encoded(.png, profile: matrixProfile(primaries, gamma: gamma), deep: true),
      named: "a.png"
    )
    .picture()
    let levels = (0..<1024).map { made[$0, 0, 1] }
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 })
    for x in 0..<1024 {
      let wanted = srgbLevel(pow((2000 + Double(x)) / 65_535, gamma)) * 257
      #expect(abs(levels[x] - wanted) <= 26, "at \(x): \(levels[x]), wanted \(wanted)")
      #expect(abs(made[x, 0, 0] - levels[x]) <= 4 && abs(made[x, 0, 2] - levels[x]) <= 4)
    }
  }

  @Test("gray of 8 and 16 bit is gray of sRGB's curve, to the last level, and alpha stays")
  func gray() throws {
    let profile = grayProfile(gamma: 1.8)
    let deep = NaivePicture(width: 1024, height: 1, bands: 2) { x, _, band in
      band == 0 ? Double(x) * 64 : Double(x)
    }
    let made = try bench.process(deep.encoded(.png, profile: profile, deep: true), named: "a.png")
      .picture()
    #expect(made.bands == 2)
    for x in 0..<1024 {
      let wanted = srgbLevel(pow(Double(x) * 64 / 65_535, 461.0 / 256)) * 257
      #expect(abs(made[x, 0, 0] - wanted) <= 1, "at \(x): \(made[x, 0, 0]), wanted \(wanted)")
      #expect(made[x, 0, 1] == Double(x))
    }
    let plain = NaivePicture(width: 256, height: 1, bands: 1) { x, _, _ in Double(x) }
    let levels = try bench.process(plain.encoded(.png, profile: profile), named: "a.png").picture()
    for x in 0..<256 {
      let wanted = srgbLevel(pow(Double(x) / 255, 461.0 / 256)).rounded()
      #expect(levels[x, 0, 0] == wanted, "at \(x)")
    }
  }

  @Test("a 16-bit picture is converted to the space of an ICC file in 16 bit")
  func toFile() throws {
    try bench.folder.write(matrixProfile(.adobe, gamma: 2.2), to: "adobe.icc")
    let toFile = try Workbench(
      """
      [[output]]
      format = "png"
      color = "\(bench.folder.path.appending("adobe.icc").shown)"
      """
    )
    var dice = Dice(3)
    let picture = NaivePicture(width: 32, height: 32, bands: 3) { _, _, _ in
      Double(dice.next(0...65_535))
    }
    let made = try toFile.process(picture.encoded(.png, deep: true), named: "a.png").picture()
    let gamma = (2.2 * 256).rounded() / 256
    for y in 0..<32 {
      for x in 0..<32 {
        let light = picture.pixel(x, y).map { srgbLight($0 / 257) }
        let wanted = Primaries.adobe.stored.light(Primaries.srgb.stored.xyz(light)).map {
          65_535 * pow(min(1, max(0, $0)), 1 / gamma)
        }
        // A power is steep beside black.
        let difference = zip(made.pixel(x, y), wanted).map { abs($0 - $1) }.max() ?? .infinity
        #expect(difference <= 128, "\(made.pixel(x, y)), wanted \(wanted)")
      }
    }
  }

  @Test("CMYK of 16 bit becomes sRGB of 16 bit")
  func inks() throws {
    let inks = try flatPatch([200 * 257, 60 * 257, 40 * 257]).image16()
      .converted(to: generalCMYK(), depth: 16)
    #expect(inks.format == .ushort && inks.interpretation == .cmyk)
    let outcome = try bench.process(inks.encoded(.tiff), named: "a.tif")
    #expect(outcome.noteCodes == [.colorConverted])
    #expect(try outcome.image().format == .ushort)
    expectPatch(try outcome.picture(), [200 * 257, 60 * 257, 40 * 257], within: 4 * 257)
  }

  @Test("Lab is relative to D50, in 16 bit as in floating point")
  func lab() throws {
    for lab in [[50, 40, 20], [30, 20, -60], [70, -40, 30], [95, 0, 0]] as [[Double]] {
      let wanted = Primaries.srgb.light(xyz(ofLab: lab)).map { srgbLevel($0) * 257 }
      let float = try Image(matrix: [lab]).call(
        "bandfold"
      )
      .copy(interpretation: .lab).cast(.float).call(
        "replicate",
        [.init("across", .int(16)), .init("down", .int(16))]
      )
      let outcome = try bench.process(float.encoded(.tiff), named: "a.tif")
      #expect(Set(outcome.noteCodes) == [.colorConverted, .depthReduced])
      expectPatch(try outcome.picture(), wanted, within: 40)
      // Of whole numbers, as Photoshop writes it.
      let whole = try float.call("Lab2LabS")
      let deep = try bench.process(whole.encoded(.tiff), named: "a.tif")
      #expect(deep.noteCodes == [.colorConverted])
      expectPatch(try deep.picture(), wanted, within: 60)
    }
  }
}
