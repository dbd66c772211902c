/// What is thrown away before the first frame counts, while the camera finds exposure and colors.
public struct WarmUp: Hashable, Sendable {
  /// So many frames in any case.
  public var frames: Int
  /// Then more, until they are equally bright; nil where frames are only counted.
  ///
  /// The share by which the brightness of one frame may differ from that of the one before, three times
  /// in a row.
  public var settledWithin: Double?
  /// The longest that is waited for this.
  public var ceiling: Duration

  public init(frames: Int = 10, settledWithin: Double? = 0.02, ceiling: Duration = .seconds(3)) {
    self.frames = frames
    self.settledWithin = settledWithin
    self.ceiling = ceiling
  }

  public struct Result: Hashable, Sendable {
    /// Thrown away.
    public var frames: Int
    /// False where the ceiling came first; true where brightness was not looked at.
    public var isSettled: Bool
  }
}

extension FrameStream {
  /// Throws frames away until the camera has settled.
  ///
  /// Each frame has the timeout for itself. Throws as `next` does.
  @discardableResult
  public func warmUp(_ warmUp: WarmUp, timeout: Duration) throws(VideoError) -> WarmUp.Result {
    var result = WarmUp.Result(frames: 0, isSettled: true)
    var settling = warmUp.settledWithin.map { Settling(within: $0) }
    for _ in 0..<max(0, warmUp.frames) {
      let frame = try next(timeout: timeout)
      settling?.see(frame)
      result.frames += 1
    }
    let end = now + warmUp.ceiling.nanoseconds
    while settling?.isSettled == false {
      guard now < end else {
        result.isSettled = false
        break
      }
      let frame = try next(timeout: timeout)
      settling?.see(frame)
      result.frames += 1
    }
    return result
  }
}

/// Whether the brightness of frames has come to rest.
private struct Settling {
  let within: Double
  private var last: Double?
  private var steady = 0

  init(within: Double) {
    self.within = within
  }

  var isSettled: Bool { steady >= 3 }

  /// A frame whose brightness cannot be told says nothing.
  mutating func see(_ frame: CapturedFrame) {
    guard let brightness = try? frame.meanLuma() else { return }
    if let last {
      // In the dark, one level of noise is a large share.
      let isSteady = abs(brightness - last) <= max(within * max(brightness, last), 1)
      steady = isSteady ? steady + 1 : 0
    }
    last = brightness
  }
}
