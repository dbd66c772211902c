/// Frames of Motion JPEG as files of their own.
public enum MotionJPEG {
  /// The frame as a JPEG that every program reads, its picture untouched.
  ///
  /// What stands behind the end marker is cut off: drivers hand over whole buffers. Many cameras
  /// leave out the Huffman tables of the standard; those that the picture needs and that are not
  /// there are put before it. All else stays byte for byte.
  ///
  /// The coded picture itself is not read: `meanLuma(of:)` does, and tells where a part of it is
  /// lost.
  ///
  /// - Parameter bytes: From the start marker on.
  /// - Returns: A whole file.
  /// - Throws: `FrameError` where the frame stops before its end marker, or is no JPEG that can be read.
  public static func repaired(_ bytes: [UInt8]) throws(FrameError) -> [UInt8] {
    let header = try JPEGHeader(bytes)
    var result: [UInt8] = []
    result.reserveCapacity(header.end + 420)
    var done = 0
    for scan in header.scans where !scan.missing.isEmpty {
      result += bytes[done..<scan.start]
      result += HuffmanTable.segment(
        of: scan.missing.compactMap { place in
          HuffmanTable.standard[place].map { (place, $0) }
        }
      )
      done = scan.start
    }
    return result + bytes[done..<header.end]
  }

  /// The frame without its Huffman tables, as many cameras send it.
  ///
  /// It is still the same picture only where they were those of the standard.
  public static func withoutTables(_ bytes: [UInt8]) throws(FrameError) -> [UInt8] {
    let header = try JPEGHeader(bytes)
    var result: [UInt8] = []
    var done = 0
    for segment in header.tableSegments {
      result += bytes[done..<segment.lowerBound]
      done = segment.upperBound
    }
    return result + bytes[done...]
  }

  /// The size that the frame says it has, in pixels.
  public static func size(of bytes: [UInt8]) throws(FrameError) -> (width: Int, height: Int) {
    let header = try JPEGHeader(bytes)
    return (header.width, header.height)
  }

  /// How bright the frame is, from the mean of each block of its luma; 0 to 255.
  ///
  /// - Throws: `FrameError`, also where the coded picture ends too early or makes no sense, and for a
  public static func meanLuma(of bytes: [UInt8]) throws(FrameError) -> Double {
    let header = try JPEGHeader(bytes)
    guard !header.isProgressive else { throw .unsupported("a progressive JPEG") }
    guard let scan = header.scans.first(where: { $0.components.contains { $0.component == 0 } })
    else { throw .damaged("no scan has the luma") }
    return try JPEGScanReader.meanOfFirstComponent(scan, header, bytes)
  }
}

extension CapturedFrame {
  /// A JPEG frame as a file that every program reads: see `MotionJPEG.repaired`.
  public func jpeg() throws(FrameError) -> [UInt8] {
    guard format.pixelFormat == .mjpeg else { throw .notCompressed }
    return try MotionJPEG.repaired(bytes)
  }
}
