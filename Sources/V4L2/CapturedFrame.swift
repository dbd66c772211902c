/// How the bytes of a pixel format are to be read.
public enum PixelFormat: String, CaseIterable, Sendable {
  case mjpeg
  case yuyv
  case uyvy
  case nv12
  case grey
  case rgb24
  case bgr24
}

/// The form of the frames a device delivers, as the device said it.
public struct FrameFormat: Hashable, Sendable {
  public enum Matrix: Sendable {
    case bt601
    case bt709
    case bt2020
  }

  public enum Range: Sendable {
    case limited
    case full
  }

  public var pixelFormat: PixelFormat
  /// In pixels.
  public var width: Int
  public var height: Int
  /// From one row to the next, in bytes; 0 for MJPEG.
  public var bytesPerLine: Int
  /// The bytes of a whole frame; for MJPEG only the most there can be.
  public var imageSize: Int
  public var matrix: Matrix
  public var range: Range

  public init(
    pixelFormat: PixelFormat,
    width: Int,
    height: Int,
    bytesPerLine: Int,
    imageSize: Int,
    matrix: Matrix,
    range: Range
  ) {
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
    self.bytesPerLine = bytesPerLine
    self.imageSize = imageSize
    self.matrix = matrix
    self.range = range
  }
}

/// One frame as a device delivered it.
public struct CapturedFrame: Sendable {
  public var format: FrameFormat
  /// As many as the device said are used.
  public var bytes: [UInt8]
  /// The driver's count of frames; a gap says that frames were lost.
  public var sequence: UInt32
  /// Of CLOCK_REALTIME, in nanoseconds since 1970: when the exposure began, or the frame ended where
  /// the driver says only that.
  public var time: Int64

  public init(format: FrameFormat, bytes: [UInt8], sequence: UInt32, time: Int64) {
    self.format = format
    self.bytes = bytes
    self.sequence = sequence
    self.time = time
  }
}
