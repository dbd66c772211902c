// A release build with a static standard library builds this target too, and has no `Testing`.
#if canImport(Testing)
public import Testing
import Vips

/// Gives a test libvips for itself.
///
/// The library has one log, one error buffer and one count of live objects in a process, while
/// tests run side by side: what a test reads there is its own only while no other test uses the
/// library. Every test whose pictures are real carries this trait, itself or through its suite.
///
/// After the test its log must hold no word of GLib or GObject: those mean that we used an object
/// wrongly. Warnings of libvips are data and are left alone. And everything that the test has
/// made must be gone.
public struct VipsTrait: SuiteTrait, TestTrait, TestScoping {
  public let isRecursive = true

  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    await turns.wait()
    do {
      try await watched(function)
    } catch {
      await turns.pass()
      throw error
    }
    await turns.pass()
  }

  private func watched(_ function: @Sendable () async throws -> Void) async throws {
    try Host.start()
    _ = Log.take()
    let objects = Host.objects
    let buffers = Host.pixelBuffers
    try await function()
    for message in Log.take().kept
    where ["GLib", "GLib-GObject", "GObject"].contains(message.domain) {
      Issue.record("\(message.domain) says: \(message.text)")
    }
    if Host.objects != objects {
      Issue.record("\(Host.objects - objects) libvips objects are still alive after the test")
    }
    // Every thread keeps two buffers of every step of a pipeline for its next picture, and a pipeline
    // of a caption or a composition has dozens of steps.
    if Host.pixelBuffers > buffers + 400 {
      Issue.record("\(Host.pixelBuffers - buffers) pixel buffers are still alive after the test")
    }
  }
}

extension Trait where Self == VipsTrait {
  /// libvips for this test alone, watched for leaks and for misuse of objects.
  public static var vips: Self { VipsTrait() }
}

private let turns = Turns()

/// One at a time, in the order of asking, without holding a thread while waiting.
private actor Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    if isTaken {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isTaken = true
    }
  }

  func pass() {
    if waiting.isEmpty {
      isTaken = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}
#endif
