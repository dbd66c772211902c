internal import CV4L2
import Glibc

/// A camera that delivers frames.
///
/// Frames that the device marks as broken, that are short or cut off are dropped and counted. After
/// an error of the stream it is restarted, once until the next good frame. The device is held until
/// `stop`, or the end of the last reference.
public final class FrameStream {
  public struct Counts: Hashable, Sendable {
    /// Handed out.
    public var delivered = 0
    /// Marked by the device as broken.
    public var flagged = 0
    /// With fewer bytes than a frame has.
    public var short = 0
    /// MJPEG that is cut off, or cannot be followed to its end.
    public var truncated = 0
    /// Passed over, as newer ones were wanted.
    public var stale = 0
    /// Never seen: the driver's count goes on without them, as no buffer was free, or they were
    /// broken on the way.
    public var lost = 0
    /// Of the stream, after errors.
    public var restarts = 0
  }

  public let format: StreamFormat
  public private(set) var counts = Counts()

  private let device: VideoDevice
  private let bufferCount: Int
  private let wakeUp: Int32?
  private var buffers: Buffers?
  private var lastSequence: UInt32?
  private var isRestarted = false
  /// Of a buffer that could not be given back after its frame was taken.
  private var postponed: CallError?

  init(
    _ device: VideoDevice,
    buffers count: Int,
    wakeUp: Int32?
  ) throws(VideoError) {
    self.device = device
    self.wakeUp = wakeUp
    bufferCount = count
    format = try device.agreedFormat()
    do {
      buffers = try Buffers(device, count: count)
    } catch {
      throw device.failure(error)
    }
  }

  deinit { stop() }

  /// Of CLOCK_MONOTONIC, in nanoseconds.
  var now: Int64 { device.handle.calls.now }

  /// Stops the device; further calls do nothing.
  public func stop() {
    buffers?.stop()
    buffers = nil
  }

  /// The next frame in the order of the device: none is left out, and none comes twice.
  ///
  /// `timeout`: for this frame, dropped ones included.
  /// Throws `timeout`, `unplugged`, `streamFailed`, `interrupted` and others. After `timeout` and
  ///   `interrupted` the stream goes on.
  public func next(timeout: Duration) throws(VideoError) -> CapturedFrame {
    let deadline = now + timeout.nanoseconds
    let taken = try take(until: deadline, timeout)
    counts.delivered += 1
    return taken.frame
  }

  /// A frame that was exposed after the call, or ended after it where the driver says only that; the
  /// newest one where several are ready.
  ///
  /// - Throws: as `next` does.
  public func newest(timeout: Duration) throws(VideoError) -> CapturedFrame {
    let called = now
    let deadline = called + timeout.nanoseconds
    // What lies in the buffers was there before the call.
    while try takeReady() != nil { counts.stale += 1 }
    var newest = try take(until: deadline, timeout)
    while let moment = newest.moment, moment < called {
      counts.stale += 1
      newest = try take(until: deadline, timeout)
    }
    while let newer = try takeReady() {
      counts.stale += 1
      newest = newer
    }
    counts.delivered += 1
    return newest.frame
  }

  private struct Taken {
    let frame: CapturedFrame
    /// Of CLOCK_MONOTONIC, in nanoseconds; nil where the driver does not say.
    let moment: Int64?
  }

  private func take(until deadline: Int64, _ timeout: Duration) throws(VideoError) -> Taken {
    while true {
      let readiness: Readiness
      do {
        readiness = try device.handle.wait(until: deadline, alsoFor: wakeUp)
      } catch {
        throw device.failure(error)
      }
      if readiness.other { throw VideoError(device.path, .interrupted) }
      if readiness.frame || readiness.error {
        let before = counts
        if let taken = try takeReady() { return taken }
        // An error that the device does not explain.
        if readiness.error && !readiness.frame && counts == before {
          try restart(after: CallError(call: "poll", number: EIO))
        }
      }
      if now >= deadline {
        let milliseconds = Int(timeout.nanoseconds / 1_000_000)
        throw VideoError(device.path, .timeout(milliseconds: milliseconds))
      }
    }
  }

  /// The next good frame of those that are ready.
  private func takeReady() throws(VideoError) -> Taken? {
    do throws(CallError) {
      if let error = postponed {
        postponed = nil
        throw error
      }
      while let filled = try buffers?.dequeue() {
        count(filled.description.sequence)
        let taken = frame(of: filled)
        do throws(CallError) {
          try buffers?.queue(filled.index)
        } catch {
          // A good frame is not lost for what comes after it.
          if taken == nil { throw error }
          postponed = error
        }
        if let taken {
          isRestarted = false
          return taken
        }
      }
      return nil
    } catch {
      try restart(after: error)
      return nil
    }
  }

  private func count(_ sequence: UInt32) {
    if let lastSequence {
      // A count that goes back has begun anew.
      let gap = sequence &- lastSequence
      if 1...0x7fff_ffff ~= gap { counts.lost += Int(gap) - 1 }
    }
    lastSequence = sequence
  }

  /// The frame in a buffer; nil of one that is to be dropped, which is counted.
  private func frame(of filled: Buffers.Filled) -> Taken? {
    if filled.description.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 {
      counts.flagged += 1
      return nil
    }
    // The padding of the last row may be missing.
    let padding = format.frame.bytesPerLine - format.frame.usedBytesPerLine
    if filled.bytes.count < format.frame.imageSize - padding && format.frame.pixelFormat != .mjpeg {
      counts.short += 1
      return nil
    }
    let taken = copy(of: filled)
    if format.frame.pixelFormat == .mjpeg && (try? MotionJPEG.size(of: taken.frame.bytes)) == nil {
      counts.truncated += 1
      return nil
    }
    return taken
  }

  private func copy(of filled: Buffers.Filled) -> Taken {
    let description = filled.description
    let isMonotonic =
      description.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK)
      == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
    let stamp =
      Int64(description.timestamp.tv_sec) * 1_000_000_000
      + Int64(description.timestamp.tv_usec) * 1000
    let calls = device.handle.calls
    let moment = isMonotonic && stamp > 0 ? stamp : nil
    return Taken(
      frame: CapturedFrame(
        format: format.frame,
        bytes: [UInt8](filled.bytes),
        sequence: description.sequence,
        // The clocks are compared now: that of the calendar may have been set since the start.
        time: moment.map { $0 + (calls.date - calls.now) } ?? calls.date
      ),
      moment: moment
    )
  }

  /// Begins anew after an error; once, until a good frame has come.
  private func restart(after error: CallError) throws(VideoError) {
    guard error.number == EIO else { throw device.failure(error) }
    guard !isRestarted else { throw VideoError(device.path, .streamFailed) }
    isRestarted = true
    counts.restarts += 1
    lastSequence = nil
    stop()
    do {
      buffers = try Buffers(device, count: bufferCount)
    } catch {
      throw error.number == EIO
        ? VideoError(device.path, .streamFailed) : device.failure(error)
    }
  }
}

extension VideoDevice {
  /// Starts to deliver frames in the format that was agreed on.
  ///
  /// `buffers`: how many frames the driver may keep ready, up to 32.
  /// `wakeUp`: a descriptor that ends each wait with `interrupted` while it can be read.
  /// Throws `busy`, `bandwidth` and others.
  public func start(buffers: Int = 4, wakeUp: Int32? = nil) throws(VideoError) -> FrameStream {
    try FrameStream(self, buffers: buffers, wakeUp: wakeUp)
  }
}

extension Duration {
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
