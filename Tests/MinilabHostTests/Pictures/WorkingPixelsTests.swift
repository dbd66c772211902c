import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Pixels as steps and outputs are handed them", .vips)
struct WorkingPixelsTests {
  /// libvips says `histogram` of what this operation makes, and then sees no alpha in it.
  private static let equalized = "[[step]]\nop = \"vips\"\noperation = \"hist_equal\"\n"

  private let grayAndAlpha = NaivePicture(width: 13, height: 19, bands: 2) { x, y, band in
    Double(band == 0 ? (x * 17 + y * 5) % 256 : (x + y) * 8)
  }

  @Test("alpha stays alpha, whatever an operation calls its result")
  func alphaOfResult() throws {
    let bytes = try grayAndAlpha.encoded(.png)
    let bench = try Workbench(
      Self.equalized + "[[output]]\nformat = \"jpeg\"\nbackground = \"white\"\n"
    )
    let outcome = try bench.process(bytes, named: "a.png")
    #expect(outcome.noteCodes.contains(.alphaFlattened))
    // The first pixel is wholly transparent.
    #expect(try outcome.picture()[0, 0, 0] > 245)

    let flat = try Workbench(
      Self.equalized + "[[step]]\nop = \"flatten\"\n[[output]]\nformat = \"png\"\n"
    )
    #expect(try flat.process(bytes, named: "a.png").image().bands == 1)
  }

  @Test("a column of pixels is a picture and no histogram")
  func column() throws {
    let bench = try Workbench(
      Self.equalized + "[[step]]\nop = \"crop\"\nsize = [1, 11]\n[[output]]\nformat = \"webp\"\n"
    )
    let outcome = try bench.process(grayAndAlpha.encoded(.png), named: "a.png")
    #expect(outcome.result.error == nil)
  }
}
