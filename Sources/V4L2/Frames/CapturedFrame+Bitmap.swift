internal import Glibc

extension CapturedFrame {
  /// The pixels of the frame: gray of `grey`, red, green and blue of the others.
  ///
  /// Limited range becomes full range. The color of YUYV, UYVY and NV12 is interpolated between the
  /// places where V4L2's documents say it was measured: in the middle of two pixels of a row, and
  /// in NV12 in the middle of two rows as well.
  ///
  /// - Returns: As many pixels as the format says; the padding of rows is gone.
  /// - Throws: `FrameError` where the frame is a JPEG, or bytes are missing.
  public func bitmap() throws(FrameError) -> Bitmap {
    guard format.pixelFormat != .mjpeg else { throw .compressed }
    let layout = try FrameLayout(of: self)
    let bands = format.pixelFormat == .grey ? 1 : 3
    let count = layout.width * layout.height * bands
    let samples = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      bytes.withUnsafeBufferPointer { bytes in
        if let source = bytes.baseAddress, let target = buffer.baseAddress {
          fill(target, from: source, layout)
        }
      }
      filled = count
    }
    return Bitmap(width: layout.width, height: layout.height, bands: bands, samples: samples)
  }

  private func fill(
    _ target: UnsafeMutablePointer<UInt8>,
    from source: UnsafePointer<UInt8>,
    _ layout: FrameLayout
  ) {
    switch format.pixelFormat {
    case .mjpeg: break
    case .grey, .rgb24, .bgr24: copyRows(target, from: source, layout)
    case .yuyv, .uyvy, .nv12:
      let decoder = ColorDecoder(ColorMatrix(format.matrix, format.range))
      let rows = ChromaRows(format.pixelFormat, source, layout)
      let words = UnsafeMutablePointer<UInt32>.allocate(capacity: layout.width)
      defer { words.deallocate() }
      for y in 0..<layout.height {
        rows.read(y)
        decoder.convert(
          luma: rows.luma,
          cb: rows.cb,
          cr: rows.cr,
          count: layout.width,
          into: words
        )
        pack(words, layout.width, into: target + y * layout.width * 3)
      }
    }
  }

  /// Writes the lower three bytes of each word.
  private func pack(
    _ words: UnsafePointer<UInt32>,
    _ count: Int,
    into row: UnsafeMutablePointer<UInt8>
  ) {
    let bytes = UnsafeMutableRawPointer(row)
    // A whole word is one instruction, and the next pixel covers its fourth byte.
    for x in 0..<(count - 1) {
      bytes.storeBytes(of: words[x].littleEndian, toByteOffset: 3 &* x, as: UInt32.self)
    }
    let last = words[count - 1]
    let end = row + 3 * (count - 1)
    end[0] = UInt8(truncatingIfNeeded: last)
    end[1] = UInt8(truncatingIfNeeded: last &>> 8)
    end[2] = UInt8(truncatingIfNeeded: last &>> 16)
  }

  private func copyRows(
    _ target: UnsafeMutablePointer<UInt8>,
    from source: UnsafePointer<UInt8>,
    _ layout: FrameLayout
  ) {
    let count = FrameLayout.usedBytes(format.pixelFormat, width: layout.width)
    for y in 0..<layout.height {
      let from = source + y * layout.bytesPerLine
      let row = target + y * count
      row.update(from: from, count: count)
      if format.pixelFormat == .bgr24 {
        for x in 0..<layout.width { swap(&row[3 &* x], &row[3 &* x &+ 2]) }
      }
      if format.range == .limited {
        let levels = Self.expanded
        levels.withUnsafeBufferPointer { levels in
          for x in 0..<count { row[x] = levels[Int(row[x])] }
        }
      }
    }
  }

  /// Limited range as full range.
  static let expanded = (0...255).map { (level: Int) -> UInt8 in
    let light = Double(level - 16) * 255 / 219
    return UInt8(max(0, min(255, light)).rounded())
  }
}
