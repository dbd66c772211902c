import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("What the outputs of a unit have in common is made once", .vips)
struct CommonWayTests {
  private static let usual = PixelStore.usualBound

  /// The pictures of outputs, and how they were decoded; `only`: those that are written.
  private func made(
    _ picture: NaivePicture,
    orientation: Orientation = .up,
    bound: Int = usual,
    only: [Int]? = nil,
    _ edits: [(inout Geometry) -> Void]
  ) throws -> (images: [NaivePicture], geometries: [Geometry], decoded: [Int]) {
    let raster = CountingRaster(picture)
    let pictures = UnitPictures([raster], policy: InputPolicy(), pixelBound: bound)
    let start = Frame(Origin(format: .jpeg, size: picture.size, orientation: orientation))
    let frames = edits.map { start.geometry($0) }
    let way = pictures.commonWay(to: frames)
    let wanted = only ?? Array(frames.indices)
    let images = try wanted.map { try NaivePicture(pictures.image(of: frames[$0])) }
    withExtendedLifetime(way) {}
    let geometries = frames.map { frame in
      guard case .geometry(let geometry)? = frame.stages.first else { preconditionFailure() }
      return geometry
    }
    return (images, geometries, raster.decoded)
  }

  private func resized(_ width: Int, _ height: Int) -> (inout Geometry) -> Void {
    { $0.resize(to: Size(width: width, height: height)) }
  }

  private func cropped(_ rectangle: PixelRectangle) -> (inout Geometry) -> Void {
    { $0.crop(to: rectangle) }
  }

  private let picture = NaivePicture.synthetic(640, 480, detail: 40)

  @Test("several sizes are made of one decode, as small as the largest allows")
  func sizes() throws {
    let edits = [resized(60, 45), resized(200, 150), resized(100, 75), resized(31, 23)]
    let (images, geometries, decoded) = try made(picture, edits)
    #expect(decoded == [2])
    for (image, geometry) in zip(images, geometries) {
      let wanted = NaiveResampler.aligned(picture, geometry.map, geometry.size).clipped()
      #expect(image.meanDifference(from: wanted) < 1, "\(geometry.size)")
    }
  }

