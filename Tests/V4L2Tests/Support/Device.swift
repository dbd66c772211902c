import TestSupport

@testable import V4L2

extension FakeCameras {
  /// Has one camera as long as a test runs.
  static func withCamera<Value>(
    _ description: String,
    _ body: (VideoDevice) throws -> Value
  ) throws -> Value {
    try withCameras(["video0": description]) { (cameras) throws in
      let device = try VideoDevice(opening: cameras.path("video0"))
      return try body(device)
    }
  }
}

extension VideoDevice {
  /// Agrees on the pixel format in its largest size, and starts.
  func start(_ pixelFormat: PixelFormat) throws -> FrameStream {
    let wish = FormatWish(size: .photo, pixelFormat: pixelFormat)
    _ = try setFormat(try wish.choice(from: try formats(), of: path))
    return try start()
  }

  func value(_ name: String) throws -> Int? { try control(named: name).value }
}
