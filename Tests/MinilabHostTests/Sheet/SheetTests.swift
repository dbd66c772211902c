import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Sheets as an output of a profile, through the worker's processor.
@Suite("Outputs that are sheets", .vips)
struct SheetTests {
  private let steps = """
    summary = "Cut and turn"
    [[step]]
    op = "crop"
    rect = ["25%", "25%", "50%", "50%"]
    [[step]]
    op = "rotate"
    angle = 10
    background = "transparent"

    """

  private func sheet(
    _ keys: String = "",
    of bytes: [UInt8],
    named name: String = "a.png"
  ) throws -> Pixels {
    let bench = try Workbench(
      steps + "[[output]]\nkind = \"sheet\"\nformat = \"png\"\n" + keys
    )
    let outcome = try bench.process(bytes, named: name)
    #expect(outcome.result.error == nil)
    return try Pixels(outcome.image())
  }

  /// A sheet's samples; a sheet has millions, and a row that is as it was need not be looked at.
  private struct Pixels {
    let width: Int
    let height: Int
    let bands: Int
    let samples: [UInt8]

    init(_ image: Image) throws {
      width = image.width
      height = image.height
      bands = image.bands
      samples = try image.pixels()
    }

    private func row(_ y: Int) -> ArraySlice<UInt8> {
      samples[(y * width * bands)..<((y + 1) * width * bands)]
    }

    func pixel(_ x: Int, _ y: Int) -> [Int] {
      (0..<bands).map { Int(samples[(y * width + x) * bands + $0]) }
    }

    /// The smallest rectangle that holds every pixel in which two pictures differ by more.
    func difference(_ other: Pixels, by tolerance: Int = 0) -> PixelRectangle? {
      guard other.width == width, other.height == height else {
        return PixelRectangle(x: 0, y: 0, width: width, height: height)
      }
      var xs: [Int] = []
      var ys: [Int] = []
      for y in 0..<height where row(y) != other.row(y) {
        for x in 0..<width {
          let differs = zip(pixel(x, y), other.pixel(x, y)).contains { abs($0 - $1) > tolerance }
          if differs {
            xs.append(x)
            ys.append(y)
          }
        }
      }
      guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
      else { return nil }
      return PixelRectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
  }

  @Test("a sheet stands next to an output that is none, which is as it is without it")
  func nextToAnother() throws {
    let plain = "[[output]]\nname = \"plain\"\nformat = \"png\"\n"
    let picture = try NaivePicture.synthetic(240, 160).encoded(.png)
    let both = try Workbench(
      steps + plain + "[[output]]\nname = \"sheet\"\nkind = \"sheet\"\nformat = \"webp\"\n"
    )
    let outcome = try both.process(picture, named: "a.png")
    #expect(outcome.result.outputs.map(\.format) == [.png, .webp])
    let alone = try Workbench(steps + plain).process(picture, named: "a.png")
    #expect(try outcome.bytes() == alone.bytes())
    let sheet = try outcome.image(1)
    #expect(sheet.bands == 3)
    #expect(sheet.width > 1000 && sheet.height > 400)
    #expect(outcome.result.outputs[1].width == sheet.width)
    // Of the picture under it the sheet says nothing.
    #expect(outcome.result.outputs[1].cropBounds == nil)
  }

  @Test("guides = false leaves out the guides, and changes nothing else")
  func guides() throws {
    let picture = try NaivePicture(width: 240, height: 160, bands: 3) { _, _, _ in 200 }
      .encoded(.png)
    let with = try sheet(of: picture)
    let without = try sheet("guides = false\n", of: picture)
    let place = try #require(with.difference(without))
    // All of the picture that enters the crop, and nothing beside it.
    #expect(place.size == Size(width: 240, height: 160))
    // Dimmed to 0.7 where it is cut away, bare in the middle of what is kept.
    #expect(abs(with.pixel(place.x + 20, place.y + 20)[0] - 140) <= 1)
    #expect(with.pixel(place.x + 120, place.y + 80)[0] == 200)
    // The frame's corner: a quarter of each side.
    #expect(with.pixel(place.x + 60, place.y + 40)[0] > 250)
    #expect(with.pixel(place.x + 179, place.y + 119)[0] > 250)
    #expect(abs(with.pixel(place.x + 57, place.y + 37)[0] - 140) <= 1)
  }

