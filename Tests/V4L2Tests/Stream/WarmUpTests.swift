import Testing

@testable import V4L2

@Suite struct WarmUpTests {
  /// Frames of these brightnesses, the last for ever.
  private func camera(_ brightness: [UInt8]) -> ScriptedCamera {
    ScriptedCamera(
      (0..<5000).map {
        .frame(UInt32($0), gray: $0 < brightness.count ? brightness[$0] : brightness.last ?? 0)
      }
    )
  }

  @Test func `So many frames are thrown away, however steady they are`() throws {
    try camera([100]).stream { (stream) throws in
      let result = try stream.warmUp(WarmUp(frames: 12), timeout: .seconds(1))
      #expect(result == .init(frames: 12, isSettled: true))
      #expect(try stream.next(timeout: .seconds(1)).sequence == 12)
    }
  }

  @Test func `More are thrown away until brightness is steady`() throws {
    // It grows by more than 2 % up to frame 29, and three frames after it are as bright.
    let growing = (0..<30).map { UInt8(20 + 6 * $0) }
    try camera(growing).stream { (stream) throws in
      let result = try stream.warmUp(WarmUp(frames: 5), timeout: .seconds(1))
      #expect(result == .init(frames: 33, isSettled: true))
    }
  }

  @Test func `Without a share, frames are only counted`() throws {
    let growing = (0..<30).map { UInt8(20 + 6 * $0) }
    try camera(growing).stream { (stream) throws in
      let warmUp = WarmUp(frames: 5, settledWithin: nil)
      #expect(try stream.warmUp(warmUp, timeout: .seconds(1)).frames == 5)
    }
  }

  @Test func `A light that flickers does not hold it up for ever`() throws {
    let flickering = (0..<4000).map { UInt8($0 % 2 == 0 ? 60 : 120) }
    try camera(flickering).stream { (stream) throws in
      let warmUp = WarmUp(frames: 10, ceiling: .milliseconds(200))
      let result = try stream.warmUp(warmUp, timeout: .seconds(1))
      #expect(!result.isSettled)
      #expect(result.frames == 210)
    }
  }

  @Test func `One level of noise in the dark is steady`() throws {
    let noise = (0..<100).map { UInt8(3 + $0 % 2) }
    try camera(noise).stream { (stream) throws in
      let result = try stream.warmUp(WarmUp(frames: 4), timeout: .seconds(1))
      #expect(result == .init(frames: 4, isSettled: true))
    }
  }

  @Test func `A camera that gives nothing is not waited for`() throws {
    let camera = ScriptedCamera([.frame(0)])
    try camera.stream { (stream) throws in
      #expect(
        reason { _ = try stream.warmUp(WarmUp(), timeout: .milliseconds(300)) }
          == .timeout(milliseconds: 300)
      )
    }
  }
}
