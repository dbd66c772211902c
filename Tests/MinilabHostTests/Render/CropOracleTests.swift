import Glibc
import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Crops as profiles write them, against pictures that were turned, cut and sampled naively.
@Suite("Crops show what arithmetic says", .vips)
struct CropOracleTests {
  private static func frame(
    _ toml: String,
    _ size: Size,
    tag: Int
  ) throws -> Frame {
    let text = "profile = 1\n[[step]]\nop = \"crop\"\n\(toml)\n[[output]]\n"
    let node = try TOMLReader.read(Array(text.utf8), from: Path("crop.toml"))
    let steps = try Profile(resolved: node, operations: .builtin).steps
    let start = Frame(Origin(format: .png, size: size, orientation: Orientation(tag: tag)))
    let runner = StepRunner(source: .nothing)
    return try #require(try runner.run(steps, on: start))
  }

  private static func picture(_ frame: Frame, _ raster: any Raster) throws -> NaivePicture {
    try NaivePicture(Renderer(raster: raster).image(of: frame))
  }

  // MARK: An editor's frame

  /// Numbers of an editor's transform, and the map that follows from the words of the reference:
  /// scaled and turned about its own center, then moved so that this center is at the frame's
  /// center and the pan.
  private struct Transform {
    let width: Double
    let height: Double
    let zoom: Double
    let pan: Point
    let degrees: Double
    let outputWidth: Int

    init(_ dice: inout Dice) {
      width = Double(dice.next(20...400))
      height = Double(dice.next(20...400))
      zoom = 0.7 + 2 * dice.fraction()
      degrees = Double(dice.next(-1_800...1_800)) / 10
      pan = Point(x: (dice.fraction() - 0.5) * width, y: (dice.fraction() - 0.5) * height)
      outputWidth = dice.next(20...36)
    }

    var toml: String {
      """
      frame-size = [\(width), \(height)]
      zoom = \(zoom)
      pan = [\(pan.x), \(pan.y)]
      angle = \(degrees)
      output-width = \(outputWidth)
      check-bounds = false
      background = [255, 0, 255]
      """
    }

    func size() -> Size {
      let height = (Double(outputWidth) * height / width).rounded()
      return Size(width: outputWidth, height: max(1, Int(height)))
    }

    /// From a point of the result to a point of the upright picture.
    func map(_ picture: Size) -> AffineMap {
      let scale =
        zoom * max(width / Double(picture.width), height / Double(picture.height))
      let radians = degrees * .pi / 180
      let size = size()
      func point(_ x: Double, _ y: Double) -> Point {
        // The frame's point, from where the picture's center is.
        let fx = x * width / Double(size.width) - width / 2 - pan.x
        let fy = y * height / Double(size.height) - height / 2 - pan.y
        return Point(
          x: Double(picture.width) / 2 + (fx * cos(radians) + fy * sin(radians)) / scale,
          y: Double(picture.height) / 2 + (fy * cos(radians) - fx * sin(radians)) / scale
        )
      }
      let (origin, right, down) = (point(0, 0), point(1, 0), point(0, 1))
      return AffineMap(
        xx: right.x - origin.x,
        xy: down.x - origin.x,
        x0: origin.x,
        yx: right.y - origin.y,
        yy: down.y - origin.y,
        y0: origin.y
      )
    }
  }