  @Test("each of the eight orientations gives the same sheet", arguments: 2...8)
  func orientations(_ tag: Int) throws {
    let picture = NaivePicture.synthetic(60, 44)
    // Stored so that this tag makes it upright: four quarter turns or two flips bring it back.
    let stored =
      [5, 7].contains(tag) ? picture.turned(byTag: tag) : picture.turned(byTag: inverse(tag))
    #expect(stored.turned(byTag: tag).greatestDifference(from: picture) == 0)
    let upright = try sheet(of: picture.encoded(.tiff, orientation: 1), named: "a.tif")
    let turned = try sheet(of: stored.encoded(.tiff, orientation: tag), named: "a.tif")
    #expect(upright.difference(turned, by: 1) == nil)
  }

  private func inverse(_ tag: Int) -> Int { tag == 6 ? 8 : tag == 8 ? 6 : tag }

  @Test("every format that can be written holds a sheet", arguments: OutputFormat.allCases)
  func formats(_ format: OutputFormat) throws {
    let bench = try Workbench(
      "[[output]]\nkind = \"sheet\"\nformat = \"\(format.rawValue)\"\n"
    )
    let outcome = try bench.process(NaivePicture.synthetic(30, 20).encoded(.png), named: "a.png")
    #expect(outcome.result.error == nil)
    #expect(outcome.result.outputs.first?.format == format.picture)
    #expect(try outcome.image().width == outcome.result.outputs[0].width)
  }

  @Test("gray, deep, transparent and tiny pictures, and one with a profile, have their sheets")
  func kinds() throws {
    let kinds: [(String, [UInt8])] = [
      ("gray", try NaivePicture.synthetic(90, 70, bands: 1).encoded(.png)),
      ("gray with alpha", try NaivePicture.synthetic(90, 70, bands: 2).encoded(.png)),
      ("alpha", try NaivePicture.synthetic(90, 70, bands: 4).encoded(.png)),
      ("16 bit", try NaivePicture.synthetic(90, 70).encoded(.png, deep: true)),
      ("16 bit with alpha", try NaivePicture.synthetic(90, 70, bands: 4).encoded(.png, deep: true)),
      ("one pixel", try NaivePicture.synthetic(1, 1).encoded(.png)),
      ("a line", try NaivePicture.synthetic(1, 3000).encoded(.png)),
      ("a strip", try NaivePicture.synthetic(3000, 1).encoded(.png)),
      (
        "Adobe RGB",
        try NaivePicture.synthetic(90, 70)
          .encoded(.png, profile: matrixProfile(.adobe, gamma: 2.2))
      ),
      (
        "gray with a profile",
        try NaivePicture.synthetic(90, 70, bands: 1)
          .encoded(.png, profile: grayProfile(gamma: 1.8))
      ),
    ]
    for (name, bytes) in kinds {
      let image = try sheet(of: bytes)
      #expect(image.bands == 3, "\(name)")
    }
  }

  @Test("colors are shown as sRGB, whatever the picture's profile")
  func colors() throws {
    // A gray of 128 under a power of 1.0 is brighter in sRGB.
    let linear = matrixProfile(.srgb, gamma: 1)
    let flat = NaivePicture(width: 240, height: 160, bands: 3) { _, _, _ in 128 }
    let plain = try sheet("guides = false\n", of: flat.encoded(.png))
    let bright = try sheet("guides = false\n", of: flat.encoded(.png, profile: linear))
    let place = try #require(plain.difference(bright))
    #expect(plain.pixel(place.x, place.y)[0] == 128)
    // IEC 61966-2-1: 1.055 × 0.502 ^ (1 / 2.4) - 0.055, of 255.
    #expect(abs(bright.pixel(place.x, place.y)[0] - 188) <= 1)
  }

