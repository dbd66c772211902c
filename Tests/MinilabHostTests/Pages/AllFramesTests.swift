import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Field report 15 to its end: a crop, a turn or a mask of an animation gives an animation.
@Suite("All frames of an animation (field report 15)", .vips)
struct AllFramesTests {
  static let all = "[input]\npages = \"all\"\n"
  private static let film = HandmadeGIF.moving(
    Size(width: 40, height: 24),
    delays: [10, 3, 25, 4, 7],
    again: 4
  )
  private static let timing = Film(delays: [100, 30, 250, 40, 70], plays: 5)

  private static let steps: [String] = [
    "op = \"orient\"",
    "op = \"orient\"\nmode = \"rotate-90\"",
    "op = \"crop\"\nrect = [3, 2, 21, 13]",
    "op = \"crop\"\nframe-size = [20, 20]\nzoom = 1.3\nangle = 20\npan = [1, 2]",
    "op = \"thumbnail-preview\"\nmax-side = 20",
    "op = \"resize\"\nwidth = 60\nheight = 30\nfit = \"stretch\"\nenlarge = true",
    "op = \"shape-mask\"\nshape = \"ellipse\"",
    "op = \"shape-mask\"\nshape = \"star\"\noutside = \"white\"\ntrim = true",
    "op = \"rotate\"\nangle = 30",
    "op = \"blur\"\nsigma = 2.0",
    "op = \"vips\"\noperation = \"invert\"",
  ]

  /// A GIF as it is, or as a WebP that keeps every pixel.
  private static func input(_ format: PictureFormat) throws -> [UInt8] {
    if format == .gif { return film.bytes }
    let rows = film.shown.flatMap(\.samples)
    let strip = try NaivePicture(width: 40, height: 24 * 5, bands: 4, samples: rows).image().copy()
    strip.set("page-height", int: 24)
    strip.set("delay", ints: timing.delays)
    strip.set("loop", int: timing.plays)
    return try strip.encoded(.webp, [.init("lossless", .bool(true))])
  }

  /// Each frame as a still through the same steps.
  private static func stills(_ step: String, alpha: Bool) throws -> [NaivePicture] {
    let bench = try Workbench("[[step]]\n\(step)\n[[output]]\nformat = \"png\"\n")
    return try film.shown.map { frame in
      let bands = alpha ? 4 : 3
      let still = NaivePicture(width: 40, height: 24, bands: bands) { x, y, band in
        frame[x, y, band]
      }
      return try bench.process(still.encoded(.png), named: "a.png").picture()
    }
  }

  @Test(
    "keep their number, their delays and the loop count, and each is what a still of it would be",
    arguments: steps,
    [(PictureFormat.gif, PictureFormat.gif), (.gif, .webp), (.webp, .webp), (.webp, .gif)]
  )
  func carried(_ step: String, _ formats: (from: PictureFormat, to: PictureFormat)) throws {
    let encoder =
      "format = \"\(formats.to.rawValue)\"\n" + (formats.to == .webp ? "lossless = true\n" : "")
    let bench = try Workbench(Self.all + "[[step]]\n\(step)\n[[output]]\n\(encoder)")
    let outcome = try bench.process(Self.input(formats.from), named: "a")
    let bytes = try outcome.bytes()
    #expect(try Film(bytes) == Self.timing)
    #expect(outcome.result.outputs[0].pages == 5)
    #expect(!outcome.noteCodes.contains(.pagesDropped))
    #expect(!outcome.noteCodes.contains(.timingChanged))
    for (index, still) in try Self.stills(step, alpha: formats.from == .webp).enumerated() {
      let frame = try page(index, of: bytes, formats.to)
      #expect(frame.size == still.size, "frame \(index)")
      if formats.to == .webp {
        #expect(frame.greatestVisibleDifference(from: still) <= 1, "frame \(index)")
      } else {
        // A palette, dithered, and edges that are there or not.
        #expect(frame.meanVisibleDifference(from: still) < 9, "frame \(index)")
      }
    }
  }

