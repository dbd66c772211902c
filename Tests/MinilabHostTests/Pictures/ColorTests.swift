import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Flat patches whose right values are computed here, from the standards' own numbers.
@Suite("Pictures of every kind look right", .vips)
struct ColorTests {
  private static let toPNG = "[[output]]\nname = \"png\"\nformat = \"png\"\n"
  private static let colors: [[Double]] = [
    [128, 128, 128], [200, 60, 40], [30, 160, 90], [250, 240, 20], [12, 34, 200], [0, 0, 0],
    [255, 255, 255],
  ]

  private func flat(_ color: [Double]) -> NaivePicture {
    NaivePicture(width: 16, height: 16, bands: color.count) { _, _, band in color[band] }
  }

  /// IEC 61966-2-1.
  private func encoded(_ light: Double) -> Double {
    let light = min(1, max(0, light))
    return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  private func inSRGB(_ color: [Double], _ primaries: Primaries, _ gamma: Double) -> [Double] {
    let light = color.map { pow($0 / 255, gamma) }
    return Primaries.srgb.light(primaries.xyz(light)).map(encoded)
  }

  private func expect(
    _ made: NaivePicture,
    _ wanted: [Double],
    within levels: Double = 2,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(made.bands == wanted.count, sourceLocation: location)
    let pixel = made.pixel(8, 8)
    let difference = zip(pixel, wanted).map { abs($0 - $1) }.max() ?? 255
    #expect(difference <= levels, "\(pixel), wanted \(wanted)", sourceLocation: location)
  }

  @Test("P3 and Adobe RGB become sRGB through their primaries, 8 and 16 bit")
  func wideGamut() throws {
    let bench = try Workbench(Self.toPNG)
    let spaces: [(Primaries, Double)] = [(.displayP3, 2.2), (.adobe, 2.19921875)]
    for (primaries, gamma) in spaces {
      let profile = matrixProfile(primaries, gamma: gamma)
      for color in Self.colors {
        let wanted = inSRGB(color, primaries, gamma)
        let outcome = try bench.process(
          flat(color).encoded(.png, profile: profile),
          named: "a.png"
        )
        #expect(outcome.noteCodes == [.colorConverted])
        expect(try outcome.picture(), wanted)
        #expect(try !outcome.image().has("icc-profile-data"))
        let deep = try bench.process(
          flat(color.map { $0 * 257 }).encoded(.png, profile: profile, deep: true),
          named: "a.png"
        )
        expect(try deep.picture(), wanted.map { $0 * 257 }, within: 2 * 257)
      }
    }
    // The conversion is no small thing: green of Adobe RGB is another green.
    #expect(abs(inSRGB([30, 160, 90], .adobe, 2.19921875)[0] - 30) > 20)
  }

  @Test("color = \"keep\" leaves numbers and profile as they are")
  func kept() throws {
    let bench = try Workbench(Self.toPNG + "color = \"keep\"")
    let profile = matrixProfile(.adobe, gamma: 2.2)
    let outcome = try bench.process(
      flat([30, 160, 90]).encoded(.png, profile: profile),
      named: "a.png"
    )
    expect(try outcome.picture(), [30, 160, 90], within: 0)
    #expect(try outcome.image().blob("icc-profile-data") == profile)
  }

  @Test("a wide color that is resized and turned is converted once, at the end")
  func convertedOnce() throws {
    let bench = try Workbench(
      "[[step]]\nop = \"orient\"\n[[step]]\nop = \"thumbnail-preview\"\nmax-side = 9\n" + Self.toPNG
    )
    let outcome = try bench.process(
      flat([30, 160, 90]).encoded(.png, profile: matrixProfile(.displayP3, gamma: 2.2)),
      named: "a.png"
    )
    let made = try outcome.picture()
    #expect(made.size == Size(width: 9, height: 9))
    expect(made, inSRGB([30, 160, 90], .displayP3, 2.2))
    #expect(outcome.noteCodes.filter { $0 == .colorConverted }.count == 1)
  }

  @Test("gray with a gray profile becomes gray of sRGB's curve, with and without alpha")
  func grayProfiles() throws {
    let bench = try Workbench(Self.toPNG)
    for level in [0, 40, 128, 200, 255] as [Double] {
      let wanted = encoded(pow(level / 255, 1.8))
      let outcome = try bench.process(
        flat([level]).encoded(.png, profile: grayProfile(gamma: 1.8)),
        named: "a.png"
      )
      expect(try outcome.picture(), [wanted])
      let clear = try bench.process(
        flat([level, 100]).encoded(.png, profile: grayProfile(gamma: 1.8)),
        named: "a.png"
      )
      expect(try clear.picture(), [wanted, 100])
    }
  }

  @Test("a profile with alpha: the colors are converted, the alpha is not")
  func profileWithAlpha() throws {
    let bench = try Workbench(Self.toPNG)
    let wanted = inSRGB([30, 160, 90], .adobe, 2.19921875)
    let profile = matrixProfile(.adobe, gamma: 2.19921875)
    for alpha in [0, 77, 255] as [Double] {
      let outcome = try bench.process(
        flat([30, 160, 90, alpha]).encoded(.png, profile: profile),
        named: "a.png"
      )
      expect(try outcome.picture(), wanted + [alpha])
    }
  }

  @Test("CMYK becomes sRGB, through its own profile or a general one, with a note")
  func cmyk() throws {
    let bench = try Workbench(Self.toPNG)
    // What LittleCMS, asked directly, makes of these colors on the way to the inks of libvips' general
    // profile and back.
    let colors: [(color: [Double], printed: [Double])] = [
      ([180, 90, 70], [179, 89, 71]), ([128, 128, 128], [119, 119, 119]),
      ([240, 230, 220], [233, 226, 217]), ([60, 90, 60], [58, 89, 60]),
    ]
    for (color, printed) in colors {
      let inks = try flat(color).image().call(
        "icc_transform",
        [
          .init("output-profile", .string("cmyk")), .init("input-profile", .string("srgb")),
          .init("intent", .enumeration("relative")),
          .init("black-point-compensation", .bool(true)),
        ]
      )
      #expect(inks.interpretation == .cmyk)
      for isTagged in [true, false] {
        let file = try inks.copy()
        if !isTagged { file.remove("icc-profile-data") }
        let outcome = try bench.process(
          file.encoded(.jpeg, [.init("Q", .int(100))]),
          named: "a.jpg"
        )
        #expect(outcome.noteCodes.contains(.colorConverted))
        let image = try outcome.image()
        #expect(image.bands == 3)
        #expect(image.format == .uchar)
        expect(try outcome.picture(), printed, within: 3)
      }
    }
  }

  @Test("palettes of 1, 2, 4 and 8 bits, with and without transparency")
  func palettes() throws {
    let bench = try Workbench(Self.toPNG)
    let few: [[Double]] = [[200, 30, 40], [10, 220, 30]]
    let picture = NaivePicture(width: 24, height: 16, bands: 3) { x, y, band in
      few[(x / 3 + y / 4) % 2][band]
    }
    for bits in [1, 2, 4, 8] {
      let bytes = try picture.encoded(
        .png,
        [.init("palette", .bool(true)), .init("bitdepth", .int(bits)), .init("dither", .double(0))]
      )
      let made = try bench.process(bytes, named: "a.png").picture()
      #expect(made.bands == 3)
      #expect(made.greatestDifference(from: picture) <= 2, "\(bits) bits")
    }
    let gif = try bench.process(
      picture.encoded(.gif, [.init("dither", .double(0))]),
      named: "a.gif"
    )
    let colors = try NaivePicture(gif.image().extractBands(0, count: 3))
    #expect(colors.greatestDifference(from: picture) <= 4)
  }

  @Test("1, 2 and 4 bit gray in TIFF and PNG are black, white and the grays between")
  func fewBits() throws {
    let bench = try Workbench(Self.toPNG)
    for bits in [1, 2, 4] {
      let steps = Double(1 << bits - 1)
      let picture = NaivePicture(width: 32, height: 8, bands: 1) { x, _, _ in
        (Double(x % (1 << bits)) / steps * 255).rounded()
      }
      for format in [PictureFormat.png, .tiff] {
        let bytes = try picture.encoded(format, [.init("bitdepth", .int(bits))])
        let made = try bench.process(bytes, named: "a.\(format.fileExtension)").picture()
        let gray = NaivePicture(width: 32, height: 8, bands: 1) { x, y, _ in made[x, y, 0] }
        #expect(gray.greatestDifference(from: picture) <= 1, "\(bits) bits of \(format)")
      }
    }
  }

  @Test("transparency goes onto the background in JPEG, exactly, with a note")
  func flattened() throws {
    for (name, background) in [
      ("white", [255, 255, 255]), ("black", [0, 0, 0]), ("#336699", [51, 102, 153]),
    ] as [(String, [Double])] {
      let bench = try Workbench(
        "[[output]]\nformat = \"jpeg\"\nquality = 100\nbackground = \"\(name)\""
      )
      for alpha in [0, 64, 128, 255] as [Double] {
        let color: [Double] = [200, 60, 40]
        let wanted = zip(color, background).map { ($0 * alpha + $1 * (255 - alpha)) / 255 }
        let outcome = try bench.process(flat(color + [alpha]).encoded(.png), named: "a.png")
        #expect(outcome.noteCodes == (alpha < 255 ? [.alphaFlattened] : []))
        expect(try outcome.picture(), wanted, within: 3)
        let deep = try bench.process(
          flat((color + [alpha]).map { $0 * 257 }).encoded(.png, deep: true),
          named: "a.png"
        )
        expect(try deep.picture(), wanted, within: 3)
      }
      let gray = try bench.process(flat([100, 128]).encoded(.png), named: "a.png")
      let wanted = background.map { ($0 * 127 + 100 * 128) / 255 }
      expect(try gray.picture(), name == "#336699" ? wanted : [wanted[0]], within: 3)
    }
  }

  @Test("a background is the same color in a picture with a profile")
  func flattenedWithProfile() throws {
    let bench = try Workbench(
      "[[output]]\nformat = \"jpeg\"\nquality = 100\nbackground = \"#336699\""
    )
    let profile = matrixProfile(.adobe, gamma: 2.19921875)
    let outcome = try bench.process(
      flat([9, 9, 9, 0]).encoded(.png, profile: profile),
      named: "a.png"
    )
    expect(try outcome.picture(), [51, 102, 153], within: 3)
  }

  @Test("TGA is read from whichever corner it is stored")
  func tgaOrigins() throws {
    let bench = try Workbench(
      "[input]\nformats = \"all\"\n[[step]]\nop = \"orient\"\n" + Self.toPNG
    )
    let picture = try NaivePicture(NaivePicture.synthetic(20, 13).image())
    for fromTop in [true, false] {
      for fromLeft in [true, false] {
        let bytes = tga(picture, fromTop: fromTop, fromLeft: fromLeft)
        let made = try bench.process(bytes, named: "a.tga").picture()
        #expect(
          made.greatestDifference(from: picture) == 0,
          "from \(fromTop ? "top" : "bottom") \(fromLeft ? "left" : "right")"
        )
      }
    }
  }