  @Test(
    "ten transforms of each orientation: within half a pixel and one level",
    arguments: 0..<10,
    [[1], [1, 2, 4, 8]]
  )
  func editor(_ seed: Int, _ reductions: [Int]) throws {
    var dice = Dice(UInt32(90 + seed))
    let large = seed % 2 == 1
    let stored = NaivePicture.synthetic(
      dice.next(80...120) * (large ? 2 : 1),
      dice.next(70...100) * (large ? 2 : 1),
      detail: large ? 50 : 24
    )
    let transform = Transform(&dice)
    let exact = try NaivePicture(stored.image())
    for tag in 1...8 {
      let frame = try Self.frame(transform.toml, stored.size, tag: tag)
      let made = try Self.picture(frame, ShrinkingRaster(stored, reductions: reductions))
      let upright = exact.turned(byTag: tag)
      let map = transform.map(upright.size)
      #expect(made.size == transform.size())
      func wanted(_ x: Double, _ y: Double) -> NaivePicture {
        Self.sampled(upright, AffineMap.translation(x: x, y: y).then(map), made.size)
      }
      let difference = made.meanDifference(from: wanted(0, 0))
      #expect(difference < 1, "orientation \(tag): \(transform.toml)")
      for (x, y) in [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)] as [(Double, Double)] {
        #expect(
          made.meanDifference(from: wanted(x, y)) > difference,
          "orientation \(tag), nearer to one moved by \(x), \(y): \(transform.toml)"
        )
      }
    }
  }

  /// Averaged by whole boxes so that at most a factor of 2 is left, then sampled once.
  private static func sampled(
    _ picture: NaivePicture,
    _ map: AffineMap,
    _ size: Size
  ) -> NaivePicture {
    let box = max(1, Int(map.determinant.magnitude.squareRoot() + 1e-6))
    let scale = 1 / Double(box)
    return NaiveResampler.bicubic(
      picture.boxed(box),
      map.then(.scale(x: scale, y: scale)),
      size
    )
    .framed(by: NaiveFrame(map, picture.size, [255, 0, 255]))
  }

  @Test("with check-bounds no pixel of background in 1000 transforms", arguments: 0..<10)
  func noBackground(_ group: Int) throws {
    var dice = Dice(UInt32(5_000 + group))
    for _ in 0..<100 {
      let size = Size(width: dice.next(1...40), height: dice.next(1...40))
      let stored = NaivePicture(width: size.width, height: size.height, bands: 3) { _, _, band in
        [0, 200, 40][band]
      }
      let width = Double(dice.next(1...300))
      let height = Double(dice.next(1...300))
      let isPlaced = dice.next(0...1) == 0
      let place =
        isPlaced
        ? "view = [400, 400]\nframe-rect = [\(dice.next(0...200)), \(dice.next(0...200)), \(width), \(height)]"
        : "frame-size = [\(width), \(height)]"
      let toml = """
        \(place)
        zoom = \(0.05 + 3 * dice.fraction())
        pan = [\(dice.next(-300...300)), \(dice.next(-300...300))]
        angle = \(dice.next(0...9) == 0 ? Double(dice.next(-4...4)) * 45 : 360 * dice.fraction())
        output-width = \(dice.next(1...60))
        background = [255, 0, 255]
        """
      let tag = dice.next(1...8)
      let told = "\(size), orientation \(tag): \(toml)"
      let frame = try Self.frame(toml, size, tag: tag)
      let upright = Orientation(tag: tag).upright(size)
      guard case .frame(let corners)? = frame.guides.first else {
        Issue.record("no guide: \(told)")
        continue
      }
      for corner in corners {
        #expect(corner.x >= -1e-6 && corner.x <= Double(upright.width) + 1e-6, "\(told)")
        #expect(corner.y >= -1e-6 && corner.y <= Double(upright.height) + 1e-6, "\(told)")
      }
      guard frame.size.height < 400 else { continue }
      let made = try Self.picture(frame, ShrinkingRaster(stored))
      let isPure = (0..<(made.width * made.height)).allSatisfy { pixel in
        made.samples[pixel * 3] == 0 && made.samples[pixel * 3 + 1] == 200
          && made.samples[pixel * 3 + 2] == 40
      }
      #expect(isPure, "\(told)")
      #expect(made.bands == 3)
    }
  }

  @Test("the edge of an upright picture is where arithmetic says, to a part of a pixel")
  func edge() throws {
    // White, 60 × 40, seen at half its size and moved: its left edge is at 20 + 7.25 of the frame.
    let white = NaivePicture(width: 60, height: 40, bands: 3) { _, _, _ in 255 }
    let toml = """
      frame-size = [60, 40]
      zoom = 0.5
      pan = [12.25, 3.5]
      check-bounds = false
      background = "black"
      output-width = 60
      """
    for tag in 1...4 {
      let frame = try Self.frame(toml, white.size, tag: tag)
      let made = try Self.picture(frame, ShrinkingRaster(white))
      // From 15 + 12.25 to 45 + 12.25, and from 10 + 3.5 to 30 + 3.5.
      #expect(made[26, 20, 0] == 0)
      #expect(abs(made[27, 20, 0] - 255 * 0.75) <= 2)
      #expect(made[28, 20, 0] == 255)
      #expect(made[56, 20, 0] == 255)
      #expect(abs(made[57, 20, 0] - 255 * 0.25) <= 2)
      #expect(made[58, 20, 0] == 0)
      #expect(abs(made[40, 13, 0] - 255 * 0.5) <= 2)
      #expect(abs(made[40, 33, 0] - 255 * 0.5) <= 2)
      #expect(made[40, 12, 0] == 0 && made[40, 34, 0] == 0)
    }
  }

  @Test("what an earlier crop has cut away does not come back behind a later frame")
  func afterCrop() throws {
    let stored = NaivePicture(width: 80, height: 60, bands: 3) { x, y, band in
      (20..<60).contains(x) && (15..<45).contains(y) ? 100 : [255, 0, 0][band]
    }
    for angle in [0, 30, 90] {
      let text = """
        profile = 1
        [[step]]
        op = "crop"
        rect = [22, 17, 36, 26]
        [[step]]
        id = "second"
        op = "crop"
        frame-size = [36, 26]
        zoom = 0.5
        angle = \(angle)
        check-bounds = false
        background = [0, 0, 255]
        [[output]]
        """
      let node = try TOMLReader.read(Array(text.utf8), from: Path("crop.toml"))
      let steps = try Profile(resolved: node, operations: .builtin).steps
      let start = Frame(Origin(format: .png, size: stored.size))
      let frame = try #require(try StepRunner(source: .nothing).run(steps, on: start))
      let made = try Self.picture(frame, ShrinkingRaster(stored))
      #expect(made.pixel(0, 0) == [0, 0, 255])
      #expect(made.pixel(made.width / 2, made.height / 2) == [100, 100, 100])
      for index in 0..<(made.width * made.height) {
        #expect(made.samples[index * 3] <= 101, "angle \(angle)")
      }
    }
  }

  // MARK: Whole pixels

  @Test(
    "a frame on a view of each orientation cuts the pixels that the viewer sees",
    arguments: 1...8
  )
  func view(_ tag: Int) throws {
    let swaps = Orientation(tag: tag).swapsSides
    let stored = try NaivePicture(
      NaivePicture.synthetic(swaps ? 60 : 80, swaps ? 80 : 60).image()
    )
    let upright = stored.turned(byTag: tag)
    let cases: [(fit: String, rectangle: PixelRectangle)] = [
      // Of 80 × 60 on 40 × 40: a half with bars of 5, 2 and 1.5, or 1.5 with 10 hidden on each side.
      ("contain", PixelRectangle(x: 20, y: 10, width: 40, height: 20)),
      ("stretch", PixelRectangle(x: 20, y: 15, width: 40, height: 15)),
      ("cover", PixelRectangle(x: 25, y: 15, width: 30, height: 15)),
    ]
    for (fit, rectangle) in cases {
      let frame = try Self.frame(
        "view = [40, 40]\nframe = [10, 10, 20, 10]\nmin-size = 0\nfit = \"\(fit)\"",
        stored.size,
        tag: tag
      )
      let made = try Self.picture(frame, ShrinkingRaster(stored))
      let wanted = NaivePicture(
        width: rectangle.width,
        height: rectangle.height,
        bands: 3
      ) { upright[$0 + rectangle.x, $1 + rectangle.y, $2] }
      #expect(made.greatestDifference(from: wanted) == 0, "\(fit)")
    }
  }

  @Test("halves tile a picture of any size with no gap and no overlap")
  func tiles() throws {
    for length in 2...160 {
      let size = Size(width: length, height: length + 1)
      let rectangles = try ["0, 0", "\"50%\", 0", "0, \"50%\"", "\"50%\", \"50%\""].map { corner in
        let frame = try Self.frame(
          "rect = [\(corner), \"50%\", \"50%\"]",
          size,
          tag: length % 8 + 1
        )
        guard case .crop(let rectangle)? = frame.guides.first else {
          return PixelRectangle(x: 0, y: 0, width: 0, height: 0)
        }
        return rectangle
      }
      let area = rectangles.map { $0.width * $0.height }.reduce(0, +)
      #expect(area == length * (length + 1), "\(length)")
      for (index, one) in rectangles.enumerated() {
        for other in rectangles.dropFirst(index + 1) {
          #expect(one.intersection(other).isEmpty, "\(length)")
        }
      }
    }
  }
}

extension NaivePicture {
  /// Averages of square boxes; the last ones are as large as the picture lets them be.
  fileprivate func boxed(_ side: Int) -> NaivePicture {
    if side == 1 { return self }
    return NaivePicture(
      width: (width + side - 1) / side,
      height: (height + side - 1) / side,
      bands: bands
    ) { x, y, band in
      var sum = 0.0
      var count = 0.0
      for j in (y * side)..<min(height, (y + 1) * side) {
        for i in (x * side)..<min(width, (x + 1) * side) {
          sum += self[i, j, band]
          count += 1
        }
      }
      return sum / count
    }
  }
}
