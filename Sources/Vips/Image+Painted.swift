internal import CVips
internal import CVipsShim

/// Computes pixels of one 8-bit band when they are asked for.
///
/// A painter is used by one thread at a time.
public protocol PixelPainter: AnyObject {
  /// Writes a rectangle, one byte a pixel, rows `stride` bytes apart.
  func paint(
    left: Int,
    top: Int,
    width: Int,
    height: Int,
    into bytes: UnsafeMutablePointer<UInt8>,
    stride: Int
  ) throws
}

extension Image {
  /// A picture of one 8-bit band that is never held whole: its pixels are painted as a pipeline asks
  /// for them.
  ///
  /// `makePainter` is called for each thread that does.
  public static func painted(
    width: Int,
    height: Int,
    by makePainter: @escaping @Sendable () throws -> any PixelPainter
  ) throws(VipsError) -> Image {
    let painting = CVipsPainting(
      begin: { context in
        let maker = Unmanaged<PainterMaker>.fromOpaque(context).takeUnretainedValue()
        guard let painter = try? maker.make() else { return nil }
        return Unmanaged.passRetained(PainterHolder(painter)).toOpaque()
      },
      paint: { painter, left, top, width, height, bytes, stride in
        let holder = Unmanaged<PainterHolder>.fromOpaque(painter).takeUnretainedValue()
        do {
          try holder.painter.paint(
            left: Int(left),
            top: Int(top),
            width: Int(width),
            height: Int(height),
            into: bytes,
            stride: stride
          )
          return true
        } catch {
          return false
        }
      },
      end: { painter in Unmanaged<PainterHolder>.fromOpaque(painter).release() },
      release: { context in Unmanaged<PainterMaker>.fromOpaque(context).release() },
      context: Unmanaged.passRetained(PainterMaker(makePainter)).toOpaque()
    )
    guard let pointer = cvips_painted(Int32(width), Int32(height), painting) else {
      throw VipsError.taken(by: "painted")
    }
    return Image(adopting: pointer)
  }
}

/// What a picture keeps for as long as it lives.
private final class PainterMaker: Sendable {
  let make: @Sendable () throws -> any PixelPainter

  init(_ make: @escaping @Sendable () throws -> any PixelPainter) {
    self.make = make
  }
}

private final class PainterHolder {
  let painter: any PixelPainter

  init(_ painter: any PixelPainter) {
    self.painter = painter
  }
}