  @Test("of every orientation, with crops of their own", arguments: 1...8)
  func orientations(_ tag: Int) throws {
    let edits: [(inout Geometry) -> Void] = [
      { $0.resize(to: $0.size.scaled(0.4, 0.4)) },
      {
        $0.crop(to: PixelRectangle(x: 31, y: 77, width: 300, height: 350))
        $0.resize(to: Size(width: 75, height: 87))
      },
      {
        $0.resize(to: $0.size.scaled(0.2, 0.2))
        $0.turn(.right)
      },
    ]
    let orientation = Orientation(tag: tag)
    let (images, geometries, decoded) = try made(picture, orientation: orientation, edits)
    #expect(decoded == [1])
    for (image, geometry) in zip(images, geometries) {
      let wanted = NaiveResampler.aligned(picture, geometry.map, geometry.size).clipped()
      let difference = image.meanDifference(from: wanted)
      #expect(difference < 1, "\(geometry)")
      for (x, y) in [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)] as [(Double, Double)] {
        let map = AffineMap.translation(x: x, y: y).then(geometry.map)
        let shifted = NaiveResampler.aligned(picture, map, geometry.size).clipped()
        #expect(image.meanDifference(from: shifted) > difference)
      }
    }
  }

  @Test("sizes too near to be made of each other share the decode alone")
  func nearSizes() throws {
    let edits = [resized(100, 75), resized(96, 72), resized(90, 68)]
    let (images, geometries, decoded) = try made(picture, edits)
    #expect(decoded == [2])
    for (image, geometry) in zip(images, geometries) {
      let wanted = NaiveResampler.aligned(picture, geometry.map, geometry.size).clipped()
      #expect(image.meanDifference(from: wanted) < 1, "\(geometry.size)")
    }
  }

  @Test("a detail at its own size and a preview of the whole share the decode")
  func detail() throws {
    let edits = [
      cropped(PixelRectangle(x: 301, y: 203, width: 40, height: 30)), resized(80, 60),
      resized(640, 480),
    ]
    let (images, _, decoded) = try made(picture, edits)
    #expect(decoded == [1])
    let exact = try NaivePicture(picture.image())
    #expect(images[2] == exact)
    #expect(
      images[0]
        == NaivePicture(width: 40, height: 30, bands: 3) { exact[$0 + 301, $1 + 203, $2] }
    )
  }

  @Test("turned, padded, linear and enlarged outputs share what they can, and look as alone")
  func unlike() throws {
    let edits: [(inout Geometry) -> Void] = [
      { $0.resize(to: Size(width: 300, height: 225)) },
      {
        $0.resize(to: Size(width: 100, height: 75))
        $0.rotate(degrees: 11, background: .white)
      },
      { $0.rotate(degrees: -30, background: .black) },
      { $0.resize(to: Size(width: 60, height: 45), linear: true) },
      { $0.resize(to: Size(width: 700, height: 500)) },
      {
        $0.resize(to: Size(width: 80, height: 60))
        $0.view(
          through: .translation(x: -10, y: -5),
          size: Size(width: 100, height: 70),
          background: .white
        )
      },
    ]
    let (images, geometries, decoded) = try made(picture, edits)
    #expect(decoded == [1])
    for (image, geometry) in zip(images, geometries) {
      let raster = ShrinkingRaster(picture, reductions: [1])
      let alone = try NaivePicture(Resample(geometry: geometry, raster: raster).image())
      #expect(image.size == alone.size)
      #expect(image.meanDifference(from: alone) < 1, "\(geometry)")
    }
  }

  @Test("the same pixels whether they could be held, and whichever outputs are written")
  func sameWay() throws {
    for seed in 0..<40 {
      var dice = Dice(UInt32(900 + seed))
      let picture = NaivePicture.synthetic(dice.next(30...260), dice.next(30...260), detail: 20)
      let orientation = Orientation(tag: dice.next(1...8))
      var edits: [(inout Geometry) -> Void] = []
      for _ in 0..<dice.next(2...5) {
        let (x, y) = (0.05 + dice.fraction(), 0.05 + dice.fraction())
        let (crops, turns) = (dice.next(0...2), dice.next(0...5))
        edits.append { geometry in
          let size = geometry.size
          if crops == 0 {
            geometry.crop(
              to: PixelRectangle(x: 5, y: 7, width: size.width - 13, height: size.height - 9)
            )
          }
          geometry.resize(to: geometry.size.scaled(x, y))
          if turns == 0 { geometry.rotate(degrees: 20, background: .white) }
          if turns == 1 { geometry.turn(.leftMirrored) }
        }
      }
      let held = try made(picture, orientation: orientation, edits)
      let walked = try made(picture, orientation: orientation, bound: 0, edits)
      #expect(held.images == walked.images, "\(seed)")
      #expect(held.decoded.count == 1, "\(seed)")
      #expect(Set(walked.decoded) == Set(held.decoded), "\(seed)")
      #expect(walked.decoded.count == edits.count, "\(seed)")
      let last = edits.count - 1
      let alone = try made(picture, orientation: orientation, only: [last], edits)
      #expect(alone.images[0] == held.images[last], "\(seed)")
    }
  }

  // MARK: Pixel work

  /// How often work was done; on one thread, as all of these tests are.
  private final class Counter: @unchecked Sendable {
    var count = 0
  }

  @Test(
    "pixel work of shared steps is done once, and the decode with it",
    arguments: [true, false]
  )
  func sharedWork(_ isHeld: Bool) throws {
    let raster = CountingRaster(picture)
    let pictures = UnitPictures(
      [raster],
      policy: InputPolicy(),
      pixelBound: isHeld ? Self.usual : 0
    )
    let counter = Counter()
    func worked(_ frame: Frame, _ access: PixelWork.Access) -> Frame {
      frame.pixels(size: .unchanged, access: access) { image in
        counter.count += 1
        return try image.call("invert")
      }
    }
    let start = worked(Frame(Origin(format: .jpeg, size: picture.size)), .sequential)
    let shared = worked(start, .random)
    let frames = [
      shared.geometry(resized(200, 150)), shared.geometry(resized(60, 45)), shared,
      worked(shared.geometry(resized(60, 45)), .sequential),
    ]
    let way = pictures.commonWay(to: frames)
    let images = try frames.map { try NaivePicture(pictures.image(of: $0)) }
    withExtendedLifetime(way) {}
    if isHeld {
      #expect(raster.decoded == [1])
      // Twice for all, and once for the last.
      #expect(counter.count == 3)
    }
    // Inverted twice is as it was.
    #expect(try images[2] == NaivePicture(picture.image()))
    let inverted = NaivePicture(
      width: 60,
      height: 45,
      bands: 3,
      samples: images[1].samples.map { 255 - $0 }
    )
    #expect(images[3] == inverted)
  }

  @Test("a picture that is made of others is made once for all outputs")
  func composed() throws {
    let pictures = UnitPictures(
      [CountingRaster(picture), CountingRaster(picture)],
      policy: InputPolicy()
    )
    let counter = Counter()
    let composed = Frame(Origin(format: .jpeg, size: picture.size))
      .replaced(size: picture.size, hasAlpha: false) { [picture] in
        counter.count += 1
        return try picture.image()
      }
    let frames = [composed.geometry(resized(200, 150)), composed.geometry(resized(190, 140))]
    let way = pictures.commonWay(to: frames)
    for frame in frames { _ = try pictures.image(of: frame).average() }
    withExtendedLifetime(way) {}
    #expect(counter.count == 1)
  }

  @Test("frames that are no output's are made alone")
  func otherFrames() throws {
    let raster = CountingRaster(picture)
    let pictures = UnitPictures([raster], policy: InputPolicy())
    let start = Frame(Origin(format: .jpeg, size: picture.size))
    let way = pictures.commonWay(
      to: [start.geometry(resized(200, 150)), start.geometry(resized(60, 45))]
    )
    let other = start.geometry(resized(20, 15))
    #expect(try pictures.image(of: other).average() > 0)
    withExtendedLifetime(way) {}
    #expect(raster.decoded == [8])
  }
}
