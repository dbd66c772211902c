import Glibc
import TestSupport
import Testing

@testable import V4L2

/// Cameras that fail, through the kernel and libv4l2.
@Suite(.enabled(if: FakeCameras.arePossible, "\(FakeCameras.reason)"))
struct FaultTests {
  private func camera(_ faults: String..., rate: Int = 0) -> String {
    "rate \(rate)\nformat GREY GREY\nsize 64 48\n"
      + faults.map { "fault \($0)\n" }.joined()
  }

  @Test func `Frames that are flagged or short are dropped and counted`() throws {
    let description = camera("flagged@2", "flagged@3", "short@5")
    try FakeCameras.withCamera(description) { (device) throws in
      let stream = try device.start(.grey)
      let numbers = try (0..<6).map { _ in try stream.next(timeout: .seconds(5)).sequence }
      #expect(numbers == [0, 1, 4, 6, 7, 8])
      #expect(stream.counts == .init(delivered: 6, flagged: 2, short: 1))
    }
  }

  @Test func `Motion JPEG that is cut off is dropped and counted`() throws {
    let scratch = try ScratchFolder()
    let pattern = try #require(TestPattern(width: 64, height: 48))
    let frames = (0..<4).map { pattern.frame(number: $0, as: .mjpeg).bytes }
    // Drivers hand over whole buffers: what stands behind the end is no fault.
    let padded = frames + [frames[0] + Array(repeating: 0, count: 500)]
    let path = try FakeCameras.record(padded, in: scratch)
    let description = Descriptions.format("MJPG", "64 48 frames=\(path)\nfault short@1")
    try FakeCameras.withCamera(description) { (device) throws in
      let stream = try device.start(.mjpeg)
      let numbers = try (0..<4).map { _ in try stream.next(timeout: .seconds(5)).sequence }
      #expect(numbers == [0, 2, 3, 4])
      #expect(stream.counts == .init(delivered: 4, truncated: 1))
    }
  }