  @Test("that are transparent, clear what they drew, or bring back what was there")
  func disposals() throws {
    var film = HandmadeGIF(size: Size(width: 8, height: 6), again: nil)
    let whole = PixelRectangle(film.size)
    func box(_ x: Int, _ y: Int) -> PixelRectangle { .init(x: x, y: y, width: 4, height: 4) }
    let half = (0..<48).map { $0 % 8 < 4 ? UInt8(1) : 0 }
    film.frames = [
      .init(delay: 5, disposal: 2, transparent: 0, box: whole, pixels: half),
      .init(
        delay: 6,
        disposal: 2,
        transparent: 0,
        box: box(2, 2),
        pixels: .init(repeating: 2, count: 16)
      ),
      .init(
        delay: 7,
        disposal: 3,
        transparent: 0,
        box: box(0, 0),
        pixels: .init(repeating: 3, count: 16)
      ),
      .init(
        delay: 8,
        disposal: 1,
        transparent: 0,
        box: box(4, 0),
        pixels: .init(repeating: 1, count: 16)
      ),
      .init(
        delay: 9,
        disposal: 1,
        transparent: 0,
        box: box(4, 0),
        pixels: .init(repeating: 0, count: 16)
      ),
    ]
    for format in [PictureFormat.gif, .webp] {
      let bench = try Workbench(
        Self.all + "[[step]]\nop = \"crop\"\nrect = [1, 0, 7, 6]\n[[output]]\nformat = "
          + (format == .gif ? "\"gif\"" : "\"webp\"\nlossless = true")
      )
      let bytes = try bench.process(film.bytes, named: "a.gif").bytes()
      #expect(try Film(bytes) == Film(delays: [50, 60, 70, 80, 90], plays: 1))
      for (index, wanted) in film.shown.enumerated() {
        let cut = NaivePicture(width: 7, height: 6, bands: 4) { x, y, band in
          wanted[x + 1, y, band]
        }
        let frame = try page(index, of: bytes, format)
        #expect(frame.greatestVisibleDifference(from: cut) == 0, "\(format) frame \(index)")
      }
    }
  }

  @Test(
    "that look alike are all there, with delays of any length",
    arguments: [1, 2, 5],
    [nil, 0, 1, 7] as [Int?]
  )
  func alike(_ kinds: Int, _ again: Int?) throws {
    var film = HandmadeGIF.moving(
      Size(width: 30, height: 20),
      delays: [10, 0, 1, 2, 60_000, 1, 3],
      again: again
    )
    for index in film.frames.indices {
      film.frames[index].pixels = film.frames[index * kinds / 7].pixels
    }
    let wanted = Film(
      delays: [100, 0, 10, 20, 600_000, 10, 30],
      plays: again.map { $0 == 0 ? 0 : $0 + 1 } ?? 1
    )
    for (format, options) in [("gif", ""), ("webp", "lossless = true"), ("webp", "quality = 60")] {
      let bench = try Workbench(
        Self.all + "[[step]]\nop = \"crop\"\nrect = [0, 0, 28, 20]\n[[output]]\n"
          + "format = \"\(format)\"\n\(options)\n"
      )
      let bytes = try bench.process(film.bytes, named: "a.gif").bytes()
      #expect(try Film(bytes) == wanted, "\(format) \(options)")
      for index in film.frames.indices where options != "quality = 60" {
        let shown = film.shown[index]
        let cut = NaivePicture(width: 28, height: 20, bands: 4) { x, y, band in shown[x, y, band] }
        let own = try page(index, of: bytes, format == "gif" ? .gif : .webp)
        #expect(own.greatestVisibleDifference(from: cut) == 0, "\(format) frame \(index)")
      }
    }
  }