  @Test("the intent is relative wherever the profile has it, and perceptual where it has only that")
  func intents() {
    func intent(_ profile: [UInt8]) -> [RenderingIntent] {
      [true, false].map { RenderingIntent(of: profile, isSource: $0) }
    }
    #expect(intent(matrixProfile(.srgb, gamma: 2.2)) == [.relative, .relative])
    #expect(intent(grayProfile(gamma: 2.2)) == [.relative, .relative])
    #expect(intent(profile(tables: ["A2B0", "B2A0"])) == [.perceptual, .perceptual])
    #expect(intent(profile(tables: ["A2B0", "A2B1", "B2A0"])) == [.relative, .perceptual])
    #expect(intent(profile(tables: ["A2B0", "rXYZ"])) == [.relative, .relative])
    #expect(intent([]) == [.relative, .relative])
    #expect(intent(Array(profile(tables: ["A2B0"]).prefix(140))) == [.relative, .relative])
  }

  @Test("Radiance HDR is light: it becomes sRGB, opaque, with a note")
  func radiance() throws {
    let bench = try Workbench(
      "[input]\nformats = \"all\"\n" + Self.toPNG + "[[output]]\nformat = \"jpeg\"\n"
    )
    let target = try Target()
    try flat([200, 60, 40]).image().colourspace(.scrgb).call("float2rad")
      .save("radsave_target", to: target)
    let path = try bench.folder.write(target.bytes, to: "in/a.hdr")
    #expect(try bench.probe(path).error == nil)
    let outcome = try bench.process(path)
    #expect(outcome.noteCodes.contains(.colorConverted))
    #expect(!outcome.noteCodes.contains(.alphaFlattened))
    expect(try outcome.picture(), [200, 60, 40])
    expect(try outcome.picture(1), [200, 60, 40], within: 6)
  }

