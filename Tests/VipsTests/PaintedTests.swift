import Synchronization
import TestSupport
import Testing
import Vips

/// A painter whose pixels tell their place, and that counts how many of its kind there are.
private final class Slopes: PixelPainter {
  static let alive = Mutex(0)
  static let largest = Mutex(0)

  init() { Self.alive.withLock { $0 += 1 } }
  deinit { Self.alive.withLock { $0 -= 1 } }

  func paint(
    left: Int,
    top: Int,
    width: Int,
    height: Int,
    into bytes: UnsafeMutablePointer<UInt8>,
    stride: Int
  ) {
    Self.largest.withLock { $0 = max($0, width * height) }
    for y in 0..<height {
      for x in 0..<width { bytes[y * stride + x] = value(left + x, top + y) }
    }
  }
}

private func value(_ x: Int, _ y: Int) -> UInt8 { UInt8((x * 7 + y * 13) % 251) }

@Suite("Painted pictures", .vips)
struct PaintedTests {
  @Test("hold what their painter paints, whatever is asked for", arguments: [1, 4])
  func pixels(threads: Int) throws {
    try Host.start(Host.Settings(threads: threads))
    defer { try? Host.start() }
    let image = try Image.painted(width: 333, height: 217) { Slopes() }
    #expect(image.bands == 1 && image.format == .uchar && image.interpretation == .gray)
    let wanted = (0..<217).flatMap { y in (0..<333).map { value($0, y) } }
    #expect(try image.pixels() == wanted)
    // A turn asks for tiles.
    let turned = try image.rotate(quarterTurns: 1).rotate(quarterTurns: 3)
    #expect(try turned.pixels() == wanted)
  }

  @Test("are never asked for whole, and leave no painter behind")
  func streams() throws {
    Slopes.largest.withLock { $0 = 0 }
    let image = try Image.painted(width: 5000, height: 4000) { Slopes() }
    _ = try image.average()
    #expect(Slopes.largest.withLock { $0 } <= 5000 * 256)
    #expect(Slopes.alive.withLock { $0 } == 0)
  }

  @Test("fail where their painter does")
  func failure() throws {
    struct Refusal: Error {}
    let image = try Image.painted(width: 10, height: 10) { throw Refusal() }
    #expect(throws: VipsError.self) { try image.average() }
    final class Broken: PixelPainter {
      func paint(
        left: Int,
        top: Int,
        width: Int,
        height: Int,
        into bytes: UnsafeMutablePointer<UInt8>,
        stride: Int
      ) throws { throw Refusal() }
    }
    let broken = try Image.painted(width: 10, height: 10) { Broken() }
    #expect(throws: VipsError.self) { try broken.average() }
  }
}
