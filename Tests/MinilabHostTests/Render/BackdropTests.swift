import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Views that reach beyond a frame's edges, one after another, against the same edges drawn naively.
@Suite("Beyond a frame's edges is its background, whatever comes after", .vips)
struct BackdropTests {
  private static let colors = [
    Color(red: 1, green: 0, blue: 1), Color(red: 0, green: 1, blue: 0), .black,
    Color(red: 0.2, green: 0.4, blue: 0.6),
  ]

  /// Edits of a geometry, with what an oracle needs to know of them kept beside it.
  private struct Sequence {
    var geometry: Geometry
    /// The edges so far: from points of the frame as it is to points of the frame that had them.
    private(set) var edges: [NaiveFrame] = []

    init(_ source: Size, tag: Int) {
      geometry = Geometry(source: source, orientation: Orientation(tag: tag))
    }

    mutating func edit(background: Color? = nil, _ edit: (inout Geometry) -> Void) {
      let before = geometry
      if let background {
        let levels = [background.red, background.green, background.blue].map { $0 * 255 }
        edges.append(NaiveFrame(.identity, geometry.size, levels))
      }
      edit(&geometry)
      // What the edit alone does, seen from outside.
      let map = geometry.map.then(before.map.inverse)
      edges = edges.map { NaiveFrame(map.then($0.map), $0.seen, $0.color) }
    }

    func drawn(_ picture: NaivePicture) -> NaivePicture {
      let map = geometry.map
      let bare =
        map.isAxisAligned
        ? NaiveResampler.aligned(picture, map, geometry.size).clipped()
        : NaiveResampler.bicubic(picture, map, geometry.size)
      return edges.reduce(bare) { $0.framed(by: $1) }
    }
  }

  private func made(
    _ geometry: Geometry,
    _ picture: NaivePicture,
    reductions: [Int] = [1]
  ) throws -> NaivePicture {
    let raster = ShrinkingRaster(picture, reductions: reductions)
    return try NaivePicture(Resample(geometry: geometry, raster: raster).image())
  }

