import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("What is told of the way to pixels is the way they go", .vips)
struct WayTellingTests {
  /// Remembers how it was decoded.
  private final class RememberingRaster: Raster {
    private let shrinking: ShrinkingRaster
    private(set) var decoded: [Int] = []

    init(_ picture: NaivePicture) { shrinking = ShrinkingRaster(picture) }

    var size: Size { shrinking.size }
    var reductions: [Int] { shrinking.reductions }
    var facts: RasterFacts { shrinking.facts }

    func pixels(reduction: Int) throws -> ReducedPixels {
      decoded.append(reduction)
      return try shrinking.pixels(reduction: reduction)
    }
  }

  /// Random outputs of a picture, some with pixel work that several have in common.
  private func frames(_ size: Size, _ dice: inout Dice) -> [Frame] {
    let start = Frame(
      Origin(format: .jpeg, size: size, orientation: Orientation(tag: dice.next(1...8)))
    )
    let worked = start.geometry { $0.resize(to: $0.size.scaled(0.8, 0.8)) }
      .pixels(size: .unchanged, access: .sequential) { $0 }
    return (0..<dice.next(1...5)).map { _ in
      let base = dice.next(0...2) == 0 ? worked : start
      let (x, y) = (0.05 + dice.fraction(), 0.05 + dice.fraction())
      let (isTurned, isPlain) = (dice.next(0...4) == 0, dice.next(0...6) == 0)
      if isPlain { return base }
      return base.geometry {
        if isTurned { $0.rotate(degrees: 11, background: .white) }
        $0.resize(to: $0.size.scaled(x, y))
      }
    }
  }

  @Test(
    "each decode, at its reduction, with room for all of what is shared, a part of it, or nothing"
  )
  func decodes() throws {
    var seen: Set<Int> = []
    for seed in 0..<60 {
      var dice = Dice(UInt32(4000 + seed))
      let picture = NaivePicture.synthetic(dice.next(40...400), dice.next(40...400), detail: 20)
      let frames = frames(picture.size, &dice)
      for bound in [PixelStore.usualBound, 30_000, 0] {
        let raster = RememberingRaster(picture)
        let pictures = UnitPictures([raster], policy: InputPolicy(), pixelBound: bound)
        let planned = pictures.plannedWay(to: frames)
        var tally = WayTally(room: bound)
        var told: [Int] = []
        var sizes: [Size] = []
        for frame in frames {
          sizes.append(planned.tell(frame, &tally).size)
          told += tally.end().filter { $0.kind == .decode }.compactMap(\.shrink)
        }
        #expect(raster.decoded.isEmpty)

        let way = pictures.commonWay(to: frames)
        let images = try frames.map { try pictures.image(of: $0) }
        withExtendedLifetime(way) {}
        #expect(told == raster.decoded, "\(seed), \(bound)")
        #expect(tally.decodes[0] == raster.decoded.count)
        #expect(sizes == images.map { Size(width: $0.width, height: $0.height) })
        seen.insert(raster.decoded.count)
      }
    }
    // All kinds have come up.
    #expect(seen.isSuperset(of: [1, 2, 3]))
  }

  @Test("more is held for several outputs where there is room for it, and never more than that")
  func room() throws {
    let picture = NaivePicture.synthetic(400, 300, detail: 20)
    let frames = [300, 200, 40].map { side in
      Frame(Origin(format: .jpeg, size: picture.size))
        .geometry { $0.resize(to: $0.size.scaled(longerSide: side)) }
    }
    for (bound, shared) in [(1 << 20, 300 * 225 * 3), (300 * 225 * 3 - 1, 0), (0, 0)] {
      let pictures = UnitPictures(
        [ShrinkingRaster(picture)],
        policy: InputPolicy(),
        pixelBound: bound
      )
      let way = pictures.plannedWay(to: frames)
      var tally = WayTally(room: bound)
      for frame in frames {
        _ = way.tell(frame, &tally)
        _ = tally.end()
      }
      #expect(tally.shared == shared)
      #expect(tally.peak >= shared)
    }
  }

  private static let formats: [PictureFormat] = [.jpeg, .png, .webp, .tiff, .gif, .avif, .jxl]

  @Test("the size, the bands and the samples of what is decoded", arguments: formats)
  func headers(_ format: PictureFormat) throws {
    let scratch = try ScratchFolder()
    for (index, size) in [(1, 1), (3, 200), (41, 33), (257, 130), (640, 427)].enumerated() {
      for isDeep in [false, true] where !isDeep || format == .png || format == .tiff {
        let image = NaivePicture.synthetic(size.0, size.1)
        let path = try scratch.write(
          isDeep ? image.encoded(format, deep: true) : image.encoded(format),
          to: "\(index)\(isDeep)"
        )
        let picture = try OpenedPicture(path, format: format, policy: InputPolicy())
        let facts = picture.facts
        // What has no decoder's name told would be pixels that were made.
        #expect(facts.decoder?.loader == Loader.of(format).operation)
        for reduction in picture.reductions {
          let again = try OpenedPicture(path, format: format, policy: InputPolicy())
          // libvips refuses to shrink a side to nothing; nobody asks for that.
          guard min(size.0, size.1) >= reduction else { continue }
          let pixels = try again.pixels(reduction: reduction)
          #expect(facts.grid(reduction: reduction) == pixels.grid, "\(size) by \(reduction)")
          #expect(facts.bands == pixels.image.bands)
          let decoded = facts.resized(to: pixels.grid.size)
          #expect(decoded.byteCount(decoded.size) == pixels.image.byteCount)
        }
      }
    }
  }
}
