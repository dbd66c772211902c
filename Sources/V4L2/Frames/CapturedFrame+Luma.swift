extension CapturedFrame {
  /// How bright the frame is: the mean of its luma in full range, 0 to 255.
  ///
  /// Of pixels, a grid of some thousands is looked at; of a JPEG, what it says of each block of its
  /// brightness. Nothing is decoded, so this is cheap enough for every frame while a camera
  /// settles.
  ///
  /// - Returns: The mean, as the device's own matrix weighs colors.
  /// - Throws: `FrameError` where bytes are missing, or a JPEG's picture data cannot be followed to
  public func meanLuma() throws(FrameError) -> Double {
    if format.pixelFormat == .mjpeg { return try MotionJPEG.meanLuma(of: bytes) }
    let layout = try FrameLayout(of: self)
    // Odd steps, so that no fine regular pattern meets the grid.
    let stepX = layout.width / Self.grid | 1
    let stepY = layout.height / Self.grid | 1
    let weights = lumaWeights
    var sum = 0.0
    var count = 0
    for y in stride(from: stepY / 2, to: layout.height, by: stepY) {
      for x in stride(from: stepX / 2, to: layout.width, by: stepX) {
        let start = y * layout.bytesPerLine + x * weights.pixelSize + weights.offset
        for (place, weight) in weights.samples.enumerated() {
          sum += weight * Double(bytes[start + place])
        }
        count += 1
      }
    }
    let mean = sum / Double(count)
    guard format.range == .limited else { return mean }
    return max(0, min(255, (mean - 16) * 255 / 219))
  }

  /// About so many places on either side.
  private static let grid = 64

  /// Where the luma of a pixel is, or what it consists of.
  private var lumaWeights: (pixelSize: Int, offset: Int, samples: [Double]) {
    let matrix = ColorMatrix(format.matrix, .full)
    switch format.pixelFormat {
    case .mjpeg, .grey, .nv12: return (1, 0, [1])
    case .yuyv: return (2, 0, [1])
    case .uyvy: return (2, 1, [1])
    case .rgb24: return (3, 0, [matrix.red, matrix.green, matrix.blue])
    case .bgr24: return (3, 0, [matrix.blue, matrix.green, matrix.red])
    }
  }
}
