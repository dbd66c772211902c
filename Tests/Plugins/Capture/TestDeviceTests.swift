import MinilabHost
import MinilabKit
import TestSupport
import Testing
import V4L2
import Vips

@testable import CaptureOperation

/// Captures of the built-in pattern: everything but a device.
@Suite("Stills of the test pattern", .vips)
struct TestDeviceTests {
  /// What a step with these lines makes.
  private func items(_ toml: String, most: Int = .max) throws -> [SourceItem] {
    let desk = try Desk(most: most)
    let capture = try Trial.operation(Capture.self, "device = \"test\"\n" + toml)
    try capture.makeItems(for: desk)
    #expect(desk.records.isEmpty)
    return desk.items
  }

  private func number(_ item: SourceItem) throws -> Int? {
    let image = try item.image
    return TestPattern.frameNumber(
      in: Bitmap(
        width: image.width,
        height: image.height,
        bands: image.bands,
        samples: try image.pixels()
      )
    )
  }

  @Test("count pictures are taken, one after the other, none twice")
  func count() throws {
    let items = try items("size = [160, 120]\ncount = 5\nwarm-up = 7")
    #expect(try items.map(number) == [7, 8, 9, 10, 11])
  }

  @Test("warm-up frames are thrown away")
  func warmUp() throws {
    let first = try items("size = [160, 120]\nwarm-up = 0")
    let later = try items("size = [160, 120]\nwarm-up = 31")
    #expect(try number(first[0]) == 0)
    #expect(try number(later[0]) == 31)
  }

  @Test("burst pictures are taken each time, and interval is waited for between the times")
  func burst() throws {
    let desk = try Desk()
    let capture = try Trial.operation(
      Capture.self,
      "device = \"test\"\nsize = [160, 120]\ncount = 3\nburst = 2\ninterval = 0.05"
    )
    #expect(capture.itemCount == 6)
    try capture.makeItems(for: desk)
    #expect(desk.items.count == 6)
    #expect(desk.waits.count == 2)
    #expect(desk.waits.allSatisfy { $0 <= .milliseconds(100) })
  }

  @Test("a run that wants no more is heeded between two pictures")
  func stop() throws {
    #expect(try items("size = [160, 120]\ncount = 1000\ninterval = 0.01", most: 3).count == 3)
  }

