internal import CV4L2
import Glibc

/// The memory in which a device puts its frames, shared with it while it streams.
struct Buffers: ~Copyable {
  private let device: VideoDevice
  private var areas: [UnsafeMutableRawBufferPointer] = []

  /// Asks for buffers, queues them all and starts the device.
  ///
  /// - Throws: with nothing held.
  init(_ device: VideoDevice, count: Int) throws(CallError) {
    self.device = device
    do {
      try start(count)
    } catch {
      stop()
      throw error
    }
  }

  private mutating func start(_ count: Int) throws(CallError) {
    var asked = v4l2_requestbuffers()
    asked.count = UInt32(clamping: count)
    asked.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    asked.memory = V4L2_MEMORY_MMAP.rawValue
    try device.handle.request(.requestBuffers, &asked)
    guard asked.count > 0 else { throw CallError(call: "VIDIOC_REQBUFS", number: ENOMEM) }
    for index in 0..<asked.count {
      var buffer = Self.description
      buffer.index = index
      try device.handle.request(.queryBuffer, &buffer)
      let length = Int(buffer.length)
      let start = try device.handle.map(length: length, offset: Int64(buffer.m.offset))
      areas.append(UnsafeMutableRawBufferPointer(start: start, count: length))
    }
    for index in areas.indices { try queue(index) }
    var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
    try device.handle.request(.streamOn, &type)
  }

  /// Stops the device and gives everything back; errors are of a device that is gone or broken.
  mutating func stop() {
    var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
    try? device.handle.request(.streamOff, &type)
    for area in areas {
      if let start = area.baseAddress { device.handle.unmap(start, length: area.count) }
    }
    areas = []
    try? device.releaseBuffers()
  }

  func queue(_ index: Int) throws(CallError) {
    var buffer = Self.description
    buffer.index = UInt32(index)
    try device.handle.request(.queueBuffer, &buffer)
  }

  /// A filled buffer that is ours until it is queued again; nil where none is filled.
  func dequeue() throws(CallError) -> Filled? {
    var buffer = Self.description
    do {
      try device.handle.request(.dequeueBuffer, &buffer)
    } catch  where error.number == EAGAIN {
      return nil
    }
    let index = Int(buffer.index)
    guard areas.indices.contains(index) else {
      throw CallError(call: "VIDIOC_DQBUF", number: EIO)
    }
    let used = min(Int(buffer.bytesused), areas[index].count)
    return Filled(index: index, description: buffer, bytes: .init(rebasing: areas[index][..<used]))
  }

  struct Filled {
    let index: Int
    let description: v4l2_buffer
    let bytes: UnsafeMutableRawBufferPointer
  }

  private static var description: v4l2_buffer {
    var buffer = v4l2_buffer()
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    buffer.memory = V4L2_MEMORY_MMAP.rawValue
    return buffer
  }
}
