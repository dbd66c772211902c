import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Steps behind one whose size only pixels can tell", .vips)
struct StepsAfterPixelsTests {
  @Test("they see the size that was made, in upright pixels")
  func sizes() throws {
    let bench = try Workbench(
      """
      [[step]]
      op = "orient"
      [[step]]
      op = "vips"
      operation = "zoom"
      xfac = 2
      yfac = 3
      [[step]]
      op = "crop"
      rect = ["50%", 6, "25%", "50%"]
      [[output]]
      name = "cut"
      format = "png"
      [[output]]
      name = "turned"
      format = "png"
        [[output.step]]
        op = "orient"
        mode = "rotate-90"
      """
    )
    let picture = NaivePicture.synthetic(40, 24)
    let bytes = try inserting(exif: exifBlock(orientation: 6), intoPNG: picture.encoded(.png))
    let upright = try NaivePicture(picture.image()).turned(byTag: 6)
    #expect(upright.size == Size(width: 24, height: 40))
    // 24 × 40 became 48 × 120.
    let wanted = NaivePicture(width: 12, height: 60, bands: 3) { x, y, band in
      upright[(x + 24) / 2, (y + 6) / 3, band]
    }
    let outcome = try bench.process(bytes, named: "a.png")
    #expect(outcome.noteCodes == [])
    #expect(try outcome.picture().greatestDifference(from: wanted) == 0)
    #expect(try outcome.picture(1).greatestDifference(from: wanted.turned(byTag: 6)) == 0)
    #expect(try outcome.image().int("orientation") ?? 1 == 1)
  }

  @Test("a header does not tell their sizes, and what they refuse costs one item")
  func planned() throws {
    let bench = try Workbench(
      """
      [[step]]
      op = "vips"
      operation = "shrink"
      hshrink = 4
      vshrink = 4
      [[step]]
      op = "crop"
      rect = [20, 0, 5, 5]
      [[output]]
      format = "png"
      """
    )
    let small = try bench.folder.write(NaivePicture.synthetic(40, 24).encoded(.png), to: "in/a.png")
    let probed = try bench.probe(small)
    #expect(probed.error == nil)
    #expect(probed.sizes == [nil])
    let refused = try bench.process(small)
    #expect(refused.result.error?.code == .cropOutside)
    #expect(refused.result.error?.step == "crop")
    let large = try bench.process(NaivePicture.synthetic(120, 24).encoded(.png), named: "b.png")
    #expect(try large.picture().size == Size(width: 5, height: 5))
  }
}
