import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Tones, gray and text on picture files", .vips)
struct TonesAndTextTests {
  private let output = "[[output]]\nformat = \"png\"\n"

  private func step(_ keys: String) -> String { "[[step]]\nop = \(keys)\n" }

  // MARK: Gray

  /// IEC 61966-2-1.
  private func encoded(_ light: Double) -> Double {
    255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// Field report 19: an RGB profile on a gray picture makes a file that viewers refuse.
  @Test("gray of a picture with a profile is as light as its colors were, and has no profile")
  func profiled() throws {
    let gamma = 2.2
    let bench = try Workbench(step("\"grayscale\"") + output)
    for color in [[30, 160, 90], [200, 60, 40], [250, 20, 10], [128, 128, 128]] as [[UInt8]] {
      let profile = matrixProfile(.displayP3, gamma: gamma)
      let light = color.map { pow(Double($0) / 255, gamma) }
      // In light of sRGB's primaries, which may be beyond what sRGB holds; with the weights of ITU-R
      // BT.709, as for a picture without a profile.
      let plain = Primaries.srgb.light(Primaries.displayP3.xyz(light))
      let wanted = encoded(zip(plain, [0.2126, 0.7152, 0.0722]).map(*).reduce(0, +))
      let image = try Sample.flat(color, width: 8, height: 8).copy()
      image.set("icc-profile-data", blob: profile)
      let outcome = try bench.process(image.encoded(.png), named: "a.png")
      let made = try outcome.image()
      #expect(made.bands == 1 && !made.has("icc-profile-data"))
      #expect(abs(Double(try made.pixels()[0]) - wanted) <= 1.5, "\(color)")
      #expect(outcome.noteCodes == [])
    }
  }

  @Test("luma and mix are those of sRGB, whatever the picture's profile")
  func profiledLuma() throws {
    let color: [UInt8] = [30, 160, 90]
    let image = try Sample.flat(color, width: 8, height: 8).copy()
    image.set("icc-profile-data", blob: matrixProfile(.displayP3, gamma: 2.2))
    let file = try image.encoded(.png)
    let srgb = try Workbench(output).process(file, named: "a.png").image().pixels()
    let weights = [
      ("method = \"luma\"", [0.2126, 0.7152, 0.0722]), ("mix = [1, 0, 0]", [1, 0, 0]),
    ]
    for (keys, weights) in weights {
      let made = try Workbench(step("\"grayscale\"\n\(keys)") + output).process(
        file,
        named: "a.png"
      )
      let wanted = zip(srgb, weights).map { Double($0) * $1 }.reduce(0, +)
      #expect(abs(Double(try made.image().pixels()[0]) - wanted) <= 1)
    }
  }

  @Test("a gray picture goes through as it is; one that was given color does not")
  func alreadyGray() throws {
    let file = try NaivePicture(width: 9, height: 7, bands: 1) { x, y, _ in Double(x * 20 + y) }
      .encoded(.jpeg)
    let keep = "[[output]]\nname = \"same\"\n"
    let copied = try Workbench(step("\"grayscale\"") + keep).process(file, named: "a.jpg")
    #expect(copied.noteCodes == [.copied])
    #expect(try copied.bytes() == file)
    let colored = step("\"pad\"\nborder = 2\nbackground = \"red\"") + step("\"grayscale\"")
    let made = try Workbench(colored + output).process(file, named: "a.jpg").image()
    #expect(made.bands == 1)
    // The luminance of red, 0.2126.
    #expect(abs(Int(try made.pixels()[0]) - 127) <= 1)
  }

  // MARK: Levels

  @Test("levels are those of the picture, whatever the outputs and their sizes")
  func levels() throws {
    let file = try NaivePicture.synthetic(600, 400).encoded(.png)
    let adjust = step("\"adjust\"\nauto-level = true\nclip = 3")
    let full = "[[output]]\nname = \"full\"\nformat = \"png\"\n"
    let small =
      "[[output]]\nname = \"small\"\nformat = \"png\"\n[[output.step]]\nop = \"thumbnail-preview\"\nmax-side = 50\n"
    let alone = try Workbench(adjust + small).process(file, named: "a.png").bytes()
    let together = try Workbench(adjust + full + small).process(file, named: "a.png").bytes(1)
    #expect(alone == together)
    let plain = try Workbench(small).process(file, named: "a.png").bytes()
    #expect(plain != alone)
  }

  // MARK: Text

  private func photograph() throws -> [UInt8] {
    let image = try Sample.flat([40, 80, 120], width: 300, height: 100).copy()
    image.set("exif-ifd0-Model", string: "Nikon & <Co>")
    image.set("exif-ifd2-DateTimeOriginal", string: "2019:05:02 13:45:10")
    return try image.encoded(.jpeg, [.init("Q", .int(100))])
  }

  private func written(_ text: String, named name: String = "Harbor 1.jpg") throws -> [UInt8] {
    let caption = step("\"caption\"\ntext = \"\(text)\"\nsize = 20")
    return try Workbench(caption + output).process(photograph(), named: name).image().pixels()
  }

  @Test(
    "what the picture says of itself is put into the text, once",
    arguments: [
      ("{stem}", "Harbor 1"), ("{name}", "Harbor 1.jpg"), ("{date}", "2019-05-02"),
      ("{date:%d.%m.%Y %H:%M}", "02.05.2019 13:45"), ("{exif:Model}", "Nikon & <Co>"),
      ("© {stem}, {{date}}", "© Harbor 1, {{date}}"), ("a{exif:LensModel}b", "ab"),
    ]
  )
  func variables(_ template: String, _ text: String) throws {
    #expect(try written(template) == written(text))
    #expect(try written(template) != written("something else"))
  }

  @Test("a name is text, whatever it holds", arguments: ["{stem}.jpg", "<b>&amp;.jpg", "a\nb.jpg"])
  func names(_ name: String) throws {
    #expect(try written("{name}", named: name) != written("{exif:LensModel}", named: name))
  }
}