  @Test("32-bit whole numbers become 16 bit, signed ones are refused, with words for it")
  func wideSamples() throws {
    let bench = try Workbench(Self.toPNG)
    let gray = try flat([40_000]).image16()
    let wide = try gray.call(
      "cast",
      [.init("format", .enumeration("uint")), .init("shift", .bool(true))]
    )
    let outcome = try bench.process(wide.encoded(.tiff), named: "a.tif")
    #expect(outcome.noteCodes.contains(.depthReduced))
    expect(try outcome.picture(), [40_000], within: 1)
    for format in ["char", "short", "int"] {
      let signed = try flat([40]).image().call("cast", [.init("format", .enumeration(format))])
      let refused = try bench.process(signed.encoded(.tiff), named: "a.tif")
      #expect(refused.result.error?.code == .unsupported)
      #expect(refused.result.error?.received == "samples with a sign")
    }
  }

  @Test("metadata = \"none\" leaves the color profile, and nothing that anybody wrote")
  func noMetadata() throws {
    let profile = matrixProfile(.displayP3, gamma: 2.2)
    let secret = Array("seven secrets".utf8)
    func holds(_ bytes: [UInt8]) -> Bool {
      bytes.indices.contains { bytes[$0...].starts(with: secret) }
    }
    for format in ["jpeg", "png", "webp", "tiff"] {
      for color in ["srgb", "keep"] {
        let bench = try Workbench(
          """
          [[output]]
          name = "none"
          format = "\(format)"
          metadata = "none"
          color = "\(color)"
          [[output]]
          name = "all"
          format = "\(format)"
          """
        )
        let image = try flat([30, 160, 90]).image().copy()
        image.set("icc-profile-data", blob: profile)
        image.set("exif-data", blob: exifBlock(orientation: 6, description: "seven secrets"))
        image.set("xmp-data", blob: secret)
        image.set("iptc-data", blob: secret + [0])
        let bytes = try image.encoded(.jpeg)
        #expect(holds(bytes))
        let outcome = try bench.process(bytes, named: "a.jpg")
        #expect(try !holds(outcome.bytes()), "\(format) \(color)")
        #expect(try holds(outcome.bytes(1)), "\(format) \(color)")
        let made = try outcome.image()
        #expect([nil, 1].contains(made.int("orientation")), "\(format) \(color)")
        #expect(made.has("icc-profile-data") == (color == "keep"), "\(format) \(color)")
      }
    }
  }
}