  @Test("that clear their place stay until their time is over, where they look alike")
  func alikeAndClearing() throws {
    var film = HandmadeGIF(size: Size(width: 24, height: 16))
    // A dot on nothing, four times; then another, elsewhere.
    for (number, x) in [2, 2, 2, 14, 14, 2].enumerated() {
      film.frames.append(
        .init(
          delay: 4 + number,
          disposal: 2,
          transparent: 3,
          box: PixelRectangle(x: x, y: x / 2, width: 6, height: 6),
          pixels: .init(repeating: UInt8(x == 2 ? 0 : 1), count: 36)
        )
      )
    }
    let bench = try Workbench(
      Self.all + "[[step]]\nop = \"orient\"\nmode = \"flip-horizontal\"\n"
        + "[[output]]\nformat = \"webp\"\nlossless = true\n"
    )
    let bytes = try bench.process(film.bytes, named: "a.gif").bytes()
    #expect(try Film(bytes) == Film(delays: [40, 50, 60, 70, 80, 90], plays: 0))
    for (index, shown) in film.shown.enumerated() {
      let flipped = NaivePicture(width: 24, height: 16, bands: 4) { x, y, band in
        shown[23 - x, y, band]
      }
      let own = try page(index, of: bytes, .webp)
      #expect(own.greatestVisibleDifference(from: flipped) == 0, "frame \(index)")
    }
  }

  @Test(
    "A delay that GIF cannot count is rounded so that the film is as long as before, with a note"
  )
  func rounded() throws {
    let strip = try NaivePicture.synthetic(20, 40, bands: 3).image().copy()
    strip.set("page-height", int: 10)
    strip.set("delay", ints: [33, 33, 33, 41])
    strip.set("loop", int: 0)
    let bytes = try strip.encoded(.webp, [.init("lossless", .bool(true))])
    let bench = try Workbench(
      Self.all
        + "[[output]]\nformat = \"gif\"\n[[output]]\nname = \"b\"\nformat = \"webp\"\nquality = 50\n"
    )
    let outcome = try bench.process(bytes, named: "a.webp")
    #expect(try Film(outcome.bytes()) == Film(delays: [30, 40, 30, 40], plays: 0))
    #expect(outcome.noteCodes.filter { $0 == .timingChanged }.count == 1)
    #expect(try Film(outcome.bytes(1)) == Film(delays: [33, 33, 33, 41], plays: 0))
  }

