import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Every kind of picture into every format: the color that one sees, the depth, and the notes.
@Suite("Kinds of pictures by formats", .vips)
struct ColorTableTests {
  /// A picture of one color, and what is to become of it.
  struct Kind: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let name: String
    /// Levels of sRGB, 0 to 255.
    let seen: [Double]
    var isGray = false
    var isDeep = false
    var hasAlpha = false
    var notes: Set<Note.Code> = []
    let bytes: @Sendable () throws -> [UInt8]
  }

  private static let color: [Double] = [200, 60, 40]
  private static let power = 563.0 / 256

  private static func seen(_ color: [Double], _ primaries: Primaries, _ gamma: Double) -> [Double] {
    Primaries.srgb.light(primaries.xyz(color.map { pow($0 / 255, gamma) })).map(srgbLevel)
  }

  private static func deep(_ color: [Double]) -> [Double] { color.map { $0 * 257 } }

  static let kinds: [Kind] = [
    Kind(testDescription: "sRGB, 8 bit", name: "a.png", seen: color) {
      try flatPatch(color).encoded(.png)
    },
    Kind(testDescription: "sRGB, 16 bit", name: "a.png", seen: color, isDeep: true) {
      try flatPatch(deep(color)).encoded(.png, deep: true)
    },
    Kind(testDescription: "gray, 8 bit", name: "a.png", seen: [77], isGray: true) {
      try flatPatch([77]).encoded(.png)
    },
    Kind(testDescription: "gray, 16 bit", name: "a.tif", seen: [77], isGray: true, isDeep: true) {
      try flatPatch(deep([77])).encoded(.tiff, deep: true)
    },
    Kind(
      testDescription: "gray with alpha, 8 bit",
      name: "a.png",
      seen: [77],
      isGray: true,
      hasAlpha: true
    ) { try flatPatch([77, 255]).encoded(.png) },
    Kind(
      testDescription: "gray with alpha, 16 bit",
      name: "a.png",
      seen: [77],
      isGray: true,
      isDeep: true,
      hasAlpha: true
    ) { try flatPatch(deep([77, 255])).encoded(.png, deep: true) },
    Kind(
      testDescription: "sRGB with alpha, 16 bit",
      name: "a.png",
      seen: color,
      isDeep: true,
      hasAlpha: true
    ) {
      try flatPatch(deep(color + [255])).encoded(.png, deep: true)
    },
    Kind(testDescription: "palette", name: "a.png", seen: color) {
      try flatPatch(color).encoded(.png, [.init("palette", .bool(true))])
    },
    Kind(testDescription: "1 bit", name: "a.tif", seen: [255], isGray: true) {
      try flatPatch([255]).encoded(.tiff, [.init("bitdepth", .int(1))])
    },
    Kind(
      testDescription: "CMYK with a profile",
      name: "a.tif",
      seen: color,
      notes: [.colorConverted]
    ) { try flatPatch(color).image().converted(to: generalCMYK(), depth: 8).encoded(.tiff) },
    Kind(
      testDescription: "CMYK without a profile",
      name: "a.tif",
      seen: color,
      notes: [.colorConverted]
    ) {
      let inks = try flatPatch(color).image().converted(to: generalCMYK(), depth: 8).copy()
      inks.remove("icc-profile-data")
      return try inks.encoded(.tiff)
    },
    Kind(
      testDescription: "CMYK with a profile for RGB",
      name: "a.tif",
      seen: color,
      notes: [.colorConverted, .profileDropped]
    ) {
      let inks = try flatPatch(color).image().converted(to: generalCMYK(), depth: 8).copy()
      inks.set("icc-profile-data", blob: matrixProfile(.adobe, gamma: power))
      return try inks.encoded(.tiff)
    },
    Kind(
      testDescription: "Lab, 16 bit",
      name: "a.tif",
      seen: Primaries.srgb.light(xyz(ofLab: [50, 40, 20])).map(srgbLevel),
      isDeep: true,
      notes: [.colorConverted]
    ) {
      try Image(matrix: [[50, 40, 20]]).call("bandfold").copy(interpretation: .lab)
        .call("replicate", [.init("across", .int(16)), .init("down", .int(16))])
        .cast(.float).call("Lab2LabS").encoded(.tiff)
    },
    Kind(
      testDescription: "light in floating point",
      name: "a.tif",
      seen: color,
      notes: [.colorConverted, .depthReduced]
    ) { try flatPatch(color).image().colourspace(.scrgb).encoded(.tiff) },
    Kind(
      testDescription: "Display P3",
      name: "a.jpg",
      seen: seen(color, .displayP3, power),
      notes: [.colorConverted]
    ) {
      try flatPatch(color).encoded(
        .jpeg,
        profile: matrixProfile(.displayP3, gamma: power),
        [.init("Q", .int(100))]
      )
    },
    Kind(
      testDescription: "Adobe RGB",
      name: "a.tif",
      seen: seen([30, 160, 90], .adobe, power),
      notes: [.colorConverted]
    ) {
      try flatPatch([30, 160, 90]).encoded(.tiff, profile: matrixProfile(.adobe, gamma: power))
    },
    Kind(
      testDescription: "ProPhoto, 16 bit",
      name: "a.tif",
      seen: seen([120, 130, 140], .prophoto, 461.0 / 256),
      isDeep: true,
      notes: [.colorConverted]
    ) {
      try flatPatch(deep([120, 130, 140])).encoded(
        .tiff,
        profile: matrixProfile(.prophoto, gamma: 461.0 / 256),
        deep: true
      )
    },
    Kind(
      testDescription: "linear, 16 bit",
      name: "a.png",
      seen: [120, 30, 10].map { srgbLevel($0 / 255) },
      isDeep: true,
      notes: [.colorConverted]
    ) {
      try flatPatch(deep([120, 30, 10])).encoded(
        .png,
        profile: matrixProfile(.srgb, gamma: 1),
        deep: true
      )
    },
    Kind(
      testDescription: "a profile of version 4",
      name: "a.png",
      seen: Primaries.srgb.light(Primaries.displayP3.xyz(color.map(srgbLight))).map(srgbLevel),
      notes: [.colorConverted]
    ) { try flatPatch(color).encoded(.png, profile: ICCProfile.displayP3.bytes) },
    Kind(
      testDescription: "gray with a gray profile",
      name: "a.png",
      seen: [srgbLevel(pow(100.0 / 255, 461.0 / 256))],
      isGray: true,
      notes: [.colorConverted]
    ) { try flatPatch([100]).encoded(.png, profile: grayProfile(gamma: 1.8)) },
    Kind(
      testDescription: "gray with a profile for RGB (field report 19)",
      name: "a.tif",
      seen: [100],
      isGray: true,
      notes: [.profileDropped]
    ) { try flatPatch([100]).encoded(.tiff, profile: matrixProfile(.adobe, gamma: power)) },
    Kind(
      testDescription: "RGB with a profile for gray (field report 19)",
      name: "a.tif",
      seen: color,
      notes: [.profileDropped]
    ) { try flatPatch(color).encoded(.tiff, profile: grayProfile(gamma: 1.8)) },
    Kind(
      testDescription: "the start of a profile",
      name: "a.tif",
      seen: color,
      notes: [.profileDropped]
    ) {
      let profile = matrixProfile(.adobe, gamma: power)
      return try flatPatch(color).encoded(.tiff, profile: Array(profile.prefix(200)))
    },
    Kind(
      testDescription: "a profile of whose tags nothing is left",
      name: "a.tif",
      seen: color,
      notes: [.profileDropped]
    ) {
      let profile = matrixProfile(.adobe, gamma: power)
      let rest = [UInt8](repeating: 0, count: profile.count - 132)
      return try flatPatch(color).encoded(
        .tiff,
        profile: profile.prefix(128) + [0, 0, 0, 9] + rest
      )
    },
    Kind(
      testDescription: "a profile that a PNG's reader passes over",
      name: "a.png",
      seen: color,
      notes: [.profileDropped, .decoderWarned]
    ) {
      // A name, a method, and nothing that could be a profile.
      let chunk = PNGChunks.chunk("iCCP", Array("ICC".utf8) + [0, 0, 1])
      let file = try flatPatch(color).encoded(.png)
      return file.prefix(33) + chunk + file.dropFirst(33)
    },
    Kind(
      testDescription: "a broken profile (field report 19)",
      name: "a.tif",
      seen: color,
      notes: [.profileDropped]
    ) {
      var dice = Dice(7)
      return try flatPatch(color).encoded(
        .tiff,
        profile: (0..<3000).map { _ in UInt8(dice.next(0...255)) }
      )
    },
    Kind(testDescription: "JPEG XL, 16 bit", name: "a.jxl", seen: color, isDeep: true) {
      try flatPatch(deep(color)).encoded(.jxl, deep: true, [.init("lossless", .bool(true))])
    },
  ]

  @Test("the color that is seen, the depth, the channels and the notes", arguments: kinds)
  func table(_ kind: Kind) throws {
    let bench = try Workbench(
      "[input]\nformats = \"all\"\n"
        + pictureEncoders.map { encoder in
          let name = encoder.format.rawValue
          let options = encoder.descriptions.contains { $0.name == "quality" }
          // A named option makes each of them encoded and none copied.
          return "[[output]]\nname = \"\(name)\"\nformat = \"\(name)\"\n"
            + (name == "tiff"
              ? "compression = \"lzw\"\n" : options ? "quality = 100\n" : "effort = 2\n")
        }
        .joined()
    )
    let outcome = try bench.process(kind.bytes(), named: kind.name)
    #expect(outcome.result.error == nil)
    var notes = kind.notes
    // Where there is alpha the patch is opaque: nothing is lost with it.
    if kind.isDeep { notes.insert(.depthReduced) }
    // libvips writes an EXIF block into each JPEG.
    #expect(Set(outcome.noteCodes).subtracting([.metadataDropped]) == notes)
    for (index, encoder) in pictureEncoders.enumerated() {
      let format = encoder.format
      let image = try outcome.image(index)
      let holdsDepth = [.png, .tiff, .jxl].contains(format)
      #expect((image.format == .ushort) == (kind.isDeep && holdsDepth), "\(format)")
      // The codecs of these have colors alone, or so libvips hands them over.
      let hasOnlyColors = [.webp, .gif, .avif, .heif].contains(format)
      #expect(image.isGray == (kind.isGray && !hasOnlyColors), "\(format)")
      if holdsDepth { #expect(image.hasAlpha == kind.hasAlpha, "\(format)") }
      let isPlain = image.blob("icc-profile-data").map {
        ICCProfile($0).isSRGB || ICCProfile($0).isGrayOfSRGB
      }
      #expect(isPlain ?? true, "\(format)")
      let levels = try NaivePicture(image).pixel(8, 8).prefix(image.isGray ? 1 : 3)
      let scale = image.format == .ushort ? 257.0 : 1
      let wanted = image.isGray || !kind.isGray ? kind.seen : kind.seen + kind.seen + kind.seen
      let isExact = format == .png || format == .tiff
      // Inks are a table of 8 bit, and back.
      let isRough = kind.testDescription.hasPrefix("CMYK")
      let bound = (isExact ? 1.1 : 4) + (isRough ? 4 : 0) + (kind.name.hasSuffix("jpg") ? 1 : 0)
      let difference = zip(levels, wanted).map { abs($0 / scale - $1) }.max() ?? .infinity
      #expect(
        levels.count == wanted.count && difference <= bound,
        "\(format): \(levels), wanted \(wanted)"
      )
    }
  }
}
