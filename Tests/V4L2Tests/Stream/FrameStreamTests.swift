import CV4L2
import Glibc
import Testing

@testable import V4L2

@Suite struct FrameStreamTests {
  @Test func `Frames come in order, and each goes back to the device`() throws {
    let camera = ScriptedCamera((0..<20).map { .frame($0, gray: UInt8($0)) })
    try camera.stream { (stream) throws in
      for number in 0..<20 {
        let frame = try stream.next(timeout: .seconds(1))
        #expect(frame.sequence == UInt32(number))
        #expect(frame.bytes == Array(repeating: UInt8(number), count: 8))
        #expect(camera.queued.count == 4)
      }
      #expect(stream.counts == .init(delivered: 20))
    }
    #expect(camera.mapped.isEmpty)
    #expect(camera.made.last == "close")
  }

  @Test func `Each call is made again after a signal, and a wait is not longer for it`() throws {
    let camera = ScriptedCamera([.frame(0), .pause(10_000)])
    for call in ["open", "v4l2_fd_open", "VIDIOC_QUERYCAP", "mmap", "VIDIOC_STREAMON", "poll"] {
      camera.failures[call] = [EINTR, EINTR]
    }
    try camera.stream { (stream) throws in
      _ = try stream.next(timeout: .seconds(1))
      let start = camera.now
      camera.failures["poll"] = [EINTR]
      #expect(
        reason { _ = try stream.next(timeout: .seconds(2)) } == .timeout(milliseconds: 2000)
      )
      #expect(camera.now - start == 2_000_000_000)
    }
    #expect(camera.count(of: "open") == 3)
    #expect(camera.failures.values.allSatisfy { $0.isEmpty })
  }

  @Test func `After a timeout the stream goes on`() throws {
    let camera = ScriptedCamera([.pause(1500), .frame(4)])
    try camera.stream { (stream) throws in
      #expect(reason { _ = try stream.next(timeout: .seconds(1)) } == .timeout(milliseconds: 1000))
      #expect(try stream.next(timeout: .seconds(1)).sequence == 4)
    }
  }

  @Test func `Flagged and short frames are dropped and counted, within one timeout`() throws {
    let camera = ScriptedCamera([
      .frame(0, flags: V4L2_BUF_FLAG_ERROR), .frame(1, used: 7), .frame(2, gray: 9),
    ])
    try camera.stream { (stream) throws in
      #expect(try stream.next(timeout: .seconds(1)).sequence == 2)
      #expect(stream.counts == .init(delivered: 1, flagged: 1, short: 1))
      camera.events = (0..<5000).map { .frame($0, used: 0) }
      #expect(reason { _ = try stream.next(timeout: .seconds(1)) } == .timeout(milliseconds: 1000))
      #expect(stream.counts.short > 900)
    }
  }

  @Test func `What the device claims beyond its buffer is not read`() throws {
    let camera = ScriptedCamera([.frame(0, used: 1 << 20)])
    try camera.stream { (stream) throws in
      #expect(try stream.next(timeout: .seconds(1)).bytes.count == 4096)
    }
  }

  @Test func `The padding of the last row may be missing, no more`() throws {
    let camera = ScriptedCamera([.frame(0, used: 15), .frame(1, used: 16)])
    camera.format.bytesperline = 12
    camera.format.sizeimage = 24
    try camera.stream { (stream) throws in
      #expect(try stream.next(timeout: .seconds(1)).sequence == 1)
      #expect(stream.counts.short == 1)
    }
  }

  @Test func `A gap in the driver's count is frames lost, also where the count begins again`()
    throws
  {
    let camera = ScriptedCamera(
      [10, 11, 15, 15 + 1, UInt32.max, 1, 0].map { .frame($0) }
    )
    try camera.stream { (stream) throws in
      for _ in 0..<4 { _ = try stream.next(timeout: .seconds(1)) }
      #expect(stream.counts.lost == 3)
      // So far forward is backward: the count was reset.
      _ = try stream.next(timeout: .seconds(1))
      #expect(stream.counts.lost == 3)
      _ = try stream.next(timeout: .seconds(1))
      #expect(stream.counts.lost == 4)
      _ = try stream.next(timeout: .seconds(1))
      #expect(stream.counts.lost == 4)
    }
  }

  @Test func `The newest frame is one from after the call, and the last of those`() throws {
    let camera = ScriptedCamera((0..<10).map { .frame($0) })
    try camera.stream { (stream) throws in
      // Three lie ready, as they do after a while without a call.
      camera.hurry(3)
      let called = camera.now
      let frame = try stream.newest(timeout: .seconds(1))
      #expect(frame.sequence == 3)
      #expect(frame.time - (camera.date - camera.now) >= called)
      #expect(stream.counts == .init(delivered: 1, stale: 3))
    }
  }

  @Test func `A frame that began before the call is not the newest`() throws {
    let camera = ScriptedCamera([.frame(0), .frame(1)])
    try camera.stream { (stream) throws in
      _ = try stream.next(timeout: .seconds(1))
      // The clock has moved on more than the frame's time says.
      camera.events = [.frame(1), .frame(2)]
      camera.lag = 1_500_000
      #expect(try stream.newest(timeout: .seconds(1)).sequence == 2)
      #expect(stream.counts.stale == 1)
    }
  }

  @Test func `Without a time from the driver, the next frame counts as the newest`() throws {
    let camera = ScriptedCamera([.frame(0, clock: false), .frame(1, clock: false)])
    try camera.stream { (stream) throws in
      camera.hurry(1)
      let frame = try stream.newest(timeout: .seconds(1))
      #expect(frame.sequence == 1)
      #expect(frame.time == camera.date)
    }
  }

  @Test func `The time of a frame is the calendar's at its exposure`() throws {
    let camera = ScriptedCamera([.frame(0)])
    try camera.stream { (stream) throws in
      camera.hurry(1)
      camera.lag = 40_000_000
      #expect(try stream.next(timeout: .seconds(1)).time == camera.date - 40_000_000)
    }
  }

  @Test func `After an error of the stream it is restarted once until a good frame`() throws {
    let camera = ScriptedCamera([
      .frame(0), .failure(EIO), .frame(0), .failure(EIO), .frame(0), .failure(EIO), .failure(EIO),
    ])
    try camera.stream { (stream) throws in
      for _ in 0..<3 { #expect(try stream.next(timeout: .seconds(1)).sequence == 0) }
      #expect(stream.counts == .init(delivered: 3, restarts: 2))
      #expect(camera.count(of: "VIDIOC_STREAMOFF") == 2)
      #expect(camera.mapped.count == 4)
      #expect(reason { _ = try stream.next(timeout: .seconds(1)) } == .streamFailed)
    }
  }

  @Test func `An error that poll alone reports restarts the stream too`() throws {
    let camera = ScriptedCamera([.unexplained, .frame(0), .unexplained, .unexplained])
    try camera.stream { (stream) throws in
      _ = try stream.next(timeout: .seconds(1))
      #expect(stream.counts.restarts == 1)
      #expect(reason { _ = try stream.next(timeout: .seconds(1)) } == .streamFailed)
    }
  }

  @Test func `A camera that is unplugged is let go of whole`() throws {
    let camera = ScriptedCamera([.frame(0), .failure(ENODEV)])
    try camera.stream { (stream) throws in
      _ = try stream.next(timeout: .seconds(1))
      for call in ["VIDIOC_STREAMOFF", "VIDIOC_REQBUFS"] { camera.failures[call] = [ENODEV] }
      #expect(reason { _ = try stream.next(timeout: .seconds(1)) } == .unplugged)
    }
    #expect(camera.mapped.isEmpty)
    #expect(camera.count(of: "munmap") == 4)
    #expect(camera.made.last == "close")
  }

  @Test(arguments: ["VIDIOC_QBUF", "VIDIOC_DQBUF", "poll"])
  func `Unplugged is unplugged, whichever call says so`(call: String) throws {
    let camera = ScriptedCamera([.frame(0), .frame(1)])
    try camera.stream { (stream) throws in
      camera.failures[call] = [ENODEV]
      // The frame that was taken before its buffer could not be given back is not lost.
      if call == "VIDIOC_QBUF" { #expect(try stream.next(timeout: .seconds(1)).sequence == 0) }
      #expect(reason { _ = try stream.next(timeout: .seconds(1)) } == .unplugged)
    }
  }

  @Test(arguments: [
    ("VIDIOC_STREAMON", ENOSPC, VideoError.Reason.bandwidth),
    ("VIDIOC_STREAMON", EBUSY, .busy(by: [])),
    ("VIDIOC_STREAMON", ENODEV, .unplugged),
    ("VIDIOC_REQBUFS", EBUSY, .busy(by: [])),
    ("mmap", ENOMEM, .failed(call: "mmap", number: ENOMEM)),
  ])
  func `A stream that does not start leaves nothing behind`(
    call: String,
    number: Int32,
    wanted: VideoError.Reason
  ) throws {
    let camera = ScriptedCamera()
    camera.failures[call] = [number]
    #expect(reason { try camera.stream { _ in } } == wanted)
    #expect(camera.mapped.isEmpty)
    #expect(camera.made.last == "close")
  }

  @Test func `Another descriptor ends a wait, and the stream goes on`() throws {
    let camera = ScriptedCamera([.pause(100), .wakeUp])
    try camera.stream(wakeUp: 3) { (stream) throws in
      #expect(reason { _ = try stream.next(timeout: .seconds(5)) } == .interrupted)
      #expect(camera.now < 1_200_000_000)
    }
    let other = ScriptedCamera([.wakeUp, .frame(0)])
    try other.stream { (stream) throws in
      #expect(try stream.next(timeout: .seconds(5)).sequence == 0)
    }
  }
}
