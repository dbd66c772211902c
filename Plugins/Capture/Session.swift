import Glibc
import MinilabKit
import V4L2

/// The taking of a run's pictures.
final class Session {
  private let capture: Capture
  private let receiver: any ItemReceiver
  private var camera: (any Camera)?
  /// The device, to be found again when it is lost.
  private var known: DeviceDescription?
  private var index = 0
  /// Broken frames that were told of.
  private var toldDropped = 0
  /// Said of the next picture.
  private var news: [Note] = []

  init(_ capture: Capture, _ receiver: any ItemReceiver) {
    self.capture = capture
    self.receiver = receiver
  }

  func run() throws {
    defer { camera?.close() }
    do {
      try reopening { _ in }
      var due = SuspendingClock.now
      for shot in 0..<capture.count {
        if shot > 0, capture.interval > 0 {
          // From when the last one was due, so that what each takes adds up to nothing; what a camera has
          // missed while it was away is not made up for.
          due = max(due + .seconds(capture.interval), .now)
          guard receiver.wait(due - .now) else { return }
        }
        guard try take() else { return }
      }
    } catch let error as VideoError where error.reason == .interrupted {
      // Nothing more is wanted.
    }
  }

  /// One shot: a picture, or a burst of them.
  ///
  /// - Returns: false where no more are wanted.
  private func take() throws -> Bool {
    var isLit = false
    var lit: (any Camera)?
    for number in 0..<capture.burst {
      guard receiver.waitForRoom() else { return false }
      let frame = try reopening { camera in
        // A camera that has come back is in the dark again.
        if lit !== camera {
          isLit = try self.light(camera)
          lit = camera
        } else if isLit {
          try camera.fire()
        }
        return number > 0 || self.capture.takesEveryFrame ? try camera.next() : try camera.newest()
      }
      guard let frame, let camera else { return false }
      try deliver(frame, camera, isLit: isLit)
    }
    if isLit { try camera?.unlight() }
    return true
  }

  // MARK: Light

  /// Below this mean lightness, of 255, a picture is dark.
  private static let dark = 60.0

  private func light(_ camera: any Camera) throws -> Bool {
    switch capture.flash {
    case .off: return false
    case .on: break
    case .auto:
      guard let luma = try? camera.newest().meanLuma(), luma < Self.dark else { return false }
    }
    if try camera.light() { return true }
    if capture.requireFlash { throw Capture.noFlash(camera) }
    if !news.contains(Capture.withoutFlash) { news.append(Capture.withoutFlash) }
    return false
  }

  // MARK: A camera that is lost

  /// How often a lost camera is looked for.
  private static let lookInterval = Duration.milliseconds(300)

  /// Does something with the camera; where it is lost, waits for its return and does it again.
  ///
  /// - Returns: nil where no more pictures are wanted.
  private func reopening<Value>(_ body: (any Camera) throws -> Value) throws -> Value? {
    var lost: (since: SuspendingClock.Instant, error: VideoError)?
    while true {
      do {
        let camera = try self.camera ?? open()
        let value = try body(camera)
        if let lost {
          let seconds = ((SuspendingClock.now - lost.since) / .seconds(1)).rounded()
          news.append(
            Note(.deviceReturned, "the camera was lost and came back after \(seconds.literal) s")
          )
        }
        return value
      } catch let error as VideoError where error.mayPass && known != nil {
        camera?.close()
        camera = nil
        let first = lost ?? (.now, error)
        lost = first
        guard SuspendingClock.now - first.since < .seconds(capture.reconnect) else {
          // How it was lost, and not that it is still so.
          throw first.error.itemError(after: capture.reconnect)
        }
        guard receiver.wait(Self.lookInterval) else { return nil }
      }
    }
  }

  private func open() throws -> any Camera {
    let camera = try capture.camera(stop: receiver.stopDescriptor, again: known) { [receiver] in
      // Where nobody takes it, the coordinator is gone, and this process ends by itself.
      try? receiver.leave($0)
    }
    do {
      try camera.start()
    } catch {
      camera.close()
      throw error
    }
    self.camera = camera
    toldDropped = 0
    if let device = camera as? DeviceCamera { known = device.description }
    return camera
  }

  // MARK: Items

  private func deliver(_ frame: CapturedFrame, _ camera: any Camera, isLit: Bool) throws {
    index += 1
    let moment = Moment(nanoseconds: frame.time)
    let middle = capture.middle(camera)
    var facts = ExifBlock.Facts()
    facts.make = camera.identity.make
    facts.model = camera.identity.model
    facts.orientation = capture.orientation(of: camera).rawValue
    facts.date = moment.date
    facts.offset = moment.offset
    facts.fraction = moment.fraction
    facts.exposure = camera.exposure
    facts.hasFired = capture.hasFlash(camera) ? isLit : nil
    facts.width = frame.format.width
    facts.height = frame.format.height
    facts.zoom = camera.ownZoom / middle
    let file = try ShotFile(frame, ExifBlock(facts))
    let announcement = SourceAnnouncement(name: camera.identity.word, format: file.format)
    try receiver.deliver(
      SourceItem(
        name: announcement.itemName(
          taken: moment.clock,
          index: index,
          of: capture.itemCount
        ),
        format: file.format,
        bytes: file.bytes,
        taken: moment.clock,
        notes: notes(camera, middle),
        middle: middle,
        isRaw: file.format != .jpeg
      )
    )
  }

  private func notes(_ camera: any Camera, _ middle: Double) -> [Note] {
    var notes = camera.notes + news
    news = []
    let dropped = camera.droppedFrames - toldDropped
    toldDropped = camera.droppedFrames
    if dropped > 0 {
      notes.append(
        Note(
          .framesDropped,
          "\(dropped) broken frame\(dropped == 1 ? " was" : "s were") passed over"
        )
      )
    }
    if let note = capture.zoomNote { notes.append(note) }
    if middle < 1 {
      let percent = (middle * 100).rounded().literal
      notes.append(
        Note(.zoomCropped, "the camera does not zoom so far; the middle \(percent) % was cut out")
      )
    }
    return notes
  }
}

extension VideoError {
  /// A camera that is plugged in again, or restarted, may be as it was.
  fileprivate var mayPass: Bool {
    switch reason {
    case .notFound, .unplugged, .timeout, .streamFailed, .failed, .busy: true
    default: false
    }
  }
}