  @Test func `A camera that stalls ends in a timeout`() throws {
    try FakeCameras.withCamera(camera("stall@3*")) { (device) throws in
      let stream = try device.start(.grey)
      for _ in 0..<3 { _ = try stream.next(timeout: .seconds(5)) }
      let start = Kernel().now
      #expect(
        reason { _ = try stream.next(timeout: .milliseconds(300)) } == .timeout(milliseconds: 300)
      )
      #expect(Kernel().now - start >= 300_000_000)
      #expect(
        reason { _ = try stream.newest(timeout: .milliseconds(50)) } == .timeout(milliseconds: 50)
      )
    }
  }

  @Test func `After an error of the stream the camera goes on, after two it does not`() throws {
    try FakeCameras.withCamera(camera("eio@3")) { (device) throws in
      let stream = try device.start(.grey)
      let numbers = try (0..<6).map { _ in try stream.next(timeout: .seconds(5)).sequence }
      #expect(numbers == [0, 1, 2, 0, 1, 2])
      #expect(stream.counts == .init(delivered: 6, restarts: 1))
    }
    try FakeCameras.withCamera(camera("eio@0*")) { (device) throws in
      let stream = try device.start(.grey)
      #expect(reason { _ = try stream.next(timeout: .seconds(5)) } == .streamFailed)
      #expect(stream.counts.restarts == 1)
      stream.stop()
      #expect(device.close().isEmpty)
    }
  }

  @Test func `A camera that is unplugged in mid-run says so, and works when it is back`() throws {
    let description = camera("unplug@5") + "back 1500\n"
    try FakeCameras.withCameras(["video0": description]) { (cameras) throws in
      let path = cameras.path("video0")
      let device = try VideoDevice(opening: path)
      let stream = try device.start(.grey)
      for _ in 0..<5 { _ = try stream.next(timeout: .seconds(5)) }
      #expect(reason { _ = try stream.next(timeout: .seconds(5)) } == .unplugged)
      #expect(reason { _ = try device.controls() } == .unplugged)
      #expect(reason { _ = try device.start() } == .unplugged)
      let gone = VideoDevices.list(in: cameras.folder)
      if gone.cameras.isEmpty {
        #expect(reason { _ = try VideoDevice(opening: path) } == .notFound(instead: []))
      }
      stream.stop()
      device.close()
      // Until the description's time is over; never long.
      while VideoDevices.list(in: cameras.folder).cameras.isEmpty { usleep(20_000) }
      let again = try VideoDevice(opening: path)
      let stream2 = try again.start(.grey)
      for number in 0..<10 {
        #expect(try stream2.next(timeout: .seconds(5)).sequence == UInt32(number))
      }
      // What was closed does not reach the new one, though it may have its number.
      #expect(
        reason { _ = try device.controls() } == .failed(call: "VIDIOC_QUERYCTRL", number: EBADF)
      )
    }
  }

  @Test func `A camera in use by another program says by whom`() throws {
    try FakeCameras.withCamera(camera("busy")) { (device) throws in
      #expect(reason { _ = try device.start(.grey) } == .busy(by: []))
    }
    try FakeCameras.withCameras(["video0": camera(rate: 100)]) { (cameras) throws in
      let path = cameras.path("video0")
      let first = try VideoDevice(opening: path)
      let stream = try first.start(.grey)
      let sleeper = try Sleeper(holding: path)
      let second = try VideoDevice(opening: path)
      // It is listed, and its format can be read.
      #expect(try second.formats().isEmpty == false)
      #expect(
        reason { _ = try second.start(.grey) }
          == .busy(by: [.init(process: sleeper.process, name: "sleep")])
      )
      // The one that streams is not disturbed.
      _ = try stream.next(timeout: .seconds(5))
      stream.stop()
      _ = try second.start(.grey).next(timeout: .seconds(5))
      withExtendedLifetime(sleeper) {}
    }
  }

  @Test func `A bus without room says what helps`() throws {
    try FakeCameras.withCamera(camera("nospace")) { (device) throws in
      #expect(reason { _ = try device.start(.grey) } == .bandwidth)
      // All was given back: another format can be tried.
      #expect(reason { _ = try device.start(.grey) } == .bandwidth)
    }
  }

  @Test func `A pipe that can be read ends the wait for a frame`() throws {
    try FakeCameras.withCamera(camera("stall@1*")) { (device) throws in
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      defer { for end in ends { close(end) } }
      let wish = FormatWish(pixelFormat: .grey)
      _ = try device.setFormat(try wish.choice(from: try device.formats(), of: ""))
      let stream = try device.start(wakeUp: ends[0])
      _ = try stream.next(timeout: .seconds(5))
      #expect(write(ends[1], "x", 1) == 1)
      #expect(reason { _ = try stream.next(timeout: .seconds(60)) } == .interrupted)
    }
  }

  @Test func `Streams come and go without leaving anything open`() throws {
    try FakeCameras.withCameras(["video0": camera()]) { (cameras) throws in
      func descriptors() -> Int { names(in: "/proc/self/fd").filter { isOfCamera($0) }.count }
      func isOfCamera(_ name: String) -> Bool {
        realPath("/proc/self/fd/\(name)") == cameras.path("video0")
      }
      // libv4l2 can have 16 devices open at a time.
      for _ in 0..<40 {
        let device = try VideoDevice(opening: cameras.path("video0"))
        let stream = try device.start(.grey)
        _ = try stream.next(timeout: .seconds(5))
      }
      #expect(descriptors() == 0)
      #expect(!maps().contains(cameras.path("video0")))
    }
  }

  private func maps() -> String {
    guard let file = fopen("/proc/self/maps", "re") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 22)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}

/// A process that has a file open and does nothing.
private final class Sleeper {
  let process: pid_t

  init(holding path: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 9, path, O_RDWR, 0)
    var arguments = [strdup("sleep"), strdup("600"), nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, "/bin/sleep", &actions, nil, &arguments, environ)
    guard code == 0 else { throw SystemFailure("posix_spawn sleep", code: code) }
    self.process = process
  }

  deinit {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
