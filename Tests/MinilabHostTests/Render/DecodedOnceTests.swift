import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("A picture that a step looks at is decoded once", .vips)
struct DecodedOnceTests {
  private let picture = NaivePicture.synthetic(1600, 1200, detail: 40)

  /// What a look at 100 pixels shows, an output's pixels, and how the picture was decoded.
  private func made(
    _ sides: [Int],
    reductions: [Int] = [1, 2, 4, 8],
    bound: Int = PixelStore.usualBound,
    isForeseen: Bool = true
  ) throws -> (look: NaivePicture, images: [NaivePicture], decoded: [Int]) {
    let raster = CountingRaster(picture, reductions: reductions)
    let pictures = UnitPictures([raster], policy: InputPolicy(), pixelBound: bound)
    let start = Frame(Origin(format: .jpeg, size: picture.size, orientation: .up))
    let frames = sides.map { side in
      start.geometry { $0.resize(to: $0.size.scaled(longerSide: side)) }
    }
    pictures.foresee = { [unowned pictures] in
      pictures.expectReduction(of: start, to: 100)
      return isForeseen ? frames : nil
    }
    let look = try NaivePicture(pictures.reduction(of: start, to: 100))
    let way = pictures.commonWay(to: frames)
    let images = try frames.map { try NaivePicture(pictures.image(of: $0)) }
    withExtendedLifetime(way) {}
    return (look, images, raster.decoded)
  }

  @Test("as its outputs need it", arguments: [(110, 8), (150, 4), (400, 2), (700, 1)])
  func once(_ side: Int, _ reduction: Int) throws {
    let (look, images, decoded) = try made([side])
    #expect(decoded == [reduction])
    let alone = try made([side], isForeseen: false)
    #expect(alone.decoded == [8, reduction])
    #expect(alone.images == images)
    // A decoder rounds, and so does an average of what it has made; a kernel that sharpens doubles that.
    #expect(look.greatestDifference(from: alone.look) <= 2)
  }

  @Test("for several outputs, as small as the largest allows")
  func several() throws {
    let (_, images, decoded) = try made([400, 150])
    #expect(decoded == [2])
    #expect(try made([400, 150], isForeseen: false).images == images)
  }

  @Test("a look that needs more than any output decides for all")
  func finerLook() throws {
    let (_, _, decoded) = try made([60], reductions: [1, 16])
    #expect(decoded == [1])
  }

  @Test("without room to hold it, it is decoded for each in the same way")
  func walked() throws {
    let held = try made([400, 150])
    let walked = try made([400, 150], bound: 0)
    #expect(walked.decoded == [2, 2, 2])
    #expect(walked.look == held.look)
    #expect(walked.images == held.images)
  }

  @Test("a JPEG's averages are those of its coarser decodes, up to rounding", arguments: [1, 2, 4])
  func averages(_ reduction: Int) throws {
    let folder = try ScratchFolder()
    let bytes = try NaivePicture.synthetic(645, 483, detail: 20).encoded(.jpeg)
    let path = try folder.write(bytes, to: "a.jpg")
    let opened = try OpenedPicture(path, format: .jpeg, policy: InputPolicy())
    let coarse = try NaivePicture(opened.pixels(reduction: 8).image)
    let once = DecodedOnce(opened, reduction: reduction, PixelStore())
    let averaged = try once.forLooks.pixels(reduction: 8)
    #expect(averaged.factorX == 8 && averaged.factorY == 8)
    let image = try NaivePicture(averaged.image)
    #expect(image.size == coarse.size)
    #expect(image.meanDifference(from: coarse) < 1)
  }

  // MARK: Profiles

  private let crop = """
    [[step]]
    op = "crop"
    aspect = "1:1"
    gravity = "attention"
    [[step]]
    op = "thumbnail-preview"
    max-side = 300

    """

  private func account(
    _ toml: String,
    bound: Int = PixelStore.usualBound
  ) throws -> UnitAccount {
    let bench = try Workbench(toml)
    bench.processor.explains = true
    bench.processor.pixelBound = bound
    let path = try bench.folder.write(picture.encoded(.jpeg), to: "in/a.jpg")
    return try #require(try bench.probe(path).account)
  }

  @Test("as it is explained")
  func explained() throws {
    let account = try account(crop + "[[output]]\nformat = \"png\"\n")
    #expect(account.decodes == [1])
    let steps = try #require(account.outputs.first).steps
    #expect(steps.map(\.kind) == [.decode, .hold, .reuse, .reduce, .encode])
    #expect(steps[0].shrink == 2)
    let short = try self.account(crop + "[[output]]\nformat = \"png\"\n", bound: 0)
    #expect(short.decodes == [2])
    #expect(short.outputs[0].steps.map(\.shrink).prefix(2) == [2, 2])
  }

  @Test("also where a composition is what asks for it")
  func composition() throws {
    let layers = """
      [[step]]
      op = "compose"
      canvas = [400, 400]
        [[step.layer]]
        source = "frame"
      [[output]]
      format = "png"

      """
    #expect(try account(crop + layers).decodes == [1])
  }
}
