import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Pixels of one geometry against the composed map, evaluated naively on the full picture.
@Suite("Pixels of a geometry are those of its map, evaluated once", .vips)
struct ResampleTests {
  /// Renders, and compares within a mean level; a picture shifted by half a pixel in any direction
  /// must be further from what was made.
  private func check(
    _ picture: NaivePicture,
    _ geometry: Geometry,
    reductions: [Int] = [1],
    within level: Double = 1,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let raster = ShrinkingRaster(picture, reductions: reductions)
    let made = try NaivePicture(Resample(geometry: geometry, raster: raster).image())
    #expect(made.size == geometry.size, sourceLocation: location)
    let wanted = NaiveResampler.aligned(picture, geometry.map, geometry.size).clipped()
    let difference = made.meanDifference(from: wanted)
    #expect(difference < level, "mean difference of levels", sourceLocation: location)
    for (x, y) in [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)] as [(Double, Double)] {
      let map = AffineMap.translation(x: x, y: y).then(geometry.map)
      let shifted = NaiveResampler.aligned(picture, map, geometry.size).clipped()
      #expect(
        made.meanDifference(from: shifted) > difference,
        "nearer to a picture shifted by \(x), \(y)",
        sourceLocation: location
      )
    }
  }

  // MARK: Too large

  /// libvips cannot count so far, and would say that the picture is damaged.
  @Test("pixels a million times as large are made, and larger ones refused with a reason")
  func largestEnlargement() throws {
    let raster = ShrinkingRaster(.synthetic(3, 2), reductions: [1])
    func made(_ times: Double) throws -> Image {
      var geometry = Geometry(source: Size(width: 3, height: 2))
      let map = AffineMap.rotation(degrees: 33).then(.scale(x: 1 / times, y: 1 / times))
        .then(.translation(x: 1, y: 1))
      geometry.view(through: map, size: Size(width: 9, height: 7), background: nil)
      return try Resample(geometry: geometry, raster: raster).image().inMemory()
    }
    #expect(try made(999_999).width == 9)
    let error = #expect(throws: ItemError.self) { try made(1_000_100) }
    #expect(error?.code == .tooManyPixels)
    #expect(error?.text == "expected pixels enlarged at most 1000000 times, found 1000100 times")
  }

  // MARK: Smaller

  @Test(
    "reduced by fractions and whole numbers",
    arguments: [(50, 40), (100, 80), (73, 61), (99, 79), (13, 9), (33, 80), (100, 27)]
  )
  func reduced(_ width: Int, _ height: Int) throws {
    var geometry = Geometry(source: Size(width: 100, height: 80))
    geometry.resize(to: Size(width: width, height: height))
    if geometry.isIdentity { return }
    try check(.synthetic(100, 80), geometry)
  }

  @Test(
    "reduced with the decoder's help, at sizes that its boxes do not divide",
    arguments: [(203, 155, 61, 47), (211, 149, 30, 21), (400, 300, 37, 28), (97, 211, 40, 87)]
  )
  func decoderReduction(_ width: Int, _ height: Int, _ newWidth: Int, _ newHeight: Int) throws {
    var geometry = Geometry(source: Size(width: width, height: height))
    geometry.resize(to: Size(width: newWidth, height: newHeight))
    try check(
      .synthetic(width, height, detail: 14),
      geometry,
      reductions: [1, 2, 4, 8],
      within: 1.5
    )
  }

  @Test("a crop and a reduction of each orientation, at one interpolation", arguments: 1...8)
  func cropped(_ tag: Int) throws {
    let stored = Size(width: 230, height: 170)
    var geometry = Geometry(source: stored, orientation: Orientation(tag: tag))
    geometry.crop(to: PixelRectangle(x: 31, y: 17, width: 111, height: 127))
    geometry.resize(to: Size(width: 47, height: 53))
    try check(.synthetic(230, 170, detail: 12), geometry, reductions: [1, 2, 4, 8])
  }

  @Test("what lies beside a crop is seen by the kernel, as in the full picture")
  func neighbors() throws {
    // Black, but for the crop's neighbors: those lend their light to its edge.
    let picture = NaivePicture(width: 60, height: 40, bands: 1) { x, _, _ in x < 20 ? 250 : 10 }
    var geometry = Geometry(source: picture.size)
    geometry.crop(to: PixelRectangle(x: 20, y: 0, width: 30, height: 40))
    geometry.resize(to: Size(width: 15, height: 20))
    let made = try NaivePicture(
      Resample(geometry: geometry, raster: ShrinkingRaster(picture)).image()
    )
    let wanted = NaiveResampler.aligned(picture, geometry.map, geometry.size).clipped()
    #expect(made.greatestDifference(from: wanted) <= 3)
    #expect(wanted[0, 5, 0] != wanted[5, 5, 0])
  }

  @Test("a crop at each edge and corner of the picture")
  func edges() throws {
    for (x, y) in [(0, 0), (29, 0), (0, 23), (29, 23), (15, 0), (0, 9)] {
      var geometry = Geometry(source: Size(width: 100, height: 80))
      geometry.crop(to: PixelRectangle(x: x, y: y, width: 71, height: 57))
      geometry.resize(to: Size(width: 31, height: 25))
      try check(.synthetic(100, 80), geometry, reductions: [1, 2])
    }
  }

  @Test("one axis keeps its size", arguments: [(100, 31), (37, 80)])
  func oneAxis(_ width: Int, _ height: Int) throws {
    var geometry = Geometry(source: Size(width: 100, height: 80))
    geometry.resize(to: Size(width: width, height: height))
    try check(.synthetic(100, 80), geometry)
  }

  @Test("huge reductions give the average")
  func huge() throws {
    let picture = NaivePicture.synthetic(900, 700)
    for (width, height) in [(1, 1), (2, 1), (3, 5), (1, 7)] {
      var geometry = Geometry(source: picture.size)
      geometry.resize(to: Size(width: width, height: height))
      let made = try NaivePicture(
        Resample(geometry: geometry, raster: ShrinkingRaster(picture)).image()
      )
      let wanted = NaiveResampler.aligned(picture, geometry.map, geometry.size).clipped()
      #expect(made.greatestDifference(from: wanted) < 2.5, "\(width) × \(height)")
    }
  }

  // MARK: Turned and cut: exactly

  @Test("a turn alone moves pixels and changes none", arguments: 1...8)
  func turned(_ tag: Int) throws {
    let picture = NaivePicture.synthetic(17, 11)
    let exact = try NaivePicture(picture.image())
    let geometry = Geometry(source: picture.size, orientation: Orientation(tag: tag))
    let made = try NaivePicture(
      Resample(geometry: geometry, raster: ShrinkingRaster(picture)).image()
    )
    #expect(made.greatestDifference(from: exact.turned(byTag: tag)) == 0)
  }

  @Test("a cut of a turned picture is exact", arguments: 1...8)
  func cut(_ tag: Int) throws {
    let picture = try NaivePicture(NaivePicture.synthetic(30, 20).image())
    var geometry = Geometry(source: picture.size, orientation: Orientation(tag: tag))
    geometry.crop(to: PixelRectangle(x: 3, y: 5, width: 9, height: 7))
    let made = try NaivePicture(
      Resample(geometry: geometry, raster: ShrinkingRaster(picture)).image()
    )
    let upright = picture.turned(byTag: tag)
    let wanted = NaivePicture(width: 9, height: 7, bands: 3) { upright[$0 + 3, $1 + 5, $2] }
    #expect(made.greatestDifference(from: wanted) == 0)
  }

  @Test("four quarter turns, and two mirrors, are nothing")
  func identities() throws {
    var geometry = Geometry(source: Size(width: 30, height: 20), orientation: .rightMirrored)
    let start = geometry
    for _ in 0..<4 { geometry.turn(.right) }
    geometry.turn(.upMirrored)
    geometry.turn(.upMirrored)
    #expect(geometry == start)
    for orientation in Orientation.allCases {
      geometry.turn(orientation)
      geometry.turn(orientation.inverse)
    }
    #expect(geometry == start)
  }

  // MARK: Larger

  @Test(
    "enlarged as by a naive bicubic",
    arguments: [(120, 96), (61, 83), (200, 51), (40, 200), (41, 30)]
  )
  func enlarged(_ width: Int, _ height: Int) throws {
    let picture = NaivePicture.synthetic(40, 30)
    var geometry = Geometry(source: picture.size, orientation: .right)
    geometry.resize(to: Size(width: width, height: height))
    try check(picture, geometry)
  }

  @Test("larger on one axis and much smaller on the other: the smaller one is averaged")
  func mixed() throws {
    for (width, height) in [(60, 9), (300, 16)] {
      let picture = NaivePicture.synthetic(40, 160, detail: 24)
      var geometry = Geometry(source: picture.size)
      geometry.resize(to: Size(width: width, height: height))
      try check(picture, geometry)
      var turned = Geometry(source: picture.size, orientation: .left)
      turned.resize(to: Size(width: height, height: width))
      try check(picture, turned)
    }
  }

  // MARK: Any angle

  @Test("turned by any angle as by a naive bicubic", arguments: [10, -33.3, 45, 90.5, 181, 359])
  func rotated(_ degrees: Double) throws {
    let picture = NaivePicture.synthetic(60, 44)
    var geometry = Geometry(source: picture.size, orientation: .rightMirrored)
    geometry.rotate(degrees: degrees, background: Color(red: 1, green: 0, blue: 0))
    let made = try NaivePicture(
      Resample(geometry: geometry, raster: ShrinkingRaster(picture)).image()
    )
    func wanted(_ x: Double, _ y: Double) -> NaivePicture {
      NaiveResampler.bicubic(
        picture,
        AffineMap.translation(x: x, y: y).then(geometry.map),
        geometry.size,
        background: [255, 0, 0]
      )
      .clipped()
    }
    let difference = made.meanDifference(from: wanted(0, 0))
    #expect(difference < 1)
    for (x, y) in [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)] as [(Double, Double)] {
      #expect(made.meanDifference(from: wanted(x, y)) > difference)
    }
    #expect(made.pixel(0, 0) == [255, 0, 0] || abs(degrees) > 89)
  }

  @Test("turned by an angle and made smaller: shrunk first, then one interpolation")
  func rotatedAndReduced() throws {
    let picture = NaivePicture.synthetic(240, 180, detail: 24)
    var geometry = Geometry(source: picture.size)
    geometry.rotate(degrees: 17, background: .black)
    let canvas = geometry.size
    geometry.resize(to: Size(width: canvas.width / 4, height: canvas.height / 4))
    for reductions in [[1], [1, 2, 4, 8]] {
      let raster = ShrinkingRaster(picture, reductions: reductions)
      let made = try NaivePicture(Resample(geometry: geometry, raster: raster).image())
      // The same turn of a picture that was averaged by fours: right but for the kernel.
      let small = try NaivePicture(picture.image().shrink(4, 4))
      let map = geometry.map.then(.scale(x: 0.25, y: 0.25))
      let wanted = NaiveResampler.bicubic(small, map, geometry.size, background: [0, 0, 0])
        .clipped()
      #expect(made.meanDifference(from: wanted) < 1.5)
    }
  }

  @Test("squeezed along one axis and turned: that axis is averaged")
  func squeezedAndTurned() throws {
    let picture = NaivePicture.synthetic(400, 50)
    var geometry = Geometry(source: picture.size)
    geometry.resize(to: Size(width: 40, height: 50))
    geometry.rotate(degrees: 25, background: .black)
    let made = try NaivePicture(
      Resample(geometry: geometry, raster: ShrinkingRaster(picture)).image()
    )
    let small = try NaivePicture(picture.image().shrink(10, 1))
    let map = geometry.map.then(.scale(x: 0.1, y: 1))
    let wanted = NaiveResampler.bicubic(small, map, geometry.size, background: [0, 0, 0]).clipped()
    #expect(made.meanDifference(from: wanted) < 1)
  }

  @Test("a transparent background is transparent, and lends no color to the edge")
  func transparentCorners() throws {
    let picture = NaivePicture(width: 40, height: 40, bands: 3) { _, _, band in
      [200, 100, 50][band]
    }
    var geometry = Geometry(source: picture.size)
    geometry.rotate(degrees: 30, background: .transparent)
    let made = try NaivePicture(
      Resample(geometry: geometry, raster: ShrinkingRaster(picture)).image()
    )
    #expect(made.bands == 4)
    #expect(made[0, 0, 3] == 0)
    #expect(made[made.width / 2, made.height / 2, 3] == 255)
    for y in 0..<made.height {
      for x in 0..<made.width where made[x, y, 3] > 8 {
        let pixel = made.pixel(x, y)
        let isRight = zip(pixel, [200, 100, 50]).allSatisfy { abs($0 - $1) <= 2 }
        #expect(isRight, "\(pixel)")
      }
    }
  }
}
