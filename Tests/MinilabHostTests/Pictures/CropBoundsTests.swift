import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// What a report says of the rectangle that was cropped: in source pixels, upright.
@Suite("Crop bounds", .vips)
struct CropBoundsTests {
  private static func step(_ lines: String) -> String { "[[step]]\n" + lines + "\n" }

  private static let png = "[[output]]\nname = \"png\"\nformat = \"png\"\n"

  /// The bounds in the report of a picture of 120 × 80 as it is seen; a dry run must say the same.
  private func bounds(_ steps: [String], tag: Int = 1) throws -> PixelRectangle? {
    let ids = steps.enumerated().map { Self.step("id = \"s\($0)\"\n" + $1) }
    let bench = try Workbench(ids.joined() + Self.png)
    let picture =
      tag < 5 ? NaivePicture.synthetic(120, 80) : NaivePicture.synthetic(80, 120)
    let bytes = try picture.encoded(.tiff, orientation: tag)
    let outcome = try bench.process(bytes, named: "a.tif")
    if let error = outcome.result.error { throw error }
    let planned = try bench.probe(bench.folder.path.appending("in/a.tif"))
    let made = outcome.result.outputs.first?.cropBounds
    #expect(planned.sizes.first??.cropBounds == made)
    return made
  }

  private func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRectangle {
    PixelRectangle(x: x, y: y, width: width, height: height)
  }

