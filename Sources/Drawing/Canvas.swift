internal import CCairo

/// What Cairo says of a failure.
public struct DrawingError: Error, Sendable, Equatable, CustomStringConvertible {
  public let text: String

  public var description: String { "drawing: \(text)" }

  init(_ status: cairo_status_t) {
    text = String(cString: cairo_status_to_string(status))
  }
}

/// A color to draw with: sRGB with straight alpha, each 0 to 1.
public struct Ink: Sendable, Equatable {
  public var red: Double
  public var green: Double
  public var blue: Double
  public var alpha: Double

  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  public static let black = Ink(red: 0, green: 0, blue: 0)
  public static let white = Ink(red: 1, green: 1, blue: 1)
}

/// A window of a plane to draw on, empty at first.
///
/// Holds one Cairo surface and one context. To be used by one thread at a time.
public final class Canvas {
  public enum Content: Sendable {
    /// One byte a pixel: how much of it is covered.
    case coverage
    /// Red, green, blue and alpha.
    case color
  }

  /// How two lines meet.
  public enum Join: Sendable {
    /// A corner, unless it would be longer than four widths.
    case miter
    case round
    case bevel
  }

  /// The longest side that Cairo takes.
  public static let longestSide = 32_767

  /// Cairo counts in so many steps a pixel.
  static let steps = 256.0

  /// Lines lie at most this far from their curve, in pixels.
  ///
  /// A circle of radius 10 then lacks 0.013 % of its area.
  static let tolerance = 0.001

  public let left: Int
  public let top: Int
  public let width: Int
  public let height: Int
  private let content: Content
  private let surface: OpaquePointer
  private let context: OpaquePointer

  /// Makes a window whose top left pixel is that pixel of the plane.
  ///
  /// - Throws: where a side is longer than `longestSide`, or there is no memory.
  public init(
    _ content: Content,
    left: Int = 0,
    top: Int = 0,
    width: Int,
    height: Int
  ) throws(DrawingError) {
    self.content = content
    self.left = left
    self.top = top
    self.width = width
    self.height = height
    let format = content == .coverage ? CAIRO_FORMAT_A8 : CAIRO_FORMAT_ARGB32
    // Never nil: a failure is an object with a status.
    surface = cairo_image_surface_create(format, Int32(clamping: width), Int32(clamping: height))
    context = cairo_create(surface)
    try check()
    cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD)
    cairo_set_antialias(context, CAIRO_ANTIALIAS_BEST)
    cairo_set_tolerance(context, 0.01)
    cairo_set_miter_limit(context, 4)
  }

  deinit {
    cairo_destroy(context)
    cairo_surface_destroy(surface)
  }

  func check() throws(DrawingError) {
    let status = cairo_status(context)
    if status != CAIRO_STATUS_SUCCESS { throw DrawingError(status) }
  }

  /// Makes all of it empty again.
  public func clear() throws(DrawingError) {
    cairo_set_operator(context, CAIRO_OPERATOR_CLEAR)
    cairo_paint(context)
    cairo_set_operator(context, CAIRO_OPERATOR_OVER)
    try check()
  }

  /// Fills what is inside an outline, with the antialiasing of 256 × 15 points a pixel.
  public func fill(_ outline: Outline, with ink: Ink = .black) throws(DrawingError) {
    fill(outline.flattened(tolerance: Self.tolerance, near: window(reach: 1)).map(onGrid), ink)
    try check()
  }

  /// Draws along an outline, half of the width on either side.
  public func stroke(
    _ outline: Outline,
    width: Double,
    join: Join = .miter,
    with ink: Ink = .black
  ) throws(DrawingError) {
    let lines = outline.flattened(tolerance: Self.tolerance, near: window(reach: width * 2 + 1))
    stroke(lines.map(onGrid), width: width, join: join, ink)
    try check()
  }

  private func window(reach: Double) -> Box {
    Box(
      left: Double(left),
      top: Double(top),
      right: Double(left + width),
      bottom: Double(top + height)
    )
    .expanded(by: reach)
  }

  /// The line where this canvas can count: its numbers wrap some eight million pixels away.
  private func onGrid(_ line: Polyline) -> Polyline {
    line.clamped(to: window(reach: 1e6)).snapped(stepsX: Self.steps, stepsY: Self.steps)
  }

  // MARK: Lines

  /// `rowsPerPixel`: rows of this canvas for one of the lines' own.
  func fill(_ lines: [Polyline], _ ink: Ink, rowsPerPixel: Double = 1) {
    trace(lines, rowsPerPixel)
    cairo_set_source_rgba(context, ink.red, ink.green, ink.blue, ink.alpha)
    cairo_fill(context)
  }

  func stroke(
    _ lines: [Polyline],
    width: Double,
    join: Join,
    _ ink: Ink,
    rowsPerPixel: Double = 1
  ) {
    trace(lines, rowsPerPixel)
    cairo_set_source_rgba(context, ink.red, ink.green, ink.blue, ink.alpha)
    cairo_set_line_width(context, width)
    switch join {
    case .miter: cairo_set_line_join(context, CAIRO_LINE_JOIN_MITER)
    case .round: cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
    case .bevel: cairo_set_line_join(context, CAIRO_LINE_JOIN_BEVEL)
    }
    // The pen is stretched as the rows are.
    cairo_save(context)
    cairo_scale(context, 1, rowsPerPixel)
    cairo_stroke(context)
    cairo_restore(context)
  }

  private func trace(_ lines: [Polyline], _ rowsPerPixel: Double) {
    cairo_new_path(context)
    let originX = Double(left)
    let originY = Double(top)
    for line in lines {
      cairo_new_sub_path(context)
      for point in line.points {
        cairo_line_to(context, point.x - originX, (point.y - originY) * rowsPerPixel)
      }
      if line.isClosed { cairo_close_path(context) }
    }
  }

  // MARK: Pixels

  /// Hands out the rows as Cairo has them; `stride` is the distance of two rows in bytes.
  func withRows<Result>(_ body: (UnsafePointer<UInt8>, _ stride: Int) -> Result) -> Result? {
    cairo_surface_flush(surface)
    guard let bytes = cairo_image_surface_get_data(surface) else { return nil }
    return body(bytes, Int(cairo_image_surface_get_stride(surface)))
  }

  /// The pixels row by row: of coverage one byte each, of color four (red, green, blue and straight
  /// alpha).
  public var pixels: [UInt8] {
    let pixels = withRows { rows, stride in
      content == .coverage ? packed(rows, stride) : straight(rows, stride)
    }
    return pixels ?? []
  }

  private func packed(_ rows: UnsafePointer<UInt8>, _ stride: Int) -> [UInt8] {
    (0..<height).flatMap { UnsafeBufferPointer(start: rows + $0 * stride, count: width) }
  }

  /// Cairo has a pixel as one number, alpha in its highest byte, and colors multiplied by it.
  private func straight(_ rows: UnsafePointer<UInt8>, _ stride: Int) -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        let address = UnsafeRawPointer(rows + y * stride + x * 4)
        let number = address.loadUnaligned(as: UInt32.self)
        let alpha = number >> 24
        guard alpha > 0 else { continue }
        let index = (y * width + x) * 4
        for (band, shift) in [16, 8, 0].enumerated() {
          let level = number >> UInt32(shift) & 255
          pixels[index + band] = UInt8(min(255, (level * 255 + alpha / 2) / alpha))
        }
        pixels[index + 3] = UInt8(alpha)
      }
    }
    return pixels
  }
}