  @Test("crops, turns, resizes and views at random", arguments: 0..<24)
  func random(_ seed: Int) throws {
    var dice = Dice(UInt32(400 + seed))
    let picture = NaivePicture.synthetic(dice.next(40...90), dice.next(40...80), detail: 20)
    var sequence = Sequence(picture.size, tag: dice.next(1...8))
    for _ in 0..<dice.next(2...4) { Self.step(&sequence, &dice) }
    let made = try made(sequence.geometry, picture)
    let wanted = sequence.drawn(picture)
    #expect(made.size == wanted.size)
    #expect(made.meanDifference(from: wanted) < 1, "\(sequence.geometry)")
    for (x, y) in [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)] as [(Double, Double)] {
      var shifted = sequence
      shifted.edit { $0.view(through: .translation(x: x, y: y), size: $0.size, background: nil) }
      #expect(
        made.meanDifference(from: shifted.drawn(picture)) >= made.meanDifference(from: wanted),
        "nearer to a picture shifted by \(x), \(y)"
      )
    }
  }

  private static func step(_ sequence: inout Sequence, _ dice: inout Dice) {
    let size = sequence.geometry.size
    switch dice.next(0...4) {
    case 0:
      let width = max(1, size.width * dice.next(40...100) / 100)
      let height = max(1, size.height * dice.next(40...100) / 100)
      let x = dice.next(0...(size.width - width))
      let y = dice.next(0...(size.height - height))
      sequence.edit { $0.crop(to: PixelRectangle(x: x, y: y, width: width, height: height)) }
    case 1:
      let color = dice.pick(colors)
      let degrees = Double(dice.next(-1800...1800)) / 10
      sequence.edit(background: color) { $0.rotate(degrees: degrees, background: color) }
    case 2:
      let factor = 0.8 + dice.fraction()
      sequence.edit { $0.resize(to: size.scaled(factor, factor)) }
    case 3:
      // Beyond the left and the lower edge, by fractions of pixels.
      let color = dice.pick(colors)
      let map = AffineMap.scale(x: 1.1, y: 1.1).then(
        .translation(x: -10 * dice.fraction(), y: 12 * dice.fraction())
      )
      sequence.edit(background: color) { $0.view(through: map, size: size, background: color) }
    default:
      let orientation = Orientation(tag: dice.next(1...8))
      sequence.edit { $0.turn(orientation) }
    }
  }

  @Test("what a crop has cut away does not come back in the corners of a turn", arguments: 1...8)
  func hidden(_ tag: Int) throws {
    // Gray inside, and a color that must never be seen around it.
    let picture = NaivePicture(width: 120, height: 90, bands: 3) { x, y, band in
      (30..<90).contains(x) && (30..<60).contains(y) ? 128 : [255, 0, 0][band]
    }
    let isTurned = Orientation(tag: tag).swapsSides
    var geometry = Geometry(source: picture.size, orientation: Orientation(tag: tag))
    geometry.crop(
      to: isTurned
        ? PixelRectangle(x: 32, y: 32, width: 26, height: 56)
        : PixelRectangle(x: 32, y: 32, width: 56, height: 26)
    )
    geometry.rotate(degrees: 30, background: Color(red: 0, green: 0, blue: 1))
    for scale in [1, 0.5, 0.3] {
      var scaled = geometry
      scaled.resize(to: geometry.size.scaled(scale, scale))
      for reductions in [[1], [1, 2, 4]] {
        let made = try made(scaled, picture, reductions: reductions)
        var blue = 0
        for y in 0..<made.height {
          for x in 0..<made.width {
            let pixel = made.pixel(x, y)
            if pixel == [0, 0, 255] { blue += 1 }
            // Between gray and blue: as much red as green.
            #expect(abs(pixel[0] - pixel[1]) <= 14 || scale < 0.5, "\(pixel) at \(x), \(y)")
            #expect(pixel[0] <= 150, "\(pixel) at \(x), \(y)")
          }
        }
        #expect(blue > made.width * made.height / 6)
      }
    }
  }

  @Test(
    "a view wholly beside the picture is the background",
    arguments: [Color.transparent, .white]
  )
  func beside(_ background: Color) throws {
    let picture = NaivePicture.synthetic(40, 30)
    let maps: [AffineMap] = [
      .translation(x: 500, y: 0), .translation(x: 0, y: -31),
      .scale(x: 3, y: 3).then(.translation(x: -900, y: 4)),
      AffineMap.rotation(degrees: 20).then(.translation(x: 80, y: 0)),
    ]
    for map in maps {
      var geometry = Geometry(source: picture.size, orientation: .left)
      geometry.view(through: map, size: Size(width: 9, height: 7), background: background)
      let made = try made(geometry, picture)
      #expect(made.size == Size(width: 9, height: 7))
      let samples = background.isOpaque ? [255.0, 255, 255] : [0, 0, 0, 0]
      #expect(made.samples == (0..<63).flatMap { _ in samples })
    }
  }

  @Test("a picture far smaller than the view costs no more than it")
  func small() throws {
    let picture = NaivePicture.synthetic(64, 48)
    var geometry = Geometry(source: picture.size)
    // 640 000 × 480 000 pixels of the raster for 64 × 48: all but the middle is background.
    let map = AffineMap.scale(x: 10_000, y: 10_000).then(.translation(x: -320_000, y: -240_000))
    for degrees in [0.0, 30] {
      geometry = Geometry(source: picture.size)
      geometry.view(
        through: map.then(.rotation(degrees: degrees)),
        size: Size(width: 64, height: 48),
        background: Color(red: 1, green: 0, blue: 1)
      )
      let made = try made(geometry, picture)
      for y in 0..<48 {
        for x in 0..<64 where !(31...32).contains(x) || !(23...24).contains(y) {
          #expect(made.pixel(x, y) == [255, 0, 255], "\(x), \(y)")
        }
      }
    }
  }

  @Test("a picture of a pixel or less is its average")
  func pixel() throws {
    let picture = NaivePicture(width: 90, height: 40, bands: 1) { x, _, _ in x < 45 ? 40 : 120 }
    for factor in [90, 180.0] {
      var geometry = Geometry(source: picture.size)
      // The raster's middle is the second pixel's.
      let map = AffineMap.scale(x: factor, y: factor / 9 * 4)
        .then(.translation(x: 45 - 1.5 * factor, y: 20 - 1.5 * factor / 9 * 4))
      geometry.view(through: map, size: Size(width: 4, height: 3), background: .black)
      let share = 90 * 90 / factor / factor
      let level = try made(geometry, picture)[1, 1, 0]
      #expect(abs(level - 80 * share) <= 3, "\(factor)")
    }
  }

  @Test("an edge between two colors gives colors between them", arguments: [8.0, 33, 61])
  func noHalo(_ degrees: Double) throws {
    let flat = NaivePicture(width: 50, height: 40, bands: 3) { _, _, band in [200, 100, 50][band] }
    var geometry = Geometry(source: flat.size)
    geometry.rotate(degrees: degrees, background: Color(red: 0.2, green: 0.6, blue: 0.4))
    let made = try made(geometry, flat)
    for y in 0..<made.height {
      for x in 0..<made.width {
        let pixel = made.pixel(x, y)
        let isBetween = zip(pixel, [(51.0, 200.0), (100, 153), (50, 102)]).allSatisfy {
          ($1.0...$1.1).contains($0)
        }
        #expect(isBetween, "\(pixel) at \(x), \(y)")
      }
    }
  }

  @Test("an edge that the frame no longer reaches leaves no trace")
  func forgotten() {
    var geometry = Geometry(source: Size(width: 100, height: 80))
    geometry.rotate(degrees: 20, background: .white)
    #expect(geometry.backdrops.count == 1)
    geometry.crop(to: PixelRectangle(x: 50, y: 40, width: 10, height: 10))
    #expect(geometry.backdrops.isEmpty)
  }

  @Test("a background of a color makes gray a picture of colors, in 16 bit, and keeps its profile")
  func kinds() throws {
    let gray = NaivePicture(width: 30, height: 20, bands: 1) { x, y, _ in
      Double(x * 2_000 + y * 100)
    }
    var geometry = Geometry(source: gray.size)
    geometry.rotate(degrees: 30, background: Color(red: 1, green: 0, blue: 0))
    let raster = try ImageRaster(image: gray.image16())
    let made = try NaivePicture(Resample(geometry: geometry, raster: raster).image())
    #expect(made.pixel(0, 0) == [65_535, 0, 0])
    let middle = made.pixel(made.width / 2, made.height / 2)
    #expect(middle[0] == middle[1] && abs(middle[0] - 31_000) < 2_500)
    let tagged = try NaivePicture.synthetic(30, 20).image().copy()
    let profile = matrixProfile(.displayP3, gamma: 2.2)
    tagged.set("icc-profile-data", blob: profile)
    let turned = try Resample(geometry: geometry, raster: ImageRaster(image: tagged)).image()
    #expect(turned.blob("icc-profile-data") == profile)
    #expect(turned.interpretation == .srgb)
  }
}
