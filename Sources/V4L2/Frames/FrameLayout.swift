/// Where the rows of a frame of pixels lie in its bytes.
struct FrameLayout {
  let width: Int
  let height: Int
  let bytesPerLine: Int
  /// Groups of two pixels in a row that share their color, the last one perhaps half a group.
  var pairs: Int { (width + 1) / 2 }
  /// Rows of color below the luma of NV12.
  var colorRows: Int { (height + 1) / 2 }

  /// JPEG counts its sides with 16 bits, and no camera is near that.
  static let longestSide = 65_535

  /// Checks that all rows are there, so that nothing is read that is not.
  init(of frame: CapturedFrame) throws(FrameError) {
    let format = frame.format
    width = format.width
    height = format.height
    bytesPerLine = format.bytesPerLine
    let sides = 1...Self.longestSide
    let used = Self.usedBytes(format.pixelFormat, width: format.width)
    guard sides.contains(format.width), sides.contains(format.height), format.bytesPerLine >= used,
      format.bytesPerLine <= Int(Int32.max)
    else {
      throw .badLayout(
        width: format.width,
        height: format.height,
        bytesPerLine: format.bytesPerLine
      )
    }
    var rows = height
    if format.pixelFormat == .nv12 { rows += (height + 1) / 2 }
    // The padding of the last row may be missing.
    let expected = (rows - 1) * bytesPerLine + used
    guard frame.bytes.count >= expected else {
      throw .short(expected: expected, received: frame.bytes.count)
    }
  }

  /// The bytes of a row without its padding; the longest, where a format has several kinds of rows.
  static func usedBytes(_ format: PixelFormat, width: Int) -> Int {
    switch format {
    case .mjpeg: 0
    case .grey: width
    case .nv12: (width + 1) / 2 * 2
    case .yuyv, .uyvy: (width + 1) / 2 * 4
    case .rgb24, .bgr24: width * 3
    }
  }
}
