public import Drawing
internal import Synchronization
public import Vips

/// Masks: pictures of one 8-bit band, 255 where a shape is and 0 where it is not.
///
/// They are never held whole: their pixels are drawn as a pipeline asks for them.
extension Outline {
  /// A mask of what the outline covers.
  ///
  /// - Parameters:
  ///   - style: filled, or drawn along.
  ///   - map: from the outline's points to the plane's.
  ///   - window: what the mask shows, in pixels of that plane.
  ///   - feather: the standard deviation of a Gaussian, in pixels of that plane.
  ///   - inverted: true for the rest of the plane.
  /// - Returns: a mask of the window's size.
  /// - Throws: `VipsError`.
  public func mask(
    _ style: CoveragePainter.Style = .fill,
    through map: AffineMap = .identity,
    window: PixelRectangle,
    feather: Double = 0,
    inverted: Bool = false
  ) throws -> Image {
    try MaskView(window: window, feather: feather, isInverted: inverted).mask { view, size in
      let outline = transformed(by: map.then(view))
      let painters = Painters {
        CoveragePainter(outline, style, width: size.width, height: size.height)
      }
      return try Image.generated(
        width: size.width,
        height: size.height,
        bands: 1,
        format: .uchar
      ) { area in
        try painters.lend {
          try $0.paint(
            left: area.left,
            top: area.top,
            width: area.width,
            height: area.height,
            into: area.row
          )
        }
      }
    }
  }
}

/// The painters of one mask: as many as there are threads that ask for its pixels.
private final class Painters: Sendable {
  /// Sendable because a painter is out of the list while a thread has it.
  private struct Free: @unchecked Sendable {
    let painter: CoveragePainter
  }

  private let free = Mutex<[Free]>([])
  private let make: @Sendable () -> CoveragePainter

  init(_ make: @escaping @Sendable () -> CoveragePainter) {
    self.make = make
  }

  func lend(_ body: (CoveragePainter) throws -> Void) throws {
    let one = free.withLock { $0.popLast() } ?? Free(painter: make())
    defer { free.withLock { $0.append(one) } }
    try body(one.painter)
  }
}

extension Shape {
  /// A mask of the shape on a frame of that size.
  ///
  /// - Parameters:
  ///   - frame: what the shape's percentages are of.
  ///   - map: from the frame's points to the plane's.
  ///   - window: what the mask shows, in pixels of that plane.
  ///   - feather: the standard deviation of a Gaussian, in pixels of that plane.
  ///   - inverted: true for the rest of the plane.
  ///   - picture: opens the file of an `image`, in working pixels, held in memory.
  /// - Returns: a mask of the window's size.
  /// - Throws: `ItemError` for a shape without an area or off the frame.
  public func mask(
    in frame: Size,
    through map: AffineMap = .identity,
    window: PixelRectangle,
    feather: Double = 0,
    inverted: Bool = false,
    picture: (FileReference) throws -> Image
  ) throws -> Image {
    let outline = try outline(in: frame)
    guard kind == .image, let file else {
      return try outline.mask(through: map, window: window, feather: feather, inverted: inverted)
    }
    let levels = try picture(file).maskLevels()
    let place = AffineMap.scale(x: 1 / Double(levels.width), y: 1 / Double(levels.height))
      .then(unitMap(in: frame))
      .then(map)
    return try MaskView(window: window, feather: feather, isInverted: inverted).mask { view, size in
      let box = outline.transformed(by: map.then(view))
      let edge = try box.mask(window: PixelRectangle(size))
      return try levels.stretched(through: place.then(view), size: size).multiplied(by: edge)
    }
  }
}
