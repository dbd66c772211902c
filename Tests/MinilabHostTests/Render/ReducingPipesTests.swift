import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Operations that are kept for the next picture give what new ones give", .vips)
struct ReducingPipesTests {
  private func geometry(_ size: Size, _ orientation: Orientation, _ dice: inout Dice) -> Geometry {
    var geometry = Geometry(source: size, orientation: orientation)
    if dice.next(0...1) == 0 {
      geometry.crop(
        to: PixelRectangle(
          x: 3,
          y: 2,
          width: geometry.size.width - 7,
          height: geometry.size.height - 4
        )
      )
    }
    geometry.resize(
      to: geometry.size.scaled(0.3 + 0.4 * dice.fraction(), 0.3 + 0.4 * dice.fraction())
    )
    return geometry
  }

  @Test("for many pictures of few shapes, of every orientation", arguments: [1, 3])
  func same(_ bands: Int) throws {
    let pipes = ReducingPipes()
    for shape in 0..<12 {
      var dice = Dice(UInt32(70 + shape))
      let size = Size(width: dice.next(150...290), height: dice.next(150...290))
      let geometry = geometry(size, Orientation(tag: 1 + shape % 8), &dice)
      // The first shapes come back when their pipes are gone.
      for round in [0, 1] + (shape < 3 ? [2] : []) {
        let picture = NaivePicture.synthetic(
          size.width,
          size.height,
          bands: bands,
          detail: Double(4 + shape + round)
        )
        let decoded = try picture.image().copy().inMemory()
        decoded.set("vips-sequential", int: 1)
        let raster = ImageRaster(image: decoded)
        let kept = try Resample(geometry: geometry, raster: raster, pipes: pipes).image()
        let new = try Resample(geometry: geometry, raster: raster).image()
        #expect(kept.width == new.width && kept.height == new.height)
        #expect(kept.bands == bands && kept.isInMemory)
        #expect(try kept.pixels() == new.pixels(), "shape \(shape), \(round)")
        #expect(kept.interpretation == new.interpretation)
      }
    }
  }

  @Test("where samples lie on the border between two coefficients", arguments: 1...8)
  func borders(_ tag: Int) throws {
    for (size, side) in [
      (Size(width: 865, height: 553), 300), (Size(width: 640, height: 480), 250),
    ] {
      let picture = NaivePicture.synthetic(size.width, size.height, detail: 3)
      var geometry = Geometry(source: size, orientation: Orientation(tag: tag))
      geometry.resize(to: geometry.size.scaled(longerSide: side))
      func reduced(isHeld: Bool, _ pipes: ReducingPipes?) throws -> [UInt8] {
        // As decoders mark what is to be read from top to bottom.
        let image = try picture.image().copy()
        image.set("vips-sequential", int: 1)
        let raster = ImageRaster(image: isHeld ? try image.inMemory() : image)
        return try Resample(geometry: geometry, raster: raster, pipes: pipes).image().pixels()
      }
      let usual = try reduced(isHeld: false, nil)
      #expect(try reduced(isHeld: true, nil) == usual, "\(size)")
      #expect(try reduced(isHeld: true, ReducingPipes()) == usual, "\(size)")
    }
  }

  @Test("rows of a decoder are read into them, to the usual pixels", arguments: 1...8)
  func decoders(_ tag: Int) throws {
    let folder = try ScratchFolder()
    let pipes = ReducingPipes()
    for (number, format) in [PictureFormat.png, .tiff, .png].enumerated() {
      let size = Size(width: 865, height: 553)
      let picture = NaivePicture.synthetic(size.width, size.height, detail: Double(3 + number))
      let path = try folder.write(picture.encoded(format), to: "\(number)")
      var geometry = Geometry(source: size, orientation: Orientation(tag: tag))
      geometry.resize(to: geometry.size.scaled(longerSide: 500))
      func reduced(_ pipes: ReducingPipes?) throws -> Image {
        let raster = try OpenedPicture(path, format: format, policy: InputPolicy())
        return try Resample(geometry: geometry, raster: raster, pipes: pipes).image()
      }
      let kept = try reduced(pipes)
      #expect(kept.isInMemory, "\(format)")
      let usual = try reduced(nil)
      #expect(try kept.pixels() == usual.pixels(), "\(format)")
      // The decoder is gone, and what it told of its progress with it.
      #expect(try kept.flipHorizontally().inMemory().pixels() == usual.flipHorizontally().pixels())
    }
  }