  @Test("What a step looks for is found on the first frame, and every frame is cut there")
  func attention() throws {
    // The bright ball moves over a dark ground: each frame alone would be cut elsewhere.
    let step = "op = \"crop\"\nsize = [16, 12]\ngravity = \"attention\""
    let film = HandmadeGIF.moving(
      Size(width: 60, height: 40),
      delays: .init(repeating: 5, count: 8)
    )
    let bench = try Workbench(
      Self.all + "[[step]]\n\(step)\n[[output]]\nformat = \"webp\"\nlossless = true\n"
    )
    let outcome = try bench.process(film.bytes, named: "a.gif")
    let bytes = try outcome.bytes()
    let bounds = try #require(outcome.result.outputs[0].cropBounds)
    let alone = try Workbench("[[step]]\n\(step)\n[[output]]\nformat = \"png\"\n")
    var places: Set<Int> = []
    for (index, shown) in film.shown.enumerated() {
      let cut = NaivePicture(width: 16, height: 12, bands: 4) { x, y, band in
        shown[bounds.x + x, bounds.y + y, band]
      }
      #expect(try page(index, of: bytes, .webp).greatestVisibleDifference(from: cut) == 0)
      let opaque = NaivePicture(width: 60, height: 40, bands: 3) { x, y, band in shown[x, y, band] }
      let still = try alone.process(opaque.encoded(.png), named: "a.png")
      places.insert(try #require(still.result.outputs[0].cropBounds).x)
    }
    #expect(places.count > 1, "or the test says nothing")
  }

  @Test("An output of its own shows the first frame, as a poster, and a sheet does")
  func poster() throws {
    let bench = try Workbench(
      Self.all
        + """
        [[output]]
        name = "film"
        format = "webp"
        lossless = true
        [[output]]
        name = "poster"
        format = "png"
        pages = "first"
        [[output]]
        name = "sheet"
        kind = "sheet"
        format = "png"
        """
    )
    let outcome = try bench.process(Self.film.bytes, named: "a.gif")
    #expect(try Film(outcome.bytes()) == Self.timing)
    #expect(outcome.result.outputs.map(\.pages) == [5, nil, nil])
    let first = Self.film.shown[0]
    #expect(try outcome.picture(1).greatestVisibleDifference(from: first) == 0)
    #expect(try outcome.picture(2).width > 40)
  }

  @Test("A watermark lies on every frame; the first frame of an animated one, with a note")
  func watermark() throws {
    let mark = HandmadeGIF.moving(Size(width: 9, height: 7), delays: [1, 2])
    let folder = try ScratchFolder()
    let file = try folder.write(mark.bytes, to: "mark.gif")
    let bench = try Workbench(
      Self.all
        + """
        [[step]]
        op = "compose"
        canvas = "frame"
        [[step.layer]]
        source = "frame"
        [[step.layer]]
        source = "\(file.shown)"
        gravity = "north-west"
        [[output]]
        format = "webp"
        lossless = true
        """
    )
    let outcome = try bench.process(Self.film.bytes, named: "a.gif")
    let bytes = try outcome.bytes()
    #expect(try Film(bytes) == Self.timing)
    let note = outcome.result.notes.first { $0.code == .pagesDropped }
    #expect(note?.text == "the first of 2 pages was used")
    for (index, shown) in Self.film.shown.enumerated() {
      let wanted = NaivePicture(width: 40, height: 24, bands: 4) { x, y, band in
        x < 9 && y < 7 ? mark.shown[0][x, y, band] : shown[x, y, band]
      }
      #expect(try page(index, of: bytes, .webp).greatestVisibleDifference(from: wanted) <= 1)
    }
  }

  @Test("Of a group's animated members the first frame is shown, with a note")
  func gathered() throws {
    let bench = try Workbench(
      Self.all
        + """
        [gather]
        by = "all"
        [[step]]
        op = "compose"
        layout = "strip"
        tile = [40, 24]
        gap = 0
        [[output]]
        format = "png"
        """
    )
    let a = try bench.folder.write(Self.film.bytes, to: "in/a.gif")
    let b = try bench.folder.write(NaivePicture.synthetic(40, 24).encoded(.png), to: "in/b.png")
    let outcome = try bench.process(group: [a, b])
    #expect(outcome.result.notes.contains { $0.code == .pagesDropped && $0.text.contains("5") })
    #expect(try outcome.picture().size == Size(width: 80, height: 24))
  }

  @Test("An animation that nothing changes is copied, byte for byte")
  func copied() throws {
    let bench = try Workbench(Self.all + "[[step]]\nop = \"orient\"\n[[output]]\n")
    let outcome = try bench.process(Self.film.bytes, named: "a.gif")
    #expect(try outcome.bytes() == Self.film.bytes)
    #expect(outcome.noteCodes == [.copied])
    #expect(outcome.result.outputs[0].pages == 5)
  }

  @Test("Without metadata the frames keep their times", arguments: ["gif", "webp"])
  func withoutMetadata(_ format: String) throws {
    let bench = try Workbench(
      Self.all
        + "[[step]]\nop = \"crop\"\nrect = [0, 0, 30, 20]\n[[output]]\nformat = \"\(format)\"\n"
        + "metadata = \"none\"\n"
    )
    #expect(try Film(bench.process(Self.film.bytes, named: "a.gif").bytes()) == Self.timing)
  }

  @Test("A film that ends early has failed, and leaves no file", arguments: ["gif", "webp"])
  func damaged(_ format: String) throws {
    let film = HandmadeGIF.moving(
      Size(width: 64, height: 64),
      delays: .init(repeating: 5, count: 6)
    )
    let bench = try Workbench(
      Self.all
        + "[[step]]\nop = \"crop\"\nrect = [0, 0, 30, 20]\n[[output]]\nformat = \"\(format)\"\n"
    )
    let cut = Array(film.bytes.prefix(film.bytes.count * 9 / 10))
    let outcome = try bench.process(cut, named: "a.gif")
    #expect(outcome.result.error?.code == .damaged)
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
  }

  @Test("A step that gives each frame a size of its own makes no animation")
  func sizes() throws {
    let bench = try Workbench(
      Self.all
        + "[[step]]\nop = \"thumbnail-preview\"\nmax-side = 20\nwithin-limit = \"skip\"\n[[output]]\nformat = \"gif\"\n"
    )
    let small = HandmadeGIF.moving(Size(width: 20, height: 14), delays: [1, 2])
    #expect(try bench.process(small.bytes, named: "a.gif").result.reason == .withinLimit)
  }
}
