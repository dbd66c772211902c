import MinilabKit
import Vips

/// How a picture is made smaller along both of its axes: a window of it, boxes of whole samples, a kernel
/// along each axis, and the turn last.
///
/// Equal reductions of pictures of one shape are the same libvips operations.
struct Reduction: Equatable {
  let horizontal: ReducedAxis
  let vertical: ReducedAxis
  /// Of the result, before the turn.
  let width: Int
  let height: Int
  let orientation: Orientation
  /// Made in floating point, and mostly by the kernels.
  ///
  /// libvips' kernels for 8 bits have weights of a few bits, whose errors add up where each sample is the
  /// average of many, as do those of boxes. In a picture of few pixels that is seen, and costs little.
  let isExact: Bool

  private static let fewPixels = 1024

  /// `pixels`: of the decoded picture.
  init(_ axes: StoredAxes, of pixels: PixelGrid) {
    (width, height) = (axes.width, axes.height)
    isExact = width * height <= Self.fewPixels
    let gap = isExact ? 8.0 : 2
    horizontal = ReducedAxis(
      offset: axes.x,
      factor: axes.factorX,
      count: axes.width,
      length: pixels.width,
      covered: pixels.factorX,
      shift: pixels.shift,
      gap: gap
    )
    vertical = ReducedAxis(
      offset: axes.y,
      factor: axes.factorY,
      count: axes.height,
      length: pixels.height,
      covered: pixels.factorY,
      shift: pixels.shift,
      gap: gap
    )
    orientation = axes.orientation
  }

  /// Of what is held between the two kernels, in bytes.
  static let mostHeld = 16 << 20

  /// The pixels, to be read once, top to bottom.
  func reduced(_ image: Image, _ blending: Blending) throws -> Image {
    let columns = try columns(of: blending.entered(image))
    guard isTransposed(columns) else {
      let reduced = try cut(columns.reduced(horizontally: horizontal.factor))
      return try blending.left(reduced).turned(orientation)
    }
    let rows = try rows(of: columns.inMemory()).inMemory()
    return try blending.left(cut(upright(rows))).turned(orientation)
  }

  // MARK: Its parts

  /// Reduced from top to bottom.
  func columns(of image: Image) throws -> Image {
    try image.window(
      left: horizontal.window.start * horizontal.box,
      top: vertical.window.start * vertical.box,
      right: horizontal.window.end * horizontal.box,
      bottom: vertical.window.end * vertical.box
    )
    .boxed(horizontal.box, vertical.box).reduced(vertically: vertical.factor)
  }

  /// libvips' kernel for columns uses vectors where samples have 8 bits, and is several times as fast as
  /// the one for rows, which does not: so rows are made columns, where the picture can be held.
  func isTransposed(_ columns: Image) -> Bool {
    horizontal.factor != 1 && columns.format == .uchar && columns.byteCount <= Self.mostHeld
  }

  /// Reduced from side to side, and on its side; `columns` is in memory.
  func rows(of columns: Image) throws -> Image {
    try columns.rotate(quarterTurns: 1).reduced(vertically: horizontal.factor)
  }

  func upright(_ rows: Image) throws -> Image { try rows.rotate(quarterTurns: 3) }

  func cut(_ image: Image) throws -> Image {
    try image.extractArea(
      left: horizontal.window.skip,
      top: vertical.window.skip,
      width: width,
      height: height
    )
  }
}