  @Test("photographs of four to eight megabytes of pixels come out as usual", arguments: [1, 6])
  func photographs(_ tag: Int) throws {
    let folder = try ScratchFolder()
    let pipes = ReducingPipes()
    for (width, height, share) in [(1487, 991, 0.83), (1600, 1600, 0.61)] {
      let image = try NaivePicture.synthetic(200, 150).image()
        .resize(Double(width) / 200, vertical: Double(height) / 150).inMemory()
      #expect((4 << 20...8 << 20).contains(image.byteCount))
      let bytes = try image.encoded(.jpeg)
      let path = try folder.write(bytes, to: "\(width).jpg")
      let size = Size(width: image.width, height: image.height)
      var geometry = Geometry(source: size, orientation: Orientation(tag: tag))
      geometry.resize(to: geometry.size.scaled(share, share))
      let opened = try OpenedPicture(path, format: .jpeg, policy: InputPolicy())
      let kept = try Resample(geometry: geometry, raster: opened, pipes: pipes).image()
      #expect(kept.isInMemory)
      let usual = try Resample(
        geometry: geometry,
        raster: ImageRaster(image: stored(bytes, .jpeg))
      ).image()
      #expect(!usual.isInMemory && kept.width == usual.width && kept.height == usual.height)
      let greatest = try OperationCall("max")
      let difference = try kept.call("subtract", [.init("right", .image(usual))], input: "left")
      try greatest.set("in", .image(difference.call("abs")))
      #expect(try greatest.run().double("out") <= 1)
    }
  }

  @Test("what steps have made is not read a few rows at a time")
  func work() throws {
    var geometry = Geometry(source: Size(width: 300, height: 200))
    geometry.resize(to: Size(width: 120, height: 80))
    let made = try NaivePicture.synthetic(300, 200).image().flipHorizontally()
    let raster = ImageRaster(image: made)
    #expect(!made.isInMemory)
    #expect(
      try !Resample(geometry: geometry, raster: raster, pipes: ReducingPipes()).image().isInMemory
    )
  }

  @Test("each result keeps its own pixels and its own picture's metadata")
  func own() throws {
    let pipes = ReducingPipes()
    var geometry = Geometry(source: Size(width: 60, height: 40))
    geometry.resize(to: Size(width: 20, height: 13))
    func reduced(_ level: Double, _ profile: [UInt8]) throws -> Image {
      let flat = NaivePicture(width: 60, height: 40, bands: 3) { _, _, _ in level }
      let image = try flat.image().copy().inMemory()
      image.set("icc-profile-data", blob: profile)
      return try Resample(geometry: geometry, raster: ImageRaster(image: image), pipes: pipes)
        .image()
    }
    let first = try reduced(50, [1])
    let second = try reduced(200, [2, 2])
    #expect(try first.pixels().allSatisfy { $0 == 50 })
    #expect(try second.pixels().allSatisfy { $0 == 200 })
    #expect(first.blob("icc-profile-data") == [1])
    #expect(second.blob("icc-profile-data") == [2, 2])
  }

  @Test("pictures with transparency, of 16 bit, or large ones are none of theirs")
  func others() throws {
    var geometry = Geometry(source: Size(width: 60, height: 40))
    geometry.resize(to: Size(width: 20, height: 13))
    let deep = try NaivePicture.synthetic(60, 40).image16()
    let clear = try NaivePicture.synthetic(60, 40, bands: 4).image()
    for image in [deep, clear] {
      let pixels = ReducedPixels(image: image, factorX: 1, factorY: 1)
      let reduction = Reduction(StoredAxes(geometry), of: pixels.grid)
      #expect(try ReducingPipes().reduced(image, by: reduction) == nil)
    }
  }
}
