import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Levels of sRGB that another color management system gives for these pixels.
///
/// ArgyllCMS 2.3.1 with black point compensation in numpy, decoded by Pillow 9.4:
/// `minilab run` with one output of `format = "png"`, then
/// `Tests/Oracles/colors.py FILE OUTPUT.png --cmyk CMYK.icc X,Y …`, which prints them.
/// Over 2000 pixels of each the mean difference was 0.00 to 0.41 (CIEDE2000), the greatest 1.8.
@Suite(
  "Colors of the corpus are those of another color management system",
  .enabled(if: Corpus.isThere, "there is no corpus of pictures beside the package"),
  .vips
)
struct CorpusColorTests {
  private static let recorded: [(file: String, points: [(x: Int, y: Int, level: [Double])])] = [
    // A table for RGB, with one intent.
    (
      "icc-jpeg/pillow/icc_profile_big.jpg",
      [(30, 30, [0, 49.2, 113.3]), (100, 50, [0, 59.9, 136.6]), (150, 90, [0, 86.2, 169.8])]
    ),
    // Adobe RGB.
    (
      "jpeg-odd/libvips/sample.jpg",
      [
        (10, 10, [147.5, 128, 87.4]), (100, 100, [72.7, 75.8, 117]),
        (200, 300, [126.5, 120.8, 108.9]),
      ]
    ),
    (
      "jpeg-odd/twelvemonkeys/cmm-exception-adobe-rgb.jpg",
      [
        (20, 20, [230.9, 226.8, 209.4]), (60, 50, [245.6, 237.6, 221.2]),
        (100, 30, [213, 70.4, 74.9]),
      ]
    ),
    // Version 4, and out of sRGB's gamut.
    ("png-other/sharp/p3.png", [(0, 0, [255, 0, 0])]),
    ("png-other/sharp/prophoto.png", [(0, 0, [117.2, 160.3, 209.6])]),
    // Gray with a profile.
    ("jpeg-odd/sharp/concert.jpg", [(200, 100, [99])]),
    // Lab.
    (
      "tiff/pillow/hopper.Lab.tif",
      [(20, 20, [25.6, 20.6, 58.1]), (64, 64, [172, 69.9, 55]), (100, 40, [93.6, 131.4, 193.3])]
    ),
    (
      "tiff/twelvemonkeys/ColorCheckerCalculator.tif",
      [
        (60, 60, [115.8, 79.8, 63.4]), (200, 100, [196.9, 150.2, 129.6]),
        (400, 400, [56.9, 56.9, 56.9]),
      ]
    ),
    // CMYK without a profile, and with one of two.
    (
      "jpeg-cmyk/twelvemonkeys/cmyk-sample.jpg",
      [(20, 20, [0, 89.4, 139.1]), (50, 60, [0, 93, 145]), (80, 120, [137.1, 104.5, 58.1])]
    ),
    ("jpeg-cmyk/pillow/pil_sample_cmyk.jpg", [(20, 20, [0, 0, 19.1])]),
    (
      "jpeg-odd/twelvemonkeys/warning-embedded-color-profile-invalid-ignored-cmyk.jpg",
      [
        (20, 20, [158.9, 0, 49.8]), (50, 60, [168.9, 173.2, 178.6]),
        (80, 80, [177.4, 184.1, 190.1]),
      ]
    ),
    (
      "icc-jpeg/metadata-extractor/Multiple ICC segments.jpg",
      [
        (20, 20, [255, 255, 255]), (50, 60, [250.6, 248, 238.1]), (80, 120, [235.1, 233, 227.9]),
      ]
    ),
  ]

  @Test("levels at chosen points, within three", arguments: recorded.indices)
  func points(_ index: Int) throws {
    let (file, points) = Self.recorded[index]
    let bench = try Workbench("[[output]]\nformat = \"png\"")
    let outcome = try bench.process(Corpus.path.appending(file))
    #expect(outcome.noteCodes.contains(.colorConverted), "\(file)")
    let made = try outcome.picture()
    for (x, y, level) in points {
      let difference = zip(made.pixel(x, y), level).map { abs($0 - $1) }.max() ?? .infinity
      #expect(difference <= 3, "\(file) at \(x), \(y): \(made.pixel(x, y)), wanted \(level)")
    }
  }

  @Test("a profile of another kind is left out with one note, and the numbers stay")
  func unfit() throws {
    let bench = try Workbench("[[output]]\nformat = \"png\"")
    let file = Corpus.path.appending("webp/twelvemonkeys/incompatible-icc-gray.webp")
    let outcome = try bench.process(file)
    #expect(outcome.noteCodes.filter { $0 == .profileDropped }.count == 1)
    let stored = try NaivePicture(load("webpload", fromFile: file.shown))
    #expect(try outcome.picture().greatestDifference(from: stored) == 0)
  }
}
