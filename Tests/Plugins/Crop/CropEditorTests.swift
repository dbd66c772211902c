import Glibc
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@testable import CropOperation

/// Way 4: what an editor's frame shows.
///
/// Where a mark lies in the result is worked out by hand.
@Suite("Crop by an editor's frame", .vips) struct CropEditorTests {
  private static let mark = Point(x: 140.5, y: 60.5)

  /// 200 × 120, black, with a soft white dot at the mark.
  private func picture() throws -> Image {
    var pixels: [UInt8] = []
    for y in 0..<120 {
      for x in 0..<200 {
        let (dx, dy) = (Double(x) + 0.5 - Self.mark.x, Double(y) + 0.5 - Self.mark.y)
        pixels.append(UInt8((255 * exp(-(dx * dx + dy * dy) / 18)).rounded()))
      }
    }
    return try Image(pixels: pixels, width: 200, height: 120, bands: 1)
  }

  private func trial(_ toml: String) throws -> Trial {
    try Trial(Trial.operation(Crop.self, toml), on: picture())
  }

  /// The center of the light in the result.
  private func dot(_ trial: Trial) throws -> Point {
    let image = try trial.image()
    let pixels = try image.pixels()
    var sum = (x: 0.0, y: 0.0, all: 0.0)
    for y in 0..<image.height {
      for x in 0..<image.width {
        let light = Double(pixels[(y * image.width + x) * image.bands])
        sum = (
          sum.x + light * (Double(x) + 0.5), sum.y + light * (Double(y) + 0.5), sum.all + light
        )
      }
    }
    return Point(x: sum.x / sum.all, y: sum.y / sum.all)
  }

  private func expect(
    _ toml: String,
    size: Size,
    dot: (x: Double, y: Double),
    notes: [Note.Code] = [],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let trial = try trial(toml)
    #expect(trial.frame.size == size, sourceLocation: location)
    #expect(trial.frame.notes.map(\.code) == notes, sourceLocation: location)
    let found = try self.dot(trial)
    #expect(hypot(found.x - dot.x, found.y - dot.y) < 0.3, "\(found)", sourceLocation: location)
  }

  // MARK: The frame

  @Test("at rest the picture, centered, just covers the frame")
  func rest() throws {
    // As wide as the picture is high: 120 × 120 of its pixels from x = 40.
    try expect("frame-size = [50, 50]", size: Size(width: 120, height: 120), dot: (100.5, 60.5))
    // Wider than the picture: 200 × 50 of its pixels from y = 35.
    try expect("frame-size = [80, 20]", size: Size(width: 200, height: 50), dot: (140.5, 25.5))
    // Its own aspect: all of it, and no pixel is interpolated.
    let all = try trial("frame-size = [500, 300]")
    #expect(try all.image().pixels() == picture().pixels())
  }

  @Test("zoom is about the middle")
  func zoom() throws {
    // 100 × 60 pixels about (100, 60).
    try expect(
      "frame-size = [500, 300]\nzoom = 2",
      size: Size(width: 100, height: 60),
      dot: (90.5, 30.5)
    )
  }

  @Test("pan moves the picture, right and down, in the frame's units")
  func pan() throws {
    // A unit is 0.4 pixels; the picture moves by 100 pixels · 0.4 · 0.5.
    try expect(
      "frame-size = [500, 300]\nzoom = 2\npan = [-100, 50]",
      size: Size(width: 100, height: 60),
      dot: (70.5, 40.5)
    )
  }

  @Test("angle turns the picture clockwise about its own center")
  func angle() throws {
    // The dot, 40.5 right of the center and 0.5 below, goes 40.5 below it and 0.5 left.
    try expect(
      "frame-size = [50, 50]\nangle = 90",
      size: Size(width: 120, height: 120),
      dot: (59.5, 100.5)
    )
  }

  @Test("a frame off the view's middle sees the picture that rests in the middle")
  func frameRect() throws {
    // A view of 400 × 240 shows the picture at twice its size: the cover scale of 200 × 120 is 1,
    // times zoom 2. The frame's center is at (250, 120), 50 units or 25 pixels right of the view's.
    try expect(
      "view = [400, 240]\nframe-rect = [150, 60, 200, 120]\nzoom = 2",
      size: Size(width: 100, height: 60),
      dot: (90.5 - 25, 30.5)
    )
  }