  @Test("transparency is shown on a checkered ground")
  func checks() throws {
    let clear = NaivePicture(width: 240, height: 160, bands: 4) { _, _, band in band == 3 ? 0 : 90 }
    let solid = NaivePicture(width: 240, height: 160, bands: 4) { _, _, band in band == 3 ? 255 : 90
    }
    let one = try sheet("guides = false\n", of: clear.encoded(.png))
    let other = try sheet("guides = false\n", of: solid.encoded(.png))
    let place = try #require(one.difference(other))
    #expect(one.pixel(place.x, place.y) == [255, 255, 255])
    #expect(one.pixel(place.x + 8, place.y) == [217, 217, 217])
    #expect(one.pixel(place.x + 8, place.y + 8) == [255, 255, 255])
  }

  @Test("a sheet has the same bytes for any number of threads")
  func threads() throws {
    let picture = try jpeg(NaivePicture.synthetic(700, 500), exif: exifBlock(orientation: 6))
    let profile = steps + "[[output]]\nkind = \"sheet\"\nformat = \"png\"\n"
    let one = try Workbench(profile, threads: 1).process(picture, named: "a.jpg").bytes()
    let four = try Workbench(profile, threads: 4).process(picture, named: "a.jpg").bytes()
    #expect(one == four)
  }

  @Test("a sheet carries nothing of the picture's metadata")
  func metadata() throws {
    let picture = try jpeg(NaivePicture.synthetic(40, 30), exif: exifBlock(orientation: 6))
    let bench = try Workbench("[[output]]\nkind = \"sheet\"\nformat = \"jpeg\"\n")
    let sheet = try bench.process(picture, named: "a.jpg").image()
    #expect(sheet.blob("exif-data").map { ExifReading($0).orientation } ?? 1 == 1)
    #expect(sheet.string("exif-ifd0-ImageDescription") == nil)
    #expect(sheet.blob("icc-profile-data") == nil)
  }

  @Test("a picture that a step leaves out has a sheet that says so")
  func leftOut() throws {
    let step = "[[step]]\nop = \"thumbnail-preview\"\nwithin-limit = \"skip\"\n"
    let output = "[[output]]\nname = \"a\"\nkind = \"sheet\"\n[[output]]\nname = \"b\"\n"
    let bench = try Workbench(step + output)
    let outcome = try bench.process(NaivePicture.synthetic(30, 20).encoded(.png), named: "a.png")
    #expect(outcome.result.outputs.map(\.path) == [Path("1-a")])
  }

  @Test("a small input.max-pixels holds for pictures, and not for their sheets")
  func limit() throws {
    let bench = try Workbench("[input]\nmax-pixels = 700\n[[output]]\nkind = \"sheet\"\n")
    let outcome = try bench.process(NaivePicture.synthetic(30, 20).encoded(.png), named: "a.png")
    #expect(outcome.result.status == .done)
  }

  @Test("what headers tell of a sheet leaves its size open")
  func planned() throws {
    let bench = try Workbench("[[output]]\nkind = \"sheet\"\nformat = \"png\"\n")
    let path = try bench.folder.write(NaivePicture.synthetic(30, 20).encoded(.png), to: "a.png")
    let probe = try bench.probe(path)
    #expect(probe.error == nil)
    #expect(probe.sizes == [nil])
    #expect(probe.leftOut == [])
  }

  @Test("damage fails the item as it does without a sheet")
  func damaged() throws {
    let whole = try jpeg(NaivePicture.synthetic(300, 300), exif: exifBlock(orientation: 1))
    let bench = try Workbench("[[output]]\nkind = \"sheet\"\nformat = \"png\"\n")
    let outcome = try bench.process(Array(whole.prefix(whole.count / 2)), named: "a.jpg")
    #expect(outcome.result.error?.code == .damaged)
    #expect(try bench.leftovers() == [])
  }
}
