internal import CV4L2
import Glibc

/// The calls as the kernel and libv4l2 answer them.
struct Kernel: VideoCalls {
  func open(_ path: String) throws(CallError) -> Int32 {
    let descriptor = path.withCString { cv4l2_open($0) }
    if descriptor < 0 { throw CallError(call: "open", number: errno) }
    return descriptor
  }

  func adopt(_ descriptor: Int32) throws(CallError) {
    if cv4l2_adopt(descriptor) < 0 { throw CallError(call: "v4l2_fd_open", number: errno) }
  }

  func request(
    _ request: Request,
    _ descriptor: Int32,
    _ argument: UnsafeMutableRawPointer,
    direct: Bool
  ) throws(CallError) {
    let result =
      direct
      ? cv4l2_kernel_ioctl(descriptor, request.number, argument)
      : cv4l2_ioctl(descriptor, request.number, argument)
    if result < 0 { throw CallError(call: request.rawValue, number: errno) }
  }

  func map(
    _ descriptor: Int32,
    length: Int,
    offset: Int64
  ) throws(CallError) -> UnsafeMutableRawPointer {
    guard let start = cv4l2_map(descriptor, length, offset) else {
      throw CallError(call: "mmap", number: errno)
    }
    return start
  }

  func unmap(_ start: UnsafeMutableRawPointer, length: Int) throws(CallError) {
    if cv4l2_unmap(start, length) < 0 { throw CallError(call: "munmap", number: errno) }
  }

  func poll(
    _ descriptor: Int32,
    alsoFor other: Int32?,
    milliseconds: Int32
  ) throws(CallError) -> Readiness {
    // A negative descriptor is passed over.
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    if Glibc.poll(&waiting, nfds_t(waiting.count), milliseconds) < 0 {
      throw CallError(call: "poll", number: errno)
    }
    let device = Int32(waiting[0].revents)
    return Readiness(
      frame: device & POLLIN != 0,
      error: device & (POLLERR | POLLHUP | POLLNVAL) != 0,
      other: waiting[1].revents != 0
    )
  }

  func close(_ descriptor: Int32) throws(CallError) {
    if cv4l2_close(descriptor) < 0 { throw CallError(call: "close", number: errno) }
  }

  var now: Int64 { Self.time(CLOCK_MONOTONIC) }
  var date: Int64 { Self.time(CLOCK_REALTIME) }

  private static func time(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Request {
  fileprivate var number: UInt {
    switch self {
    case .queryCapabilities: return CV4L2_QUERYCAP
    case .enumerateInput: return CV4L2_ENUMINPUT
    case .getInput: return CV4L2_G_INPUT
    case .setInput: return CV4L2_S_INPUT
    case .enumerateFormat: return CV4L2_ENUM_FMT
    case .enumerateSize: return CV4L2_ENUM_FRAMESIZES
    case .enumerateInterval: return CV4L2_ENUM_FRAMEINTERVALS
    case .getFormat: return CV4L2_G_FMT
    case .tryFormat: return CV4L2_TRY_FMT
    case .setFormat: return CV4L2_S_FMT
    case .getParameters: return CV4L2_G_PARM
    case .setParameters: return CV4L2_S_PARM
    case .queryControl: return CV4L2_QUERYCTRL
    case .queryMenu: return CV4L2_QUERYMENU
    case .getControl: return CV4L2_G_CTRL
    case .setControl: return CV4L2_S_CTRL
    case .requestBuffers: return CV4L2_REQBUFS
    case .queryBuffer: return CV4L2_QUERYBUF
    case .queueBuffer: return CV4L2_QBUF
    case .dequeueBuffer: return CV4L2_DQBUF
    case .streamOn: return CV4L2_STREAMON
    case .streamOff: return CV4L2_STREAMOFF
    }
  }
}