  @Test("items are named by device, date and a number that sorts")
  func names() throws {
    let items = try items("size = [160, 120]\ncount = 2")
    for (index, item) in items.enumerated() {
      let parts = (item.name.text ?? "").split(separator: "-")
      let date = item.taken.written(as: "%Y%m%d %H%M%S")
      let shown = String(decoding: date, as: UTF8.self).split(separator: " ")
      #expect(parts == ["test"] + shown + ["000\(index + 1).jpg"])
    }
    let many = SourceAnnouncement(name: "a", format: .png)
    let clock = WallClock(seconds: 0)
    #expect(
      many.itemName(taken: clock, index: 7, of: 123_456) == Path("a-19700101-000000-000007.png")
    )
  }

  @Test(
    "each form of pixels gives the same picture",
    arguments: ["mjpeg", "yuyv", "uyvy", "nv12", "rgb24", "bgr24", "grey"]
  )
  func pixelFormats(_ form: String) throws {
    let item = try items("size = [192, 144]\nwarm-up = 3\npixel-format = \"\(form)\"")[0]
    #expect(item.format == (form == "mjpeg" ? .jpeg : .png))
    #expect(item.isRaw == (form != "mjpeg"))
    let image = try item.image
    #expect(image.width == 192 && image.height == 144)
    #expect(image.bands == (form == "grey" ? 1 : 3))
    #expect(try number(item) == 3)
    let wanted = try #require(TestPattern(width: 192, height: 144)).bitmap(number: 3)
    // The middles of the bars, weighed as BT.601 does where there is no color.
    for bar in 0..<8 {
      let x = bar * 24 + 12
      let color = (0..<3).map { Double(wanted.samples[(10 * 192 + x) * 3 + $0]) }
      let levels =
        form == "grey" ? [0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]] : color
      for (found, level) in zip(try image.samples(x: x, y: 10), levels) {
        #expect(abs(Double(found) - level) <= 4, "\(form), bar \(bar)")
      }
    }
  }

  @Test(
    "an MJPEG frame stays as it is but for tables and EXIF",
    arguments: ["test", "test:tables"]
  )
  func motionJPEG(_ device: String) throws {
    let desk = try Desk()
    let capture = try Trial.operation(
      Capture.self,
      "device = \"\(device)\"\nsize = [160, 120]\nwarm-up = 4"
    )
    try capture.makeItems(for: desk)
    let frame = try #require(TestPattern(width: 160, height: 120))
      .frame(number: 4, as: .mjpeg, huffmanTables: device == "test:tables")
    // With tables, the frame is all there is behind the EXIF segment; without, they were put in.
    let whole = try frame.jpeg()
    let file = desk.items[0].bytes
    let length = 2 + (Int(file[4]) << 8 | Int(file[5]))
    #expect(Array(file[..<2]) + file[(2 + length)...] == whole)
    #expect((frame.bytes == whole) == (device == "test:tables"))
  }

  @Test("the nearest size is taken, and noted")
  func size() throws {
    let small = try items("size = [10, 10]")[0]
    #expect(try small.image.width == 32)
    #expect(small.notes.map(\.code) == [.nearestFormat])
    #expect(try items("size = [160, 120]")[0].notes.isEmpty)
  }

  @Test(
    "a preset is a size",
    arguments: [("photo", 1920), ("high", 1920), ("medium", 1280), ("low", 640)]
  )
  func preset(_ name: String, _ width: Int) throws {
    let capture = try Trial.operation(Capture.self, "device = \"test\"\npreset = \"\(name)\"")
    #expect(try capture.announce().size?[0] == width)
  }

  @Test("EXIF tells when, by what, and how the picture is to be turned")
  func exif() throws {
    let item = try items("size = [160, 120]\nheld = \"portrait\"\nmirror = true")[0]
    let date = String(decoding: item.taken.written(as: "%Y:%m:%d %H:%M:%S"), as: UTF8.self)
    #expect(try item.exif("exif-ifd2-DateTimeOriginal") == date)
    #expect(try item.exif("exif-ifd0-Make") == "Minilab")
    #expect(try item.exif("exif-ifd0-Model") == "Test pattern")
    #expect(try item.image.int("orientation") == 5)
    #expect(try item.exif("exif-ifd2-PixelXDimension") == "160")
    #expect(try item.exif("exif-ifd2-ColorSpace") == "1")
  }

  @Test(
    "held and mirror give the orientation, and the pattern is upright by it",
    arguments: [
      ("", 1), ("held = \"landscape-left\"", 1), ("held = \"landscape-right\"", 3),
      ("held = \"portrait\"", 6), ("held = \"portrait-upside-down\"", 8), ("mirror = true", 2),
      ("held = \"landscape-right\"\nmirror = true", 4), ("held = \"portrait\"\nmirror = true", 5),
      ("held = \"portrait-upside-down\"\nmirror = true", 7),
    ]
  )
  func held(_ toml: String, _ tag: Int) throws {
    let item = try items("size = [160, 120]\npixel-format = \"rgb24\"\n" + toml)[0]
    #expect(try item.image.int("orientation") == tag)
    let capture = try Trial.operation(Capture.self, "device = \"test\"\nsize = [160, 120]\n" + toml)
    #expect(try capture.announce().orientation.rawValue == tag)
  }

  @Test("a mirrored picture shows the upright one from right to left")
  func mirrored() {
    let stored = Size(width: 4, height: 3)
    for orientation in Orientation.allCases {
      let upright = orientation.upright(stored)
      for x in 0..<upright.width {
        for y in 0..<upright.height {
          let point = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
          let across = Point(x: Double(upright.width) - point.x, y: point.y)
          let seen = orientation.mirrored.toStored(stored)(x: point.x, y: point.y)
          let wanted = orientation.toStored(stored)(x: across.x, y: across.y)
          #expect(abs(seen.x - wanted.x) < 1e-9 && abs(seen.y - wanted.y) < 1e-9)
        }
      }
    }
  }

  @Test("what the camera cannot zoom is left to be cut, at most max-zoom")
  func zoom() throws {
    let half = try items("size = [160, 120]\nzoom = 2")[0]
    #expect(half.middle == 0.5)
    #expect(half.notes.map(\.code) == [.zoomCropped])
    let most = try items("size = [160, 120]\nzoom = 50\nmax-zoom = 2.5")[0]
    #expect(most.middle == 0.4)
    #expect(most.notes.map(\.code) == [.zoomChanged, .zoomCropped])
    #expect(try items("size = [160, 120]")[0].middle == 1)
  }

  @Test("a flash that is not there is noted, or an error where it is required")
  func flash() throws {
    let item = try items("size = [160, 120]\nflash = \"on\"\ncount = 2")
    #expect(item[0].notes.map(\.code) == [.flashUnsupported])
    let capture = try Trial.operation(
      Capture.self,
      "device = \"test\"\nflash = \"on\"\nrequire-flash = true"
    )
    #expect(throws: ItemError.self) { try capture.announce() }
  }

  @Test("controls that the pattern does not have are refused before anything is begun")
  func controls() throws {
    let capture = try Trial.operation(
      Capture.self,
      "device = \"test\"\ncontrols = { brightness = 3 }"
    )
    #expect(throws: ItemError.self) { try capture.announce() }
  }

  @Test(
    "front and back are what the profile says, where no camera does",
    arguments: ["front", "back"]
  )
  func mapping(_ place: String) throws {
    var capture = try Trial.operation(
      Capture.self,
      "device = \"\(place)\"\n\(place) = \"test\"\nsize = [160, 120]"
    )
    capture.folder = "/nowhere"
    let announced = try capture.announce()
    #expect(announced.name == "test")
    #expect(announced.size == [160, 120])
  }

  @Test("an announcement says what would be asked for")
  func announcement() throws {
    let capture = try Trial.operation(
      Capture.self,
      "device = \"test\"\nsize = [320, 240]\ncount = 3\nburst = 2\ninterval = 1.5"
    )
    let announced = try capture.announce()
    #expect(announced.format == .jpeg)
    #expect(
      announced.facts.map { "\($0.name): \($0.text)" } == [
        "device: test pattern", "size: 320 × 240", "pixel-format: mjpeg",
        "pictures: 3 × 2, 1.5 s apart",
      ]
    )
  }
}
