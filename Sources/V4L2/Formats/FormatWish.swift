/// What is wanted of the frames.
public struct FormatWish: Hashable, Sendable {
  public enum Size: Hashable, Sendable {
    /// The largest there is.
    case photo
    /// About 1920 x 1080.
    case high
    /// About 1280 x 720.
    case medium
    /// About 640 x 480.
    case low
    /// As near to this as there is.
    case near(FrameSize)
  }

  public var size: Size
  /// Nil for the best there is.
  public var pixelFormat: PixelFormat?
  /// Frames in a second: the slowest rate from this one on is taken, as a sensor has longer to
  /// expose then.
  ///
  /// Where the device has none so fast, its fastest.
  public var rate: Double

  public init(size: Size = .photo, pixelFormat: PixelFormat? = nil, rate: Double = 10) {
    self.size = size
    self.pixelFormat = pixelFormat
    self.rate = rate
  }
}

/// What to ask a device for.
public struct FormatChoice: Hashable, Sendable {
  public var code: FourCC
  public var pixelFormat: PixelFormat
  public var size: FrameSize
  /// Nil where the device offers no choice.
  public var interval: FrameInterval?
  /// libv4l2 makes it of another format; its colors are rough then.
  public var isEmulated: Bool

  public init(
    code: FourCC,
    pixelFormat: PixelFormat,
    size: FrameSize,
    interval: FrameInterval?,
    isEmulated: Bool
  ) {
    self.code = code
    self.pixelFormat = pixelFormat
    self.size = size
    self.interval = interval
    self.isEmulated = isEmulated
  }
}
