import Drawing
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite(.vips) struct MaskTests {
  private let square = Outline.rectangle(Box(left: 2, top: 1, right: 6, bottom: 5))

  private func rows(_ mask: Image) throws -> [[UInt8]] {
    let pixels = try mask.pixels()
    return (0..<mask.height).map { Array(pixels[($0 * mask.width)..<(($0 + 1) * mask.width)]) }
  }

  @Test func aMaskShowsItsWindow() throws {
    let mask = try square.mask(window: PixelRectangle(x: 1, y: 3, width: 3, height: 4))
    #expect(mask.bands == 1 && mask.format == .uchar && mask.interpretation == .gray)
    let inside: [UInt8] = [0, 255, 255]
    #expect(try rows(mask) == [inside, inside, [0, 0, 0], [0, 0, 0]])
    let before = try square.mask(window: PixelRectangle(x: -3, y: -1, width: 6, height: 3))
    #expect(try rows(before).last == [0, 0, 0, 0, 0, 255])
  }

  @Test func aMaskIsSeenThroughAMap() throws {
    // Twice as large, moved by one.
    let map = AffineMap.scale(x: 2, y: 2).then(.translation(x: 1, y: 0))
    let mask = try square.mask(
      through: map,
      window: PixelRectangle(x: 0, y: 0, width: 16, height: 12)
    )
    for (y, row) in try rows(mask).enumerated() {
      for (x, level) in row.enumerated() {
        let isInside = (5..<13).contains(x) && (2..<10).contains(y)
        #expect(level == (isInside ? 255 : 0), "\(x), \(y)")
      }
    }
  }

  @Test func theRestOfThePlaneIsTheInverse() throws {
    let window = PixelRectangle(x: 0, y: 0, width: 8, height: 8)
    let mask = try square.mask(window: window).pixels()
    let rest = try square.mask(window: window, inverted: true).pixels()
    #expect(zip(mask, rest).allSatisfy { $0 + $1 == 255 })
    #expect(mask.contains(255) && mask.contains(0))
  }

  @Test func aShapesMaskIsItsOutlines() throws {
    var shape = Shape()
    shape.kind = .star
    let size = Size(width: 50, height: 40)
    let map = AffineMap.rotation(degrees: 10).then(.translation(x: 5, y: -3))
    let window = PixelRectangle(x: 3, y: 4, width: 30, height: 30)
    let mask = try shape.mask(in: size, through: map, window: window, feather: 2) { _ in
      throw VipsError(operation: "test", text: "no picture is needed")
    }
    let wanted = try shape.outline(in: size).mask(through: map, window: window, feather: 2)
    #expect(try mask.pixels() == wanted.pixels())
  }

  /// The same when several threads ask, and never held whole.
  @Test(arguments: [0.0, 3, 50])
  func aLargeMaskStreams(feather: Double) throws {
    try Host.start(Host.Settings(threads: 4))
    defer { try? Host.start() }
    let size = Size(width: 6000, height: 5000)
    let disc = Outline.ellipse(Box(left: 500, top: 500, right: 4500, bottom: 4500))
    let before = Host.pixelMemoryHighWater
    let mask = try disc.mask(window: PixelRectangle(size), feather: feather)
    let average = try mask.average()
    #expect(abs(average / 255 / (.pi * 2000 * 2000 / 3e7) - 1) < 0.001)
    // All of it would be 30 MB.
    #expect(Host.pixelMemoryHighWater <= max(before, 20_000_000))
  }
}