  @Test("a crop's own rectangle, whatever the orientation", arguments: 1...8)
  func plain(_ tag: Int) throws {
    #expect(
      try bounds(["op = \"crop\"\nrect = [10, 20, 50, 30]"], tag: tag) == rectangle(10, 20, 50, 30)
    )
  }

  @Test("through an earlier crop, a turn and a resize")
  func through() throws {
    let first = "op = \"crop\"\nrect = [20, 10, 80, 60]"
    #expect(
      try bounds([first, "op = \"crop\"\nrect = [5, 6, 40, 30]"]) == rectangle(25, 16, 40, 30)
    )
    // A quarter turn clockwise: what is at the left was at the bottom.
    #expect(
      try bounds(["op = \"rotate\"\nangle = 90", "op = \"crop\"\nrect = [0, 0, 20, 50]"])
        == rectangle(0, 60, 50, 20)
    )
    // To a half: odd edges are edges of whole pixels.
    #expect(
      try bounds(["op = \"resize\"\nwidth = \"50%\"", "op = \"crop\"\nrect = [3, 5, 20, 10]"])
        == rectangle(6, 10, 40, 20)
    )
    // To a third: rounded outward.
    #expect(
      try bounds([
        "op = \"resize\"\nwidth = 36\nheight = 80\nfit = \"stretch\"",
        "op = \"crop\"\nrect = [1, 0, 1, 80]",
      ]) == rectangle(3, 0, 4, 80)
    )
    // What comes after does not move it.
    #expect(try bounds([first, "op = \"rotate\"\nangle = 30"]) == rectangle(20, 10, 80, 60))
    #expect(try bounds([first, "op = \"blur\"\nsigma = 1"]) == rectangle(20, 10, 80, 60))
    #expect(
      try bounds(["op = \"blur\"\nsigma = 1", "op = \"crop\"\nrect = [1, 2, 3, 4]"])
        == rectangle(1, 2, 3, 4)
    )
  }

  @Test("the box around it where it is turned, inside the picture")
  func turned() throws {
    // A frame of 30 × 20 pixels turned by 90°: 20 wide and 30 high about the center.
    #expect(
      try bounds(["op = \"crop\"\nframe-size = [60, 40]\nzoom = 4\nangle = 90"])
        == rectangle(50, 25, 20, 30)
    )
    // Turned by 45°: (30 + 20) / √2 = 35.36 to either side of the box's middle.
    #expect(
      try bounds(["op = \"crop\"\nframe-size = [60, 40]\nzoom = 4\nangle = 45"])
        == rectangle(42, 22, 36, 36)
    )
    #expect(
      try bounds(["op = \"crop\"\nframe-size = [60, 40]\nzoom = 0.5\ncheck-bounds = false"])
        == rectangle(0, 0, 120, 80)
    )
    // A crop of a picture that was turned: 45° about its center.
    let box = try bounds([
      "op = \"rotate\"\nangle = 45", "op = \"crop\"\nsize = [20, 20]",
    ])
    #expect(box == rectangle(45, 25, 30, 30) || box == rectangle(45, 25, 30, 31))
  }

  @Test("none without a crop, and none where only a step knows where the picture went")
  func none() throws {
    #expect(try bounds(["op = \"orient\""]) == nil)
    let flip = "op = \"vips\"\noperation = \"flip\"\ndirection = \"horizontal\""
    #expect(try bounds([flip, Self.corner]) == nil)
  }

  private static let corner = "op = \"crop\"\nrect = [0, 0, 50, 50]"

  @Test("what a crop of a padded picture has kept of the picture itself")
  func padded() throws {
    #expect(try bounds(["op = \"pad\"\nborder = 10", Self.corner]) == rectangle(0, 0, 40, 40))
  }

  @Test("a place that only pixels tell is known to the run and not to the plan")
  func interest() throws {
    let bench = try Workbench(
      Self.step("op = \"crop\"\nsize = [40, 40]\ngravity = \"entropy\"")
        + Self.step("id = \"inner\"\nop = \"crop\"\nrect = [5, 5, 20, 20]") + Self.png
    )
    let busy = NaivePicture(width: 120, height: 60, bands: 1) { x, y, _ in
      x >= 80 ? Double((x * 37 + y * 91) % 251) : 128
    }
    let bytes = try busy.encoded(.png)
    let outcome = try bench.process(bytes, named: "a.png")
    let made = try #require(outcome.result.outputs.first?.cropBounds)
    #expect(made.size == Size(width: 20, height: 20))
    #expect(made.x >= 80)
    let planned = try bench.probe(bench.folder.path.appending("in/a.png"))
    #expect(planned.sizes.first??.width == 20)
    #expect(planned.sizes.first??.cropBounds == nil)
  }

  @Test(
    "what attention and entropy find depends on no output",
    arguments: ["attention", "entropy"]
  )
  func independent(_ gravity: String) throws {
    let crop = Self.step("op = \"crop\"\naspect = \"1:1\"\ngravity = \"\(gravity)\"")
    let small = """
      [[output]]
      name = "small"
      format = "png"
        [[output.step]]
        op = "thumbnail-preview"
        max-side = 40
      """
    let large = NaivePicture.synthetic(700, 400, detail: 30)
    let spotted = NaivePicture(width: 700, height: 400, bands: 3) { x, y, band in
      let isSpot = (480..<600).contains(x) && (100..<240).contains(y)
      return isSpot ? [230, (x + y) % 20 < 10 ? 30 : 200, 20][band] : large[x, y, band] / 3 + 80
    }
    let bytes = try spotted.encoded(.jpeg)
    var found: [PixelRectangle?] = []
    for outputs in [Self.png, small, Self.png + small, small + "\n" + Self.png] {
      let outcome = try Workbench(crop + outputs).process(bytes, named: "a.jpg")
      found += outcome.result.outputs.map(\.cropBounds)
    }
    #expect(found.count == 6)
    #expect(Set(found).count == 1)
    let first = try #require(found.first ?? nil)
    #expect(first.x > 150 && first.x + first.width >= 600)
  }

  @Test(
    "a mark in a JPEG lands where arithmetic says, through a decoder that shrinks",
    arguments: 1...8
  )
  func mark(_ tag: Int) throws {
    // A soft dot at (610, 205) of the 800 × 600 that are seen.
    let seen = (x: 610.0, y: 205.0)
    let upright = NaivePicture(width: 800, height: 600, bands: 1) { x, y, _ in
      let (dx, dy) = (Double(x) + 0.5 - seen.x, Double(y) + 0.5 - seen.y)
      return max(0, 255 - (dx * dx + dy * dy) / 6)
    }
    // Stored so that the tag makes it upright.
    let inverse = Orientation(tag: tag).inverse.rawValue
    let bytes = try jpeg(upright.turned(byTag: inverse), exif: exifBlock(orientation: tag))
    let bench = try Workbench(
      Self.step(
        """
        op = "crop"
        frame-size = [400, 300]
        zoom = 1.25
        angle = 10
        pan = [-90, 40]
        check-bounds = false
        background = "black"
        output-width = 120
        """
      ) + Self.png
    )
    let made = try bench.process(bytes, named: "a.jpg").picture()
    #expect(made.size == Size(width: 120, height: 90))
    var sum = (x: 0.0, y: 0.0, all: 0.0)
    for y in 0..<90 {
      for x in 0..<120 {
        let light = made[x, y, 0]
        sum = (
          sum.x + light * (Double(x) + 0.5), sum.y + light * (Double(y) + 0.5), sum.all + light
        )
      }
    }
    // 0.625 frame units for a pixel: (210, -95) from the center is (131.25, -59.375), turned by 10°
    // (139.565, -35.681); with the pan and the frame's center (249.565, 154.319), times 120 / 400.
    #expect(abs(sum.x / sum.all - 74.87) < 0.5)
    #expect(abs(sum.y / sum.all - 46.30) < 0.5)
  }
}
