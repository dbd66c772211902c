import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// `color`, `gray` and `embed-profile` of an output.
@Suite("An output's color space", .vips)
struct OutputColorTests {
  private let color: [Double] = [200, 60, 40]
  private let adobe = matrixProfile(.adobe, gamma: 563.0 / 256)

  private func process(
    _ bytes: [UInt8],
    _ keys: String,
    format: String = "png",
    files: [String: [UInt8]] = [:],
    named name: String = "a.png"
  ) throws -> Workbench.Outcome {
    let folder = try ScratchFolder()
    var keys = keys
    for (file, bytes) in files {
      let path = try folder.write(bytes, to: file)
      keys = keys.replacing("<\(file)>", with: path.shown)
    }
    return try Workbench("[[output]]\nformat = \"\(format)\"\n" + keys).process(bytes, named: name)
  }

  /// In the numbers of other primaries.
  private func inSpace(
    _ color: [Double],
    _ primaries: Primaries,
    _ level: (Double) -> Double
  )
    -> [Double]
  {
    primaries.light(Primaries.srgb.xyz(color.map(srgbLight))).map(level)
  }

  // MARK: color

  @Test(
    "color = \"p3\": other numbers, a note, and a profile of half a kilobyte that says so",
    arguments: ["png", "jpeg", "webp", "tiff", "avif", "heif", "jxl"]
  )
  func displayP3(_ format: String) throws {
    let wanted = inSpace(color, .displayP3, srgbLevel)
    // Red of sRGB is a duller red of P3.
    #expect(abs(wanted[0] - 200) > 10)
    let outcome = try process(flatPatch(color).encoded(.png), "color = \"p3\"", format: format)
    #expect(outcome.result.notes.map(\.text) == ["colors were converted from sRGB to Display P3"])
    #expect(outcome.noteCodes == [.colorConverted])
    expectPatch(try outcome.picture(), wanted, within: format == "png" || format == "tiff" ? 1 : 4)
    let embedded = try #require(outcome.image().blob("icc-profile-data"))
    // JPEG XL has the space by its name, of which the decoder makes a profile.
    #expect(
      format == "jxl"
        ? ICCProfile(embedded).meansTheSame(as: .displayP3) : embedded == ICCProfile.displayP3.bytes
    )
    #expect(ICCProfile.displayP3.bytes.count < 512)
  }

  @Test("color = \"p3\" leaves what is P3, under any name, to its numbers and its own profile")
  func alreadyP3() throws {
    // The primaries of another program's rounding, and the curve as a table.
    let theirs = matrixProfile(
      .displayP3,
      table: (0...1023).map { srgbLight(Double($0) / 1023 * 255) }
    )
    let outcome = try process(
      flatPatch(color).encoded(.png, profile: theirs),
      "effort = 1\ncolor = \"p3\""
    )
    #expect(outcome.noteCodes == [])
    expectPatch(try outcome.picture(), color, within: 0)
    #expect(try outcome.image().blob("icc-profile-data") == theirs)
    // A power is another curve.
    let power = try process(
      flatPatch(color).encoded(.png, profile: matrixProfile(.displayP3, gamma: 2.2)),
      "color = \"p3\""
    )
    #expect(power.noteCodes == [.colorConverted])
  }

  @Test("an ICC file: colors are converted to it, and it is embedded as it is")
  func file() throws {
    let keys = "color = \"<wide.icc>\""
    let wanted = inSpace(color, .adobe) { 255 * pow(max(0, $0), 256.0 / 563) }
    let outcome = try process(flatPatch(color).encoded(.png), keys, files: ["wide.icc": adobe])
    #expect(outcome.result.notes.map(\.text) == ["colors were converted from sRGB to \"test\""])
    expectPatch(try outcome.picture(), wanted, within: 1)
    #expect(try outcome.image().blob("icc-profile-data") == adobe)
    // What the file says decides, and not its name.
    let linear = try process(
      flatPatch(color).encoded(.png),
      keys,
      files: ["wide.icc": matrixProfile(.srgb, gamma: 1)]
    )
    expectPatch(try linear.picture(), color.map { srgbLight($0) * 255 }, within: 1)
    // Straight from one profile to the other: a color that sRGB cannot hold is not cut off.
    let green: [Double] = [60, 230, 60]
    let light = green.map { pow($0 / 255, 1.8 / 1) }
    let direct = try process(
      flatPatch(green).encoded(.png, profile: matrixProfile(.displayP3, gamma: 1.8)),
      keys,
      files: ["wide.icc": adobe]
    )
    let straight = Primaries.adobe.light(Primaries.displayP3.xyz(light)).map {
      255 * pow(max(0, $0), 256.0 / 563)
    }
    expectPatch(try direct.picture(), straight, within: 1.5)
  }

  @Test("an ICC file is looked for beside the profile")
  func besideTheProfile() throws {
    let folder = try ScratchFolder()
    try folder.write(adobe, to: "sub/wide.icc")
    let file = try folder.write(
      "profile = 1\n[[output]]\ncolor = \"wide.icc\"\n",
      to: "sub/a.toml"
    )
    let output = try #require(ProfileLoader.load(file, operations: []).outputs.first)
    guard case .profile(let reference, let profile) = output.settings.color else {
      Issue.record("\(output.settings.color)")
      return
    }
    #expect(reference.path == folder.path.appending("sub/wide.icc"))
    #expect(profile.bytes == adobe)
    #expect(output.settings.color.literal == "\"wide.icc\"")
  }

  @Test(
    "a CMYK file: inks in JPEG and TIFF, on the background, that look like the colors",
    arguments: [
      "jpeg", "tiff",
    ]
  )
  func inks(_ format: String) throws {
    let general = try generalCMYK()
    let outcome = try process(
      flatPatch(color + [128]).encoded(.png),
      "color = \"<inks.icc>\"\nbackground = \"black\"\n"
        + (format == "jpeg" ? "quality = 100" : ""),
      format: format,
      files: ["inks.icc": general]
    )
    #expect(outcome.noteCodes == [.alphaFlattened, .colorConverted])
    let made = try outcome.image()
    #expect(made.interpretation == .cmyk && made.bands == 4)
    #expect(made.blob("icc-profile-data") == general)
    let seen = try NaivePicture(made.toSRGB(depth: 8))
    expectPatch(seen, color.map { $0 * 128 / 255 }, within: 6)
  }

  @Test("color = \"keep\" in GIF, which holds no profile: the colors are kept, not the numbers")
  func keptInGIF() throws {
    let image = try flatPatch([30, 160, 90]).encoded(.png, profile: adobe)
    let light = [30.0, 160, 90].map { pow($0 / 255, 563.0 / 256) }
    let wanted = Primaries.srgb.light(Primaries.adobe.xyz(light)).map(srgbLevel)
    for color in ["keep", "p3"] {
      let outcome = try process(image, "color = \"\(color)\"", format: "gif")
      #expect(
        outcome.result.notes.map(\.text) == [
          "colors were converted from \"test\" to sRGB, as GIF holds no profile"
        ]
      )
      let made = try NaivePicture(outcome.image().extractBands(0, count: 3))
      expectPatch(made, wanted, within: 3)
    }
    let plain = try process(flatPatch(color).encoded(.png), "color = \"p3\"", format: "gif")
    #expect(plain.noteCodes == [])
  }

  // MARK: gray

  @Test("gray stays in one channel unless gray = \"color\" asks, whatever the color is")
  func gray() throws {
    for value in ["srgb", "p3", "keep", "<wide.icc>"] {
      let kept = try process(
        flatPatch([77]).encoded(.png),
        "effort = 1\ncolor = \"\(value)\"",
        files: ["wide.icc": adobe]
      )
      #expect(kept.noteCodes == [])
      expectPatch(try kept.picture(), [77], within: 0, value)
      let asked = try process(
        flatPatch([77]).encoded(.png),
        "gray = \"color\"\ncolor = \"\(value)\"",
        files: ["wide.icc": adobe]
      )
      #expect(asked.noteCodes == [.colorConverted])
      let level = value.hasPrefix("<") ? 255 * pow(srgbLight(77), 256.0 / 563) : 77
      expectPatch(try asked.picture(), [level, level, level], within: 1, value)
    }
    let alpha = try process(flatPatch([77, 9]).encoded(.png), "gray = \"color\"")
    expectPatch(try alpha.picture(), [77, 77, 77, 9], within: 0)
  }

  @Test("gray with a profile becomes color through it")
  func grayOfAProfile() throws {
    let image = try flatPatch([128]).encoded(.png, profile: grayProfile(gamma: 461.0 / 256))
    let level = srgbLevel(pow(128 / 255, 461.0 / 256))
    for value in ["srgb", "keep", "p3"] {
      let outcome = try process(image, "gray = \"color\"\ncolor = \"\(value)\"")
      expectPatch(try outcome.picture(), [level, level, level], within: 1, value)
      #expect(outcome.noteCodes == [.colorConverted])
    }
    let kept = try process(image, "color = \"keep\"")
    expectPatch(try kept.picture(), [128], within: 0)
  }

  @Test("a gray ICC file takes the color away, and is the curve of gray pictures")
  func toGray() throws {
    let file = grayProfile(gamma: 461.0 / 256)
    let keys = "color = \"<gray.icc>\""
    let light = zip(color.map(srgbLight), [0.22249, 0.71687, 0.06061]).map(*).reduce(0, +)
    let outcome = try process(flatPatch(color).encoded(.png), keys, files: ["gray.icc": file])
    expectPatch(try outcome.picture(), [255 * pow(light, 256.0 / 461)], within: 1)
    #expect(outcome.noteCodes == [.colorConverted])
    #expect(try outcome.image().blob("icc-profile-data") == file)
    let gray = try process(flatPatch([90]).encoded(.png), keys, files: ["gray.icc": file])
    expectPatch(try gray.picture(), [255 * pow(srgbLight(90), 256.0 / 461)], within: 1)
    #expect(try gray.image().blob("icc-profile-data") == file)
  }

  @Test("a background with a hue below gray that has a profile of its own is that color")
  func hueBelowGray() throws {
    let image = try flatPatch([128, 0]).encoded(.png, profile: grayProfile(gamma: 1.8))
    let outcome = try process(
      image,
      "color = \"keep\"\nquality = 100\nbackground = \"#336699\"",
      format: "jpeg"
    )
    expectPatch(try outcome.picture(), [51, 102, 153], within: 3)
  }

  // MARK: embed-profile

  @Test(
    "embed-profile, by the space of the colors: always, never, or where it is not sRGB",
    arguments: ["jpeg", "png", "webp", "tiff", "avif", "heif"]
  )
  func embedding(_ format: String) throws {
    let plain = try flatPatch(color).encoded(.png)
    let gray = try flatPatch([77]).encoded(.png)
    let wide = try flatPatch(color).encoded(.png, profile: adobe)
    func embedded(_ picture: [UInt8], _ keys: String) throws -> [UInt8]? {
      try process(picture, keys, format: format).image().blob("icc-profile-data")
    }
    #expect(try embedded(plain, "") == nil)
    #expect(try embedded(plain, "embed-profile = true") == ICCProfile.sRGB.bytes)
    #expect(
      try embedded(plain, "embed-profile = true\nmetadata = \"none\"") == ICCProfile.sRGB.bytes
    )
    #expect(try embedded(wide, "embed-profile = true") == ICCProfile.sRGB.bytes)
    #expect(try embedded(wide, "embed-profile = true\ncolor = \"keep\"") == adobe)
    #expect(try embedded(wide, "embed-profile = \"auto\"\ncolor = \"keep\"") == adobe)
    #expect(try embedded(plain, "embed-profile = \"auto\"\ncolor = \"p3\"") != nil)
    // Some formats have no gray: the profile is of the picture that is handed to them.
    let tagged = try embedded(gray, "embed-profile = true")
    #expect(tagged == ICCProfile.gray.bytes || tagged == ICCProfile.sRGB.bytes)
    #expect(ICCProfile.sRGB.bytes.count < 512 && ICCProfile.gray.bytes.count < 512)
    let lost = try process(wide, "embed-profile = false\ncolor = \"keep\"", format: format)
    #expect(lost.noteCodes == [.profileDropped])
    #expect(try !lost.image().has("icc-profile-data"))
    let never = try process(plain, "embed-profile = false", format: format)
    #expect(never.noteCodes.filter { $0 != .copied } == [])
    #expect(try !never.image().has("icc-profile-data"))
  }

  @Test("JPEG XL always tells its space: what is kept has the picture's, what has none is sRGB")
  func embeddingInJXL() throws {
    let plain = try flatPatch(color).encoded(.png)
    let wide = try flatPatch(color).encoded(.png, profile: adobe)
    for lossless in ["", "lossless = true\n"] {
      func embedded(_ picture: [UInt8], _ keys: String) throws -> ICCProfile? {
        try process(picture, lossless + keys, format: "jxl").image().blob("icc-profile-data")
          .map { ICCProfile($0) }
      }
      for keys in ["", "embed-profile = true", "embed-profile = false"] {
        #expect(try embedded(plain, keys)?.isSRGB ?? true)
        #expect(try embedded(wide, keys)?.isSRGB ?? true)
      }
      // Seen through the profile that the decoder gives, the color is what it was.
      let kept = try process(wide, lossless + "color = \"keep\"", format: "jxl")
      let light = color.map { pow($0 / 255, 563.0 / 256) }
      let seen = Primaries.srgb.light(Primaries.adobe.xyz(light)).map(srgbLevel)
      #expect(kept.noteCodes == [])
      // With losses it is linear light in 8 bit, which is coarse in the dark.
      expectPatch(try NaivePicture(kept.image().toSRGB(depth: 8)), seen, within: 8)
      #expect(try embedded(wide, "color = \"keep\"")?.isSRGB == false)
      #expect(try embedded(wide, "color = \"keep\"\nembed-profile = false")?.isSRGB ?? true)
    }
  }

  @Test("a profile that says sRGB is left out where colors become sRGB, and stays with keep")
  func ownSRGB() throws {
    let own = matrixProfile(.srgb, table: (0...1023).map { srgbLight(Double($0) / 1023 * 255) })
    let image = try flatPatch(color).encoded(.png, profile: own)
    let left = try process(image, "effort = 1")
    #expect(left.noteCodes == [])
    #expect(try !left.image().has("icc-profile-data"))
    expectPatch(try left.picture(), color, within: 0)
    let kept = try process(image, "effort = 1\ncolor = \"keep\"")
    #expect(try kept.image().blob("icc-profile-data") == own)
    let small = try process(image, "effort = 1\nembed-profile = true")
    #expect(try small.image().blob("icc-profile-data") == ICCProfile.sRGB.bytes)
    expectPatch(try small.picture(), color, within: 0)
  }

  @Test("an untouched picture is a copy only where its profile is as it is wanted")
  func copies() throws {
    let plain = try flatPatch(color).encoded(.png)
    let own = matrixProfile(.srgb, table: (0...1023).map { srgbLight(Double($0) / 1023 * 255) })
    let tagged = try flatPatch(color).encoded(.png, profile: own)
    let gray = try flatPatch([77]).encoded(.png)
    let cases: [(bytes: [UInt8], keys: String, isCopy: Bool)] = [
      (plain, "", true), (plain, "color = \"p3\"", false), (plain, "color = \"keep\"", true),
      (plain, "embed-profile = true", false), (plain, "embed-profile = false", true),
      (tagged, "", true), (tagged, "embed-profile = true", true),
      (tagged, "embed-profile = false", false), (gray, "", true), (gray, "color = \"p3\"", true),
      (gray, "gray = \"color\"", false),
    ]
    for (bytes, keys, isCopy) in cases {
      let outcome = try process(bytes, keys)
      #expect(outcome.noteCodes.contains(.copied) == isCopy, "\(keys)")
      #expect(try (outcome.bytes() == bytes) == isCopy, "\(keys)")
    }
  }

  // MARK: Mistakes

  @Test("what is wrong with color and embed-profile is told before anything starts")
  func mistakes() throws {
    let folder = try ScratchFolder()
    try folder.write(Array("no profile".utf8), to: "junk.icc")
    try folder.write(profile(tables: ["A2B0"]), to: "input.icc")
    try folder.write(generalCMYK(), to: "inks.icc")
    func message(_ keys: String) throws -> [String] {
      let file = try folder.write("profile = 1\n[[output]]\n" + keys, to: "a.toml")
      do {
        _ = try ProfileLoader.load(file, operations: [])
        return []
      } catch {
        let root = folder.path.shown + "/"
        return error.all.map { $0.description.replacing(root, with: "") }
      }
    }
    let found = try [
      "color = \"sgrb\"", "color = \"none.icc\"", "color = \"junk.icc\"", "color = \"input.icc\"",
      "color = 3", "embed-profile = \"yes\"", "color = \"inks.icc\"\nformat = \"png\"",
    ]
    .map(message)
    let target = "an ICC profile for gray, RGB or CMYK that colors can be converted to"
    #expect(
      found == [
        [
          "a.toml:3:9: output.main.color: expected a color space or an ICC file "
            + "(did you mean \"srgb\"?), found \"sgrb\""
        ],
        [
          "a.toml:3:9: output.main.color: expected a file that can be read, found none.icc"
        ],
        [
          "a.toml:3:9: output.main.color: expected \(target), "
            + "found junk.icc, which is no ICC profile"
        ],
        [
          "a.toml:3:9: output.main.color: expected \(target), found input.icc, "
            + "which is an ICC profile that colors can be taken from, and not converted to"
        ],
        [
          "a.toml:3:9: output.main.color: expected \"srgb\" | \"p3\" | \"keep\" or a file, found 3"
        ],
        [
          "a.toml:3:17: output.main.embed-profile: expected true or false or \"auto\", found \"yes\""
        ],
        [
          "a.toml:3:1: output.main: expected format = \"jpeg\" or \"tiff\" where color is "
            + "an ICC file for CMYK, found format = \"png\""
        ],
      ]
    )
  }

  @Test("a CMYK file and an input of a format without inks: that item fails, with words for it")
  func noInks() throws {
    let folder = try ScratchFolder()
    let file = try folder.write(generalCMYK(), to: "inks.icc")
    let bench = try Workbench("[[output]]\ncolor = \"\(file.shown)\"")
    let outcome = try bench.process(flatPatch(color).encoded(.png), named: "a.png")
    #expect(outcome.result.error?.code == .unsupported)
    #expect(try bench.process(flatPatch(color).encoded(.jpeg), named: "a.jpg").image().bands == 4)
  }
}
