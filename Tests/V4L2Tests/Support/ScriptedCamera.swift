import CV4L2
import Glibc

@testable import V4L2

/// Answers the calls as a script says, with a clock of its own: a stream of gray frames of 4 x 2
/// pixels.
///
/// Used by one test at a time, on one thread.
final class ScriptedCamera: VideoCalls, @unchecked Sendable {
  /// What comes next, each after a millisecond.
  enum Event {
    /// All pixels have the value.
    case frame(UInt32, gray: UInt8 = 0, flags: Int32 = 0, used: Int = 8, clock: Bool = true)
    /// DQBUF fails with this errno.
    case failure(Int32)
    /// poll says that there is an error, and DQBUF that there is no frame.
    case unexplained
    /// Nothing for so many milliseconds.
    case pause(Int)
    /// The other descriptor can be read from here on.
    case wakeUp
  }

  var events: [Event]
  /// Of a call by its name, how often it fails first, and how.
  var failures: [String: [Int32]] = [:]
  var capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
  var format = v4l2_pix_format()

  /// How long before now a frame has begun, in nanoseconds.
  var lag: Int64 = 0

  private(set) var made: [String] = []
  private(set) var queued: [UInt32] = []
  private(set) var mapped: [UnsafeMutableRawPointer] = []
  private var isAwake = false
  private var ready: [Event] = []

  /// In nanoseconds.
  var now: Int64 = 1_000_000_000
  var date: Int64 { now + 1_600_000_000_000_000_000 }

  init(_ events: [Event] = []) {
    self.events = events
    format.width = 4
    format.height = 2
    format.pixelformat = FourCC("GREY").rawValue
    format.bytesperline = 4
    format.sizeimage = 8
  }

  func count(of call: String) -> Int { made.count { $0 == call } }

  private func make(_ call: String) throws(CallError) {
    made.append(call)
    if let number = failures[call]?.first {
      failures[call]?.removeFirst()
      throw CallError(call: call, number: number)
    }
  }

  func open(_ path: String) throws(CallError) -> Int32 {
    try make("open")
    return 7
  }

  func adopt(_ descriptor: Int32) throws(CallError) { try make("v4l2_fd_open") }

  func close(_ descriptor: Int32) throws(CallError) { try make("close") }

  func map(
    _ descriptor: Int32,
    length: Int,
    offset: Int64
  ) throws(CallError)
    -> UnsafeMutableRawPointer
  {
    try make("mmap")
    let start = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 8)
    mapped.append(start)
    return start
  }

  func unmap(_ start: UnsafeMutableRawPointer, length: Int) throws(CallError) {
    try make("munmap")
    mapped.removeAll { $0 == start }
    start.deallocate()
  }

  func poll(
    _ descriptor: Int32,
    alsoFor other: Int32?,
    milliseconds: Int32
  ) throws(CallError) -> Readiness {
    try make("poll")
    var left = Int64(milliseconds) * 1_000_000
    while ready.isEmpty && !(isAwake && other != nil) {
      var wait: Int64 = 1_000_000
      if case .pause(let milliseconds)? = events.first { wait = Int64(milliseconds) * 1_000_000 }
      if events.isEmpty || wait > left {
        if case .pause(let milliseconds)? = events.first {
          events[0] = .pause(milliseconds - Int(left / 1_000_000))
        }
        now += left
        return Readiness()
      }
      now += wait
      left -= wait
      switch events.removeFirst() {
      case .pause: break
      case .wakeUp: isAwake = true
      case let event: ready.append(event)
      }
    }
    var readiness = Readiness(other: isAwake && other != nil)
    switch ready.first {
    case .frame?, .failure?: readiness.frame = true
    case .unexplained?: readiness.error = true
    default: break
    }
    return readiness
  }

  /// So many events are there before the next call.
  func hurry(_ count: Int) {
    ready += events.prefix(count)
    events.removeFirst(count)
  }

  func request(
    _ request: Request,
    _ descriptor: Int32,
    _ argument: UnsafeMutableRawPointer,
    direct: Bool
  ) throws(CallError) {
    try make(request.rawValue)
    switch request {
    case .queryCapabilities:
      argument.assumingMemoryBound(to: v4l2_capability.self).pointee.capabilities = capabilities
    case .getFormat, .setFormat:
      argument.assumingMemoryBound(to: v4l2_format.self).pointee.fmt.pix = format
    case .queryBuffer: argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.length = 4096
    case .queueBuffer:
      queued.append(argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.index)
    case .streamOff: queued = []
    case .dequeueBuffer: try dequeue(argument.assumingMemoryBound(to: v4l2_buffer.self))
    case .requestBuffers, .streamOn: break
    default: throw CallError(call: request.rawValue, number: ENOTTY)
    }
  }

  private func dequeue(_ buffer: UnsafeMutablePointer<v4l2_buffer>) throws(CallError) {
    let none = CallError(call: "VIDIOC_DQBUF", number: EAGAIN)
    guard !ready.isEmpty else { throw none }
    switch ready.removeFirst() {
    case .frame(let sequence, let gray, let flags, let used, let clock):
      guard !queued.isEmpty else { throw none }
      let index = queued.removeFirst()
      memset(mapped[Int(index)], Int32(gray), 4096)
      buffer.pointee.index = index
      buffer.pointee.sequence = sequence
      buffer.pointee.bytesused = UInt32(used)
      buffer.pointee.flags = UInt32(flags | (clock ? V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC : 0))
      let time = now - lag
      buffer.pointee.timestamp.tv_sec = Int(time / 1_000_000_000)
      buffer.pointee.timestamp.tv_usec = Int(time % 1_000_000_000 / 1000)
    case .failure(let number): throw CallError(call: "VIDIOC_DQBUF", number: number)
    default: throw none
    }
  }
}

extension ScriptedCamera {
  /// Runs a stream of this camera.
  func stream<Value>(
    wakeUp: Int32? = nil,
    _ body: (FrameStream) throws -> Value
  ) throws -> Value {
    let device = try VideoDevice(opening: "/dev/video7", self)
    let stream = try device.start(wakeUp: wakeUp)
    return try body(stream)
  }
}

/// The reason of the error that is thrown; nil where none is.
func reason(_ body: () throws -> Void) -> VideoError.Reason? {
  do {
    try body()
    return nil
  } catch let error as VideoError {
    return error.reason
  } catch {
    return nil
  }
}