  @Test("a frame may be in parts of its view")
  func fractions() throws {
    let units = try trial("view = [400, 240]\nframe-rect = [100, 60, 200, 120]\nzoom = 2")
    let parts = try trial(
      "view = [400, 240]\nframe-rect = [\"25%\", \"1/4\", \"50%\", \"1/2\"]\nzoom = 2"
    )
    #expect(try units.image().pixels() == parts.image().pixels())
  }

  // MARK: Limits

  @Test("a zoom beyond its limits is brought within them, with a note")
  func limits() throws {
    let two = Size(width: 100, height: 60)
    try expect(
      "frame-size = [500, 300]\nzoom = 9\nmax-zoom = 2",
      size: two,
      dot: (90.5, 30.5),
      notes: [.zoomChanged]
    )
    try expect(
      "frame-size = [500, 300]\nzoom = 1.5\nmin-zoom = 2",
      size: two,
      dot: (90.5, 30.5),
      notes: [.zoomChanged]
    )
    try expect(
      "frame-size = [500, 300]\nzoom = 2\nmin-zoom = 2\nmax-zoom = 2",
      size: two,
      dot: (90.5, 30.5)
    )
    let problems = #expect(throws: Problems.self) {
      try Trial.operation(Crop.self, "frame-size = [1, 1]\nmin-zoom = 3\nmax-zoom = 2")
    }
    #expect(problems?.all.map(\.code) == [.conflict])
  }

  @Test("the zoom is raised only as far as the frame needs, whatever max-zoom says")
  func leastZoom() throws {
    // Turned by 90° the frame is 3 units wide on a side of 120 pixels, and 5 were there for 200:
    // 3 / 5 · 200 / 120 ≠ 1, so the frame's 500 must fit 120 pixels: (500 / 120) / (500 / 200).
    let trial = try trial("frame-size = [500, 300]\nangle = 90\nmax-zoom = 1.2")
    #expect(trial.frame.size == Size(width: 120, height: 72))
    #expect(trial.frame.notes.map(\.code) == [.zoomChanged])
    #expect(trial.frame.notes.first?.text.contains("1.667, above max-zoom") == true)
    let without = try self.trial("frame-size = [500, 300]\nangle = 90\ncheck-bounds = false")
    #expect(without.frame.size == Size(width: 200, height: 120))
    #expect(without.frame.notes.isEmpty)
  }

  @Test("the pan is moved the least way that covers the frame, with a note")
  func cover() throws {
    // At zoom 2 there are 50 pixels of room to either side: 250 units.
    try expect(
      "frame-size = [500, 300]\nzoom = 2\npan = [-400, 0]",
      size: Size(width: 100, height: 60),
      dot: (40.5, 30.5),
      notes: [.cropClamped]
    )
    let free = try trial(
      "frame-size = [500, 300]\nzoom = 2\npan = [-400, 0]\ncheck-bounds = false"
    )
    #expect(free.frame.notes.isEmpty)
    #expect(try abs(dot(free).x - 10.5) < 0.3)
  }

  @Test("the way is the shortest of all, for any angle")
  func shortest() {
    let frame = EditorFrame(size: Pair(30, 20))
    for degrees in stride(from: -170.0, to: 180, by: 23) {
      var view = EditorView(
        frame,
        picture: Size(width: 90, height: 70),
        zoom: 3,
        pan: Pair(80, -35),
        angle: Angle(degrees: degrees)
      )
      let start = view.offset
      let way = view.cover()
      #expect(abs(hypot(view.offset.x - start.x, view.offset.y - start.y) - way) < 1e-9)
      #expect(isCovered(view))
      // No place that is nearer, on a fine net of directions, covers the frame.
      for step in 0..<72 {
        let direction = Double(step) * .pi / 36
        var nearer = view
        nearer.offset = Point(
          x: start.x + (way - 0.01) * cos(direction),
          y: start.y + (way - 0.01) * sin(direction)
        )
        #expect(!isCovered(nearer) || way == 0, "\(degrees)° \(step)")
      }
    }
  }

  private func isCovered(_ view: EditorView) -> Bool {
    let size = Size(width: 100, height: 100)
    return size.corners.allSatisfy { corner in
      let point = view.toPicture(from: size)(corner)
      return point.x >= -1e-9 && point.y >= -1e-9
        && point.x <= Double(view.picture.width) + 1e-9
        && point.y <= Double(view.picture.height) + 1e-9
    }
  }

  // MARK: What is beside the picture

  @Test("without check-bounds empty space is transparent, or the background")
  func background() throws {
    let wide = "frame-size = [500, 300]\nzoom = 0.5\ncheck-bounds = false\n"
    let clear = try trial(wide)
    #expect(clear.frame.size == Size(width: 400, height: 240))
    #expect(clear.frame.hasAlpha)
    #expect(try clear.image().samples(x: 99, y: 120) == [0, 0])
    #expect(try clear.image().samples(x: 100, y: 120)[1] == 255)
    #expect(try clear.image().samples(x: 299, y: 179)[1] == 255)
    #expect(try clear.image().samples(x: 300, y: 179)[1] == 0)
    let red = try trial(wide + "background = \"red\"")
    #expect(try red.image().samples(x: 99, y: 120) == [255, 0, 0])
    #expect(try red.image().samples(x: 100, y: 120) == [0, 0, 0])
    #expect(!red.frame.hasAlpha)
  }

  @Test("a picture that was panned out of the frame is an error that names both")
  func outside() throws {
    let away = "frame-size = [500, 300]\ncheck-bounds = false\n"
    let error = #expect(throws: ItemError.self) { try trial(away + "pan = [510, 0]") }
    #expect(error?.code == .cropOutside)
    #expect(error?.text.contains("[0, 0, 500, 300]") == true)
    #expect(error?.text.contains("[510, 0, 500, 300]") == true)
    // Beside it only along the turned picture's own axis.
    #expect(throws: ItemError.self) { try trial(away + "angle = 45\npan = [450, 320]") }
    _ = try trial(away + "angle = 45\npan = [430, 100]")
  }

  // MARK: The result's size

  @Test("output-width scales the result, and the height follows the frame")
  func outputWidth() throws {
    let zoomed = "frame-size = [500, 300]\nzoom = 2\n"
    try expect(zoomed + "output-width = 50", size: Size(width: 50, height: 30), dot: (45.25, 15.25))
    try expect(
      zoomed + "output-width = \"source\"",
      size: Size(width: 200, height: 120),
      dot: (181, 61),
      notes: [.enlarged]
    )
    try expect(
      zoomed + "output-width = 400",
      size: Size(width: 400, height: 240),
      dot: (362, 122),
      notes: [.enlarged]
    )
    for wrong in ["0", "\"sauce\"", "1.5"] {
      #expect(throws: Problems.self) {
        try Trial.operation(Crop.self, zoomed + "output-width = \(wrong)")
      }
    }
  }

  @Test("the frame's corners are told to a preview")
  func guide() throws {
    let trial = try trial("frame-size = [500, 300]\nzoom = 2\nangle = 90")
    guard case .frame(let corners)? = trial.frame.guides.first else {
      Issue.record("no guide")
      return
    }
    // The frame's upper left corner is the lower left one of what it shows, seen on the picture.
    let wanted = [(70.0, 110.0), (70, 10), (130, 10), (130, 110)]
    for (corner, point) in zip(corners, wanted) {
      #expect(abs(corner.x - point.0) < 1e-6 && abs(corner.y - point.1) < 1e-6, "\(corners)")
    }
  }

  @Test(
    "keys of this way alone are refused",
    arguments: [
      "zoom = 2", "min-zoom = 2", "max-zoom = 2", "pan = [1, 1]", "angle = 3",
      "check-bounds = true",
      "background = \"red\"", "output-width = 3", "frame-rect = [0, 0, 1, 1]",
    ]
  )
  func refused(_ toml: String) {
    for other in ["", "rect = [0, 0, 10, 10]\n", "aspect = \"1:1\"\n"] {
      let error = #expect(throws: Problems.self) { try Trial.operation(Crop.self, other + toml) }
      #expect(error?.all.allSatisfy { $0.code == .conflict } == true)
    }
  }
}
