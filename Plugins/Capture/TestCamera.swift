import Glibc
import MinilabKit
import V4L2

/// The built-in moving pattern, as a camera without controls.
final class TestCamera: Camera {
  /// Some that the presets find.
  static let sizes = [(1920, 1080), (1280, 720), (640, 480), (320, 240)].map {
    FrameSize(width: $0.0, height: $0.1)
  }

  let identity = CameraIdentity(
    word: "test",
    shown: "test pattern",
    make: "Minilab",
    model: "Test pattern"
  )
  let format: FrameFormat
  private(set) var notes: [Note] = []
  let ownZoom = 1.0
  let droppedFrames = 0
  let exposure: Double? = nil

  private let pattern: TestPattern
  private let hasTables: Bool
  private let warmUp: Int
  private var number = 0

  init(_ capture: Capture, hasTables: Bool) throws {
    let wanted = capture.wantedSize(offered: Self.sizes)
    let side = { (length: Int) in min(max(length, TestPattern.sides.lowerBound), 8192) }
    let size = FrameSize(width: side(wanted.width), height: side(wanted.height))
    guard let pattern = TestPattern(width: size.width, height: size.height) else {
      preconditionFailure("sides within the pattern's limits")
    }
    if size != wanted {
      notes.append(
        Note(.nearestFormat, "the test pattern has no \(wanted.shown); \(size.shown) was taken")
      )
    }
    self.pattern = pattern
    self.hasTables = hasTables
    warmUp = capture.warmUp
    format = pattern.format(as: capture.pixelFormat.format ?? .mjpeg)
  }

  func start() { number = warmUp }

  func next() -> CapturedFrame {
    defer { number += 1 }
    return pattern.frame(
      number: number,
      as: format.pixelFormat,
      huffmanTables: hasTables,
      time: Self.now
    )
  }

  func newest() -> CapturedFrame { next() }

  func light() -> Bool { false }

  func fire() {}

  func unlight() {}

  func close() {}

  /// In nanoseconds since 1970.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
