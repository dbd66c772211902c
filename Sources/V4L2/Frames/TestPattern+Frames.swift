extension TestPattern {
  /// The frame of that number as a camera would deliver it.
  ///
  /// - Parameters:
  ///   - number: Also becomes the frame's `sequence`.
  ///   - pixelFormat: JPEG has 4:2:2 sampling and is made here, so that its bytes are everywhere the same.
  ///   - matrix: Of YUYV, UYVY and NV12; a JPEG always has that of BT.601.
  ///   - range: Nil stands for what cameras deliver: limited for YUYV, UYVY and NV12, else full.
  ///   - padding: Bytes behind each row; JPEG has none.
  ///   - huffmanTables: Without, a JPEG is as many cameras send it.
  ///   - time: In nanoseconds since 1970.
  /// - Returns: The whole frame.
  public func frame(
    number: Int,
    as pixelFormat: PixelFormat,
    matrix: FrameFormat.Matrix = .bt601,
    range: FrameFormat.Range? = nil,
    padding: Int = 0,
    huffmanTables: Bool = true,
    time: Int64 = 0
  ) -> CapturedFrame {
    let format = format(as: pixelFormat, matrix: matrix, range: range, padding: padding)
    let rows = TestPatternRows(self, number: number)
    let bytes: [UInt8]
    switch pixelFormat {
    case .mjpeg:
      bytes = PatternJPEG(width: width, height: height, rows: rows)
        .encoded(huffmanTables: huffmanTables)
    case .nv12: bytes = planes(rows, format)
    default: bytes = packed(rows, format)
    }
    return CapturedFrame(
      format: format,
      bytes: bytes,
      sequence: UInt32(truncatingIfNeeded: number),
      time: time
    )
  }

  /// The form of those frames.
  public func format(
    as pixelFormat: PixelFormat,
    matrix: FrameFormat.Matrix = .bt601,
    range: FrameFormat.Range? = nil,
    padding: Int = 0
  ) -> FrameFormat {
    let isJPEG = pixelFormat == .mjpeg
    let bytesPerLine =
      isJPEG ? 0 : FrameLayout.usedBytes(pixelFormat, width: width) + max(0, padding)
    let rows = pixelFormat == .nv12 ? height + (height + 1) / 2 : height
    let isYUV = [.yuyv, .uyvy, .nv12].contains(pixelFormat)
    return FrameFormat(
      pixelFormat: pixelFormat,
      width: width,
      height: height,
      bytesPerLine: bytesPerLine,
      imageSize: isJPEG ? PatternJPEG.longest(width: width, height: height) : rows * bytesPerLine,
      matrix: isJPEG ? .bt601 : matrix,
      range: isJPEG ? .full : range ?? (isYUV ? .limited : .full)
    )
  }

  /// Rows of one kind below each other.
  private func packed(_ rows: TestPatternRows, _ format: FrameFormat) -> [UInt8] {
    let encoder = ColorEncoder(ColorMatrix(format.matrix, format.range))
    let kinds = rows.kinds.map { padded(encoded($0, encoder, format), format) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(format.imageSize)
    for kind in rows.kindOfRow { bytes += kinds[kind] }
    return bytes
  }

  private func padded(_ row: [UInt8], _ format: FrameFormat) -> [UInt8] {
    // No color of the pattern: who reads the padding sees it.
    row + Array(repeating: 0xA5, count: format.bytesPerLine - row.count)
  }

  private func encoded(
    _ row: [UInt8],
    _ encoder: ColorEncoder,
    _ format: FrameFormat
  ) -> [UInt8] {
    switch format.pixelFormat {
    case .rgb24: return row.map { Self.level($0, format.range) }
    case .bgr24:
      return row.indices.map { Self.level(row[$0 / 3 * 3 + 2 - $0 % 3], format.range) }
    case .grey: return encoder.row(row).luma
    default: break
    }
    let samples = encoder.row(row)
    let cb = ColorEncoder.halved(samples.cb).map(ColorEncoder.sample)
    let cr = ColorEncoder.halved(samples.cr).map(ColorEncoder.sample)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(cb.count * 4)
    for pair in cb.indices {
      let left = samples.luma[2 * pair]
      // An odd row ends with half a group.
      let right = samples.luma[min(2 * pair + 1, width - 1)]
      bytes +=
        format.pixelFormat == .yuyv
        ? [left, cb[pair], right, cr[pair]] : [cb[pair], left, cr[pair], right]
    }
    return bytes
  }

  private static func level(_ level: UInt8, _ range: FrameFormat.Range) -> UInt8 {
    range == .full ? level : ColorEncoder.level(16 + Double(level) * 219 / 255)
  }

  /// A plane of luma, and one with a pair of color samples for each square of four pixels.
  private func planes(_ rows: TestPatternRows, _ format: FrameFormat) -> [UInt8] {
    let encoder = ColorEncoder(ColorMatrix(format.matrix, format.range))
    let kinds = rows.kinds.map(encoder.row)
    let luma = kinds.map { padded($0.luma + Array(repeating: 16, count: width % 2), format) }
    let cb = kinds.map { ColorEncoder.halved($0.cb) }
    let cr = kinds.map { ColorEncoder.halved($0.cr) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(format.imageSize)
    for kind in rows.kindOfRow { bytes += luma[kind] }
    for y in stride(from: 0, to: height, by: 2) {
      let upper = rows.kindOfRow[y]
      let lower = rows.kindOfRow[min(y + 1, height - 1)]
      var row: [UInt8] = []
      for pair in cb[upper].indices {
        row.append(ColorEncoder.sample((cb[upper][pair] + cb[lower][pair]) / 2))
        row.append(ColorEncoder.sample((cr[upper][pair] + cr[lower][pair]) / 2))
      }
      bytes += padded(row, format)
    }
    return bytes
  }
}
