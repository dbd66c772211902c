/// A pixel format that a device offers, with its sizes.
public struct OfferedFormat: Hashable, Sendable {
  public var code: FourCC
  /// The driver's words.
  public var title: String
  /// Nil where the format cannot be read here.
  public var pixelFormat: PixelFormat? { PixelFormat(code) }
  public var isCompressed: Bool
  /// Not the device but libv4l2 makes it, of another format.
  public var isEmulated: Bool
  public var sizes: [OfferedSizes]

  public init(
    code: FourCC,
    title: String,
    isCompressed: Bool,
    isEmulated: Bool,
    sizes: [OfferedSizes]
  ) {
    self.code = code
    self.title = title
    self.isCompressed = isCompressed
    self.isEmulated = isEmulated
    self.sizes = sizes
  }
}

/// Sizes of frames, in pixels: one, or all in a range.
public struct OfferedSizes: Hashable, Sendable {
  public var width: SteppedRange
  public var height: SteppedRange
  /// From one frame to the next; of the largest size where there are several.
  ///
  /// Empty where the device does not say.
  public var intervals: [OfferedIntervals]

  public init(width: SteppedRange, height: SteppedRange, intervals: [OfferedIntervals]) {
    self.width = width
    self.height = height
    self.intervals = intervals
  }

  /// True of a single size.
  public var isSingle: Bool { width.isSingle && height.isSingle }

  /// The size of these that is nearest to another one.
  public func nearest(to size: FrameSize) -> FrameSize {
    FrameSize(width: width.nearest(to: size.width), height: height.nearest(to: size.height))
  }
}

/// The numbers from the least to the most, in steps.
public struct SteppedRange: Hashable, Sendable {
  public var least: Int
  public var most: Int
  /// At least 1.
  public var step: Int

  /// A range that the kernel may have got wrong is mended: no step is 1, and the most is at least
  /// the least.
  public init(_ least: Int, _ most: Int, step: Int = 1) {
    self.least = least
    self.most = max(least, most)
    self.step = max(1, step)
  }

  public init(_ single: Int) {
    self.init(single, single)
  }

  public var isSingle: Bool { least == most }

  /// The number of the range that is nearest to another one; of two as near, the smaller.
  public func nearest(to number: Int) -> Int {
    let clamped = min(max(number, least), most)
    let below = least + (clamped - least) / step * step
    let above = below + step
    return above <= most && above - clamped < clamped - below ? above : below
  }
}

public struct FrameSize: Hashable, Sendable, CustomStringConvertible {
  /// In pixels.
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var description: String { "\(width)x\(height)" }
}

/// The time from one frame to the next, in seconds, as a fraction.
public struct FrameInterval: Hashable, Sendable {
  public var numerator: Int
  public var denominator: Int

  /// Nil of no or a negative time.
  public init?(_ numerator: Int, _ denominator: Int) {
    guard numerator > 0, denominator > 0 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  public var seconds: Double { Double(numerator) / Double(denominator) }
  /// Frames in a second.
  public var rate: Double { Double(denominator) / Double(numerator) }
}

/// Intervals: one, or all in a range.
public struct OfferedIntervals: Hashable, Sendable {
  public var shortest: FrameInterval
  public var longest: FrameInterval

  public init(shortest: FrameInterval, longest: FrameInterval) {
    self.shortest = shortest
    self.longest = longest
  }

  public var isSingle: Bool { shortest == longest }
}
