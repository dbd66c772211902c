/// The calls of the kernel that a device takes, so that tests can answer them.
///
/// Each is tried once: `Handle` retries what a signal has interrupted.
protocol VideoCalls: Sendable {
  /// Opens a file for reading and writing, without waiting.
  func open(_ path: String) throws(CallError) -> Int32

  /// Hands an open device to libv4l2.
  func adopt(_ descriptor: Int32) throws(CallError)

  /// `direct`: past libv4l2, where that would answer for the device.
  func request(
    _ request: Request,
    _ descriptor: Int32,
    _ argument: UnsafeMutableRawPointer,
    direct: Bool
  ) throws(CallError)

  func map(
    _ descriptor: Int32,
    length: Int,
    offset: Int64
  ) throws(CallError) -> UnsafeMutableRawPointer

  func unmap(_ start: UnsafeMutableRawPointer, length: Int) throws(CallError)

  /// Waits for a frame, or for anything to read on the other descriptor.
  func poll(
    _ descriptor: Int32,
    alsoFor other: Int32?,
    milliseconds: Int32
  ) throws(CallError) -> Readiness

  func close(_ descriptor: Int32) throws(CallError)

  /// Of CLOCK_MONOTONIC, in nanoseconds.
  var now: Int64 { get }
  /// Of CLOCK_REALTIME, in nanoseconds since 1970.
  var date: Int64 { get }
}

/// What a wait has ended with.
struct Readiness: Equatable {
  /// A frame can be taken.
  var frame = false
  /// The device reports an error; what it is, the next request says.
  var error = false
  /// The other descriptor can be read.
  var other = false
}

/// A call that failed.
struct CallError: Error, Equatable {
  /// As the manual pages name it: `open`, `VIDIOC_S_FMT`.
  let call: String
  /// `errno`.
  let number: Int32
}

/// The requests that are made of devices.
enum Request: String, Sendable {
  case queryCapabilities = "VIDIOC_QUERYCAP"
  case enumerateInput = "VIDIOC_ENUMINPUT"
  case getInput = "VIDIOC_G_INPUT"
  case setInput = "VIDIOC_S_INPUT"
  case enumerateFormat = "VIDIOC_ENUM_FMT"
  case enumerateSize = "VIDIOC_ENUM_FRAMESIZES"
  case enumerateInterval = "VIDIOC_ENUM_FRAMEINTERVALS"
  case getFormat = "VIDIOC_G_FMT"
  case tryFormat = "VIDIOC_TRY_FMT"
  case setFormat = "VIDIOC_S_FMT"
  case getParameters = "VIDIOC_G_PARM"
  case setParameters = "VIDIOC_S_PARM"
  case queryControl = "VIDIOC_QUERYCTRL"
  case queryMenu = "VIDIOC_QUERYMENU"
  case getControl = "VIDIOC_G_CTRL"
  case setControl = "VIDIOC_S_CTRL"
  case requestBuffers = "VIDIOC_REQBUFS"
  case queryBuffer = "VIDIOC_QUERYBUF"
  case queueBuffer = "VIDIOC_QBUF"
  case dequeueBuffer = "VIDIOC_DQBUF"
  case streamOn = "VIDIOC_STREAMON"
  case streamOff = "VIDIOC_STREAMOFF"
}
